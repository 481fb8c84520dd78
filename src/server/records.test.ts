// Request ids and the log of slow searches.

import { expect, test } from "vitest";
import { keepLog, started, THINGS } from "../../test/helpers/server.ts";

test("a request has an id: in the header, in the log and in the body of an error", async () => {
  const { entries, log } = keepLog();
  const server = await started({ log, cors: ["https://good.example"] });
  const ask = (path: string, id?: string) =>
    server.send("GET", path, undefined, id === undefined ? {} : { "x-request-id": id });
  const given = await ask(`${THINGS}/search?query=gate`, "web-1.a:b_c");
  expect(given.headers.get("x-request-id")).toBe("web-1.a:b_c");
  expect(entries.at(-1)![0].requestId).toBe("web-1.a:b_c");
  const own = await ask(`${THINGS}/documents/none`);
  const id = own.headers.get("x-request-id")!;
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect([own.status, own.body.error.requestId, entries.at(-1)![0].requestId]).toEqual([404, id, id]);
  for (const wrong of ["a b", "x".repeat(65), 'a"b', "a;b", "<a>", "é"]) {
    const { headers } = await ask(THINGS, wrong);
    expect([wrong, headers.get("x-request-id")]).toEqual([wrong, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  }
  for (const path of ["/health", "/nothing", "/openapi.json", "/metrics"])
    expect((await ask(path, "any")).headers.get("x-request-id")).toBe("any");
  expect((await ask("/nothing", "any")).body.error.requestId).toBe("any");
  const foreign = { origin: "https://evil.example", "x-request-id": "evil" };
  expect((await server.send("GET", THINGS, undefined, foreign)).body.error.requestId).toBe("evil");
  const stream = {
    accept: "text/event-stream",
    "content-type": "application/x-ndjson",
    "x-request-id": "events",
  };
  const events = await server.raw("POST", `${THINGS}/documents`, '{"id":"1","text":"x"}\n', stream);
  expect(events.body).toContain('"requestId":"events"');
  await server.end();
});

test("a slow search is logged with its statistics, and without a word of its query", async () => {
  const { entries, log } = keepLog();
  const server = await started({ log, slowMs: 0 });
  const slow = () => entries.filter(([, message]) => message === "slow").map(([entry]) => entry);
  const id = { "x-request-id": "slow-1" };
  await server.send("POST", `${THINGS}/search`, { query: "secret gate" }, id);
  await server.send("POST", `${THINGS}/search-all`, { queries: ["secret", "gate"] });
  await server.send("GET", `${THINGS}/suggest?text=secr`);
  await server.send("GET", THINGS); // no search
  await server.send("POST", `${THINGS}/search`, { query: 5 }); // never searched
  expect(slow()).toHaveLength(3);
  expect(slow()[0]).toMatchObject({
    requestId: "slow-1",
    route: "/v1/indexes/{name}/search",
    index: "things",
    status: 200,
    ms: expect.any(Number),
    waitMs: expect.any(Number),
    stats: { plan: "auto", candidates: expect.any(Number), firstStageMs: expect.any(Number) },
  });
  expect(slow()[1]).toMatchObject({ queries: 2, stats: { firstStageMs: expect.any(Number) } });
  expect(JSON.stringify(entries)).not.toContain("secr");
  await server.end();
});

test("queries of slow searches are logged if the operator asks for them, and fast searches never", async () => {
  const { entries, log } = keepLog();
  const server = await started({ log, slowMs: 0, slowLogQueries: true });
  await server.send("GET", `${THINGS}/search?query=an+okapi`);
  await server.send("POST", `${THINGS}/search-all`, { queries: ["an okapi", "gate"] });
  const slow = entries.filter(([, message]) => message === "slow").map(([{ query }]) => query);
  expect(slow).toEqual(["an okapi", ["an okapi", "gate"]]);
  await server.end();
  const fast = keepLog();
  const other = await started({ log: fast.log, slowMs: 600_000, slowLogQueries: true });
  await other.send("GET", `${THINGS}/search?query=an+okapi`);
  expect(JSON.stringify(fast.entries)).not.toContain("okapi");
  await other.end();
  await expect(started({ slowMs: -1 })).rejects.toThrow("slowMs must be");
});
