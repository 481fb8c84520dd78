// The OpenAPI document is valid, answers match it, and a client generated from it works.

import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { OpenAPIClientAxios, type Document as OpenApi } from "openapi-client-axios";
import { afterAll, beforeAll, expect, test } from "vitest";
import { started, type TestServer, THINGS } from "../../../test/helpers/server.ts";
import { errorAnswerSchema } from "../../schemas/server-schema.ts";
import { ROUTES, type Route } from "./routes.ts";

let server: TestServer;
let document: OpenApi;
beforeAll(async () => {
  server = await started();
  document = (await server.send("GET", "/openapi.json")).body;
});
afterAll(() => server.end());

test("the document is valid OpenAPI 3.1", async () => {
  expect(document.openapi).toBe("3.1.0");
  expect(await new Validator().validate(structuredClone({ ...document }))).toEqual({ valid: true });
});

test("its version is the package's", () => {
  const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  expect(document.info.version).toBe(JSON.parse(manifest).version);
});

test("the server refuses what the document forbids, and accepts what it allows", async () => {
  // biome-ignore lint/suspicious/noExplicitAny: a schema is looked into field by field
  const schemas = document.components!.schemas as Record<string, any>;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  const parameters = document.paths![`/v1/indexes/{name}/search`]!.get!.parameters as any[];
  const parameter = (name: string) => parameters.find((one) => one.name === name);
  expect(parameter("k").schema).toMatchObject({ type: "integer", minimum: 0, maximum: 1000 });
  expect(parameter("offset").schema).toMatchObject({ type: "integer", minimum: 0, maximum: 10_000 });
  expect(parameter("lambda").schema).toMatchObject({ type: "number", minimum: 0, maximum: 1e6 });
  expect(parameter("plan").content["application/json"].schema.$ref).toMatch(/Plan$/);
  expect(parameter("filter").content["application/json"].schema.$ref).toMatch(/Filter$/);
  expect(parameter("query").schema.maxLength).toBe(8192);
  expect(schemas.ListRequest.properties).toMatchObject({
    limit: { minimum: 0, maximum: 1000, default: 100 },
  });
  expect(schemas.SearchRequest.properties).toMatchObject({ k: { maximum: 1000 }, lambda: { maximum: 1e6 } });
  expect(schemas.SearchAllRequest.properties.queries).toMatchObject({ minItems: 1, maxItems: 100 });
  expect(schemas.Query.anyOf).toMatchObject([{ maxLength: 8192 }, { minProperties: 1 }]);
  const pruned = schemas.Plan.anyOf[1].oneOf.find((plan: { oneOf?: object }) => plan.oneOf);
  expect(pruned.oneOf).toEqual([{ required: ["theta"] }, { required: ["mass"] }]);
  expect(schemas.Filter.additionalProperties.anyOf[1]).toMatchObject({
    minProperties: 1,
    properties: { in: { minItems: 1 } },
  });

  const asked: [number, object][] = [
    [400, { k: -1 }],
    [400, { k: 1001 }],
    [200, { k: 1000, offset: 10_000 }],
    [400, { offset: 10_001 }],
    [400, { lambda: 1e7 }],
    [200, { lambda: 1e6 }],
    [400, { plan: { kind: "pruned" } }],
    [400, { plan: { kind: "pruned", theta: 1, mass: 1 } }],
    [200, { plan: { kind: "pruned", theta: 1 } }],
    [400, { plan: { kind: "exact", candidates: 1 } }],
    [400, { plan: { kind: "inner-product", candidates: 2e18 } }],
    [400, { filter: { year: {} } }],
    [400, { filter: { year: { in: [] } } }],
    [400, { filter: { and: [] } }],
    [400, { filter: { text: "x" } }],
    [200, { filter: { and: [{}], "\\\\and": 1, year: { gte: 1, lt: "x", ne: null } } }],
    [400, { query: {} }],
    [400, { query: { weights: { gate: -1 } } }],
    [400, { query: { weights: { gate: 65_505 } } }],
    [200, { query: { weights: { gate: 1000 } } }],
    [200, { query: "🌊".repeat(8192) }],
    [400, { query: "🌊".repeat(8193) }],
  ];
  for (const [status, options] of asked) {
    const reply = await server.send("POST", `${THINGS}/search`, { query: "gate", ...options });
    expect([options, reply.status]).toEqual([options, status]);
  }
  const addresses: [number, string][] = [
    [400, "k=-1"],
    [400, "k=-1"],
    [400, "k=1.5"],
    [200, "lambda=1e-05"],
    [400, "lambda=much"],
    [200, `plan=${encodeURIComponent('{"kind":"pruned","mass":5e-324}')}`],
    [400, `plan=${encodeURIComponent('{"kind":"pruned","mass":0}')}`],
    [400, "theta=1"],
    [200, `fields=[]&exclude=${encodeURIComponent('["3"]')}`],
    [400, "exclude=3"],
    [400, `filter=${encodeURIComponent('{"a":{}}')}`],
    [200, `filter=${encodeURIComponent('{"a":{"exists":false}}')}`],
  ];
  for (const [status, options] of addresses) {
    const reply = await server.send("GET", `${THINGS}/search?query=gate&${options}`);
    expect([options, reply.status]).toEqual([options, status]);
  }
});

test("it has every route, and nothing else", () => {
  const described = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods ?? {}).map((method) => `${method} ${path}`),
  );
  const routes = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual(routes.sort());
});

test("a client made from it searches, explains, adds and deletes", async () => {
  const api = new OpenAPIClientAxios({ definition: document, withServer: { url: server.url } });
  // biome-ignore lint/suspicious/noExplicitAny: its methods are made while it runs
  const client = (await api.init()) as any;
  const { data: found } = await client.search({ name: "things" }, { query: "gate", k: 1 });
  expect(found.hits.map(({ id }: { id: string }) => id)).toEqual(["3"]);
  const { data: why } = await client.explain("things", { query: "gate", id: "3" });
  expect(why.matched[0].term).toBe("gate");
  const { data: added } = await client.addDocuments("things", { documents: [{ id: "4", text: "an okapi" }] });
  expect(added).toMatchObject({ added: 1, docs: 4 });
  const { data: again } = await client.searchByUrl({ name: "things", query: "okapi" });
  expect(again.hits).toHaveLength(1);
  const { data: deleted } = await client.deleteDocument({ name: "things", id: "4" });
  expect(deleted).toMatchObject({ deleted: 1, docs: 3 });
});

test("answers match the schemas in every field", async () => {
  const requests: [keyof typeof ROUTES, string, string, unknown?][] = [
    ["indexes", "GET", "/v1/indexes"],
    ["index", "GET", THINGS],
    ["fields", "GET", `${THINGS}/fields`],
    ["server", "GET", "/v1/server"],
    ["reports", "GET", "/v1/reports"],
    ["search", "POST", `${THINGS}/search`, { query: "gate of a zebra", highlight: true }],
    ["searchByUrl", "GET", `${THINGS}/search?query=gate`],
    ["searchAll", "POST", `${THINGS}/search-all`, { queries: ["gate", "water"] }],
    ["explain", "POST", `${THINGS}/explain`, { query: "gate school", id: "3", highlight: true }],
    [
      "explainQuery",
      "POST",
      `${THINGS}/explain-query`,
      { query: "gate", plan: { kind: "pruned", theta: 1 } },
    ],
    ["document", "GET", `${THINGS}/documents/1`],
    ["passages", "GET", `${THINGS}/documents/1/passages`],
    ["addDocuments", "POST", `${THINGS}/documents`, { documents: [{ id: "9", text: "x" }] }],
    ["upsertDocuments", "PUT", `${THINGS}/documents?commit=true`, { documents: [{ id: "9", text: "y" }] }],
    ["deleteDocuments", "DELETE", `${THINGS}/documents`, { ids: ["9"] }],
    ["deleteDocument", "DELETE", `${THINGS}/documents/9`],
    ["deletePassages", "DELETE", `${THINGS}/documents/9/passages`],
    ["optimize", "POST", `${THINGS}/optimize`],
    ["health", "GET", "/health"],
    ["ready", "GET", "/ready"],
  ];
  for (const [name, method, path, body] of requests) {
    const reply = await server.send(method, path, body);
    expect([name, reply.status]).toEqual([name, 200]);
    const route: Route = ROUTES[name];
    // A schema that does not know a field leaves it out.
    expect([name, route.answer!.parse(reply.body)]).toEqual([name, reply.body]);
  }
  await server.index.close();
  const { status, body: notReady } = await server.send("GET", "/ready");
  expect([status, ROUTES.ready.refusal.parse(notReady)]).toEqual([503, notReady]);
  for (const path of ["/v1/indexes/none", "/nothing", `${THINGS}/search`]) {
    const { body } = await server.send("GET", path);
    expect(errorAnswerSchema.parse(body)).toEqual(body);
  }
});
