// The form of a route says what may be typed into each box, as the OpenAPI document has it.

import { expect, test } from "vitest";
import { openApiDocument } from "../../src/server/routes/openapi.ts";
import { hintOf, type OpenApi, routesOf, schemaOf, typeText } from "../../web/docs/openapi.ts";

const api = openApiDocument() as unknown as OpenApi;
const { schemas } = api.components;

test("every optional parameter of a search says its type, and shows an example or what holds without it", () => {
  const search = routesOf(api).find(({ operation }) => operation.operationId === "searchByUrl")!;
  const hints = new Map(
    search.operation.parameters.map((parameter) => [parameter.name, hintOf(schemaOf(parameter), schemas)]),
  );
  expect(hints.get("k")).toBe("10 by default");
  expect(hints.get("sort")).toBe("such as year");
  expect(hints.get("facets")).toBe('such as ["year"]');
  expect(hints.get("filter")).toMatch(/^such as {"kind":"noun",/);
  for (const parameter of search.operation.parameters) {
    expect(typeText(schemaOf(parameter)), parameter.name).not.toBe("anything");
    if (schemaOf(parameter).enum === undefined)
      expect(hints.get(parameter.name), parameter.name).not.toBe("");
  }
});
