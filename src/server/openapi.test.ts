// The OpenAPI document is valid, answers are what it says, and a client made from it works.

import { Validator } from "@seriousme/openapi-schema-validator";
import { OpenAPIClientAxios, type Document as OpenApi } from "openapi-client-axios";
import { afterAll, beforeAll, expect, test } from "vitest";
import { started, type TestServer, THINGS } from "../../test/server.ts";
import { ROUTES, type Route } from "./routes.ts";
import { errorAnswer } from "./schemas.ts";

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
  const { data: again } = await client.searchByAddress({ name: "things", q: "okapi" });
  expect(again.hits).toHaveLength(1);
  const { data: deleted } = await client.deleteDocument({ name: "things", id: "4" });
  expect(deleted).toMatchObject({ deleted: 1, docs: 3 });
});

test("answers are what the schemas say, to the last field", async () => {
  const requests: [keyof typeof ROUTES, string, string, unknown?][] = [
    ["indexes", "GET", "/v1/indexes"],
    ["index", "GET", THINGS],
    ["search", "POST", `${THINGS}/search`, { query: "gate of a zebra", highlight: true }],
    ["searchByAddress", "GET", `${THINGS}/search?q=gate`],
    ["batch", "POST", `${THINGS}/batch`, { queries: ["gate", "water"] }],
    ["explain", "POST", `${THINGS}/explain`, { query: "gate school", id: "3", highlight: true }],
    ["query", "POST", `${THINGS}/query`, { query: "gate", plan: { kind: "pruned", theta: 1 } }],
    ["document", "GET", `${THINGS}/documents/1`],
    ["addDocuments", "POST", `${THINGS}/documents`, { documents: [{ id: "9", text: "x" }] }],
    ["upsertDocuments", "PUT", `${THINGS}/documents?commit=true`, { documents: [{ id: "9", text: "y" }] }],
    ["deleteDocuments", "DELETE", `${THINGS}/documents`, { ids: ["9"] }],
    ["deleteDocument", "DELETE", `${THINGS}/documents/9`],
    ["health", "GET", "/health"],
    ["ready", "GET", "/ready"],
  ];
  for (const [name, method, path, body] of requests) {
    const reply = await server.send(method, path, body);
    expect([name, reply.status]).toEqual([name, 200]);
    const route: Route = ROUTES[name];
    // A schema that does not know a field leaves it out.
    expect([name, route.answer.parse(reply.body)]).toEqual([name, reply.body]);
  }
  for (const path of ["/v1/indexes/none", "/nothing", `${THINGS}/search`]) {
    const { body } = await server.send("GET", path);
    expect(errorAnswer.parse(body)).toEqual(body);
  }
});
