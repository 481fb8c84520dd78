// Too many requests at once, requests that are aborted, and how the server stops.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { DOCUMENTS, keepLog, LINES, started, THINGS } from "../../test/helpers/server.ts";
import { Sluice } from "../index.ts";
import { Turns } from "../support/work/turns.ts";
import { serve } from "./listen.ts";

const documents = `${THINGS}/documents`;

/** A promise that the test resolves. */
function promised<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A body that sends one line, and the rest after `release`. */
function heldBody() {
  const gate = promised<void>();
  const line = (id: string) => new TextEncoder().encode(`${JSON.stringify({ id, text: "an okapi" })}\n`);
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(line("held 1"));
      await gate.promise;
      controller.enqueue(line("held 2"));
      controller.close();
    },
  });
  return { body, release: () => gate.resolve() };
}

test("requests over the limit are refused with Retry-After", async () => {
  const server = await started({ limits: { concurrent: 1 } });
  const { body, release } = heldBody();
  const held = server.raw("POST", documents, body, LINES);
  await expect
    .poll(async () => (await server.send("GET", "/metrics")).body)
    .toMatch(/^sluice_http_in_flight 1$/m);
  const refused = await server.send("POST", `${THINGS}/search`, { query: "gate" });
  expect([refused.status, refused.body.error.code, refused.headers.get("retry-after")]).toEqual([
    503,
    "busy",
    "1",
  ]);
  expect((await server.send("GET", "/health")).status).toBe(200);
  expect((await server.send("GET", "/ready")).status).toBe(200);
  release();
  expect((await held).body).toMatchObject({ added: 2 });
  expect((await server.send("POST", `${THINGS}/search`, { query: "gate" })).status).toBe(200);
  await server.end();
});

test("a request over the limit is refused before its body is read", async () => {
  const server = await started({ limits: { concurrent: 1 } });
  const running = heldBody();
  const held = server.raw("POST", documents, running.body, LINES);
  await expect
    .poll(async () => (await server.send("GET", "/metrics")).body)
    .toMatch(/^sluice_http_in_flight 1$/m);
  const { body, release } = heldBody(); // the rest of it never comes before the answer
  const refused = await server.raw("POST", `${THINGS}/search`, body, {
    "content-type": "application/json",
  });
  expect([refused.status, refused.body.error.code]).toEqual([503, "busy"]);
  release();
  running.release();
  expect((await held).body).toMatchObject({ added: 2 });
  await server.end();
});

test("a change that the client aborts is rolled back, and the next one succeeds", async () => {
  const server = await started();
  const add = vi.spyOn(server.index, "add");
  const { body } = heldBody();
  const giveUp = new AbortController();
  const given = fetch(server.url + documents, {
    method: "POST",
    headers: LINES,
    body,
    duplex: "half",
    signal: giveUp.signal,
  } as RequestInit);
  await expect
    .poll(async () => (await server.send("GET", "/metrics")).body)
    .toMatch(/^sluice_http_in_flight 1$/m);
  await expect.poll(() => add.mock.calls.length).toBe(1);
  giveUp.abort();
  await expect(given).rejects.toThrow();
  await expect.poll(() => add.mock.calls[0][1]?.signal?.aborted).toBe(true);
  const next = await server.send("POST", documents, { documents: [{ id: "next", text: "x" }] });
  expect(next.body).toMatchObject({ added: 1, docs: 4 });
  expect(await server.index.has("held 1")).toBe(false);
  await server.end();
});

test("a gzip body of many documents is not read on when its client is gone", {
  timeout: 60_000,
}, async () => {
  const server = await started();
  const lines = '{"id":"q","text":"some words"}\n'.repeat(50_000);
  // 20 million documents: with all of them, the next change would wait for minutes.
  const body = Buffer.concat(new Array(400).fill(gzipSync(lines, { level: 1 })));
  const client = connect(Number(new URL(server.url).port), "127.0.0.1");
  await new Promise((resolve) => client.once("connect", resolve));
  client.write(
    `PUT ${documents} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  const upsert = vi.spyOn(server.index, "upsert");
  client.write(body);
  await expect.poll(() => upsert.mock.calls.length).toBe(1);
  client.destroy();
  const added = await server.send("POST", documents, { documents: [{ id: "after", text: "it" }] });
  expect(added.body).toMatchObject({ added: 1, docs: DOCUMENTS.length + 1 });
  await server.end();
});

test("a search that the client aborts stops", async () => {
  const server = await started();
  const entered = promised<AbortSignal>();
  const original = server.index.searchAll.bind(server.index);
  vi.spyOn(server.index, "searchAll").mockImplementation(async (queries, options) => {
    const signal = options!.signal!;
    entered.resolve(signal);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return original(queries, options);
  });
  const giveUp = new AbortController();
  const body = JSON.stringify({ query: "gate" });
  const headers = { "content-type": "application/json" };
  const given = fetch(`${server.url}${THINGS}/search`, {
    method: "POST",
    headers,
    body,
    signal: giveUp.signal,
  });
  const signal = await entered.promise;
  giveUp.abort();
  await expect(given).rejects.toThrow();
  await expect.poll(() => signal.aborted).toBe(true);
  await expect
    .poll(async () => (await server.send("GET", "/metrics")).body)
    .toMatch(/^sluice_http_in_flight 0$/m);
  await expect(original(["gate"], { signal })).rejects.toBe(signal.reason);
  vi.restoreAllMocks();
  await server.end();
});

test("a request that takes too long gets a timeout", async () => {
  const server = await started({ limits: { readMs: 50 } });
  vi.spyOn(server.index, "searchAll").mockImplementation(async (_, options) => {
    const signal = options!.signal!;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw signal.reason;
  });
  const late = await server.send("POST", `${THINGS}/search`, { query: "gate" });
  expect([late.status, late.body.error.code]).toEqual([503, "timeout"]);
  vi.restoreAllMocks();
  await server.end();
});

test("a search whose time is over stops inside its scan", async () => {
  // Long enough for many turns: every query reads most of the postings.
  const words = Array.from({ length: 300 }, (_, i) => `w${i}`);
  const text = (i: number) => words.filter((_, w) => (i * 31 + w * 17) % 7 < 4).join(" ");
  const docs = Array.from({ length: 6000 }, (_, i) => ({ id: `d${i}`, text: text(i) }));
  const index = await Sluice.build(docs, { encoder: "none", threads: 1 });
  const ask = async (readMs: number) => {
    const turns = vi.spyOn(Turns.prototype, "next");
    const searches = vi.spyOn(index, "searchAll");
    const server = await serve({ things: index }, { port: 0, page: false, limits: { readMs } });
    const queries = Array.from({ length: 8 }, (_, i) => words.slice(i).join(" "));
    const response = await fetch(`${server.url}${THINGS}/search-all`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ queries, k: 1000, fields: [], plan: { kind: "exact" } }),
    });
    const { error } = (await response.json()) as { error?: { code: string } };
    const [search] = await Promise.allSettled(searches.mock.results.map(({ value }) => value));
    const seen = { status: response.status, code: error?.code, search: search.status };
    await server.close();
    const count = turns.mock.calls.length;
    vi.restoreAllMocks();
    return { seen, count };
  };
  const whole = await ask(60_000);
  expect(whole.seen).toEqual({ status: 200, code: undefined, search: "fulfilled" });
  // A search pauses after 5 ms of work. It takes many pauses, so a deadline of 1 ms has passed at the first one.
  expect(whole.count).toBeGreaterThan(4);
  const stopped = await ask(1);
  expect(stopped.seen).toEqual({ status: 503, code: "timeout", search: "rejected" });
  expect(stopped.count).toBeGreaterThan(0);
  expect(stopped.count).toBeLessThan(whole.count / 2);
  await index.close();
});

test("a read whose work does not stop is answered in time, and counts until it has stopped", async () => {
  const server = await started({ limits: { readMs: 50, concurrent: 1 } });
  const gate = promised<never>();
  vi.spyOn(server.index, "explain").mockReturnValue(gate.promise);
  const late = await server.send("POST", `${THINGS}/explain`, { query: "gate", id: "1" });
  expect([late.status, late.body.error.code]).toEqual([503, "timeout"]);
  const refused = await server.send("POST", `${THINGS}/search`, { query: "gate" });
  expect([refused.status, refused.body.error.code]).toEqual([503, "busy"]);
  gate.resolve({ terms: [], lost: [] } as never);
  const search = async () => (await server.send("POST", `${THINGS}/search`, { query: "gate" })).status;
  await expect.poll(search).toBe(200);
  vi.restoreAllMocks();
  await server.end();
});

test("reads that wait for others are answered in time, and never reach the index", async () => {
  const server = await started({ limits: { readMs: 100 } });
  const gate = promised<never>();
  const asked = vi.spyOn(server.index, "searchAll").mockReturnValue(gate.promise);
  const ask = () => server.send("POST", `${THINGS}/search-all`, { queries: ["gate", "water"] });
  const replies = await Promise.all(Array.from({ length: 12 }, ask));
  expect(replies.map(({ status, body }) => [status, body.error.code])).toEqual(
    replies.map(() => [503, "timeout"]),
  );
  expect(asked).toHaveBeenCalledTimes(4);
  gate.resolve([] as never);
  vi.restoreAllMocks();
  const search = async () => (await server.send("POST", `${THINGS}/search`, { query: "gate" })).status;
  await expect.poll(search).toBe(200);
  await server.end();
});

test("a change that waits for another is answered in time, and is not made", async () => {
  const server = await started({ limits: { writeMs: 100 } });
  const gate = promised<number>();
  const adding = vi.spyOn(server.index, "add").mockReturnValueOnce(gate.promise);
  const add = (id: string) => server.send("POST", documents, { documents: [{ id, text: "x" }] });
  const first = add("first");
  await expect.poll(() => adding.mock.calls.length).toBe(1);
  const second = await add("second");
  expect([second.status, second.body.error.code]).toEqual([503, "timeout"]);
  gate.resolve(1);
  expect((await first).body.error.code).toBe("timeout"); // nothing was committed yet
  expect((await add("third")).body).toMatchObject({ added: 1, docs: 4 });
  expect(await server.index.has("second")).toBe(false);
  vi.restoreAllMocks();
  await server.end();
});

test("a change that waits too long for another is asked to come back", async () => {
  const server = await started({ limits: { waitMs: 20 } });
  const gate = promised<number>();
  const adding = vi.spyOn(server.index, "add").mockReturnValueOnce(gate.promise);
  const add = (id: string) => server.send("POST", documents, { documents: [{ id, text: "x" }] });
  const first = add("first");
  await expect.poll(() => adding.mock.calls.length).toBe(1);
  const second = await add("second");
  expect([second.status, second.body.error.code, second.headers.get("retry-after")]).toEqual([
    503,
    "busy",
    "5",
  ]);
  gate.resolve(1);
  expect((await first).status).toBe(200);
  expect((await add("third")).status).toBe(200);
  expect(await server.index.has("second")).toBe(false);
  vi.restoreAllMocks();
  await server.end();
});

test("an unexpected error is 500, and does not tell where it happened", async () => {
  const entries: [object, string][] = [];
  const note = (entry: object, message: string) => void entries.push([entry, message]);
  const server = await started({ log: { info: note, warn: note, error: note } });
  vi.spyOn(server.index, "searchAll").mockRejectedValue(new TypeError("cannot read x of undefined"));
  const failed = await server.send("POST", `${THINGS}/search`, { query: "a secret question" });
  expect([failed.status, failed.body.error]).toMatchObject([500, { code: "internal" }]);
  expect(JSON.stringify(failed.body)).not.toContain("undefined");
  vi.restoreAllMocks();
  await server.send("POST", `${THINGS}/search`, { query: "a secret question" });
  await server.send("POST", documents, { documents: [{ id: "1", text: "a secret document" }] });
  expect(entries.map(([, message]) => message)).toEqual(["failed", "answered", "refused"]);
  expect(entries[0][0]).toMatchObject({
    method: "POST",
    status: 500,
    error: expect.stringContaining("cannot read x"),
  });
  expect(entries[1][0]).toMatchObject({ route: "/v1/indexes/{name}/search", index: "things", status: 200 });
  expect(JSON.stringify(entries)).not.toContain("secret");
  await server.end();
});

test("a rollback that failed is repeated before the next change", async () => {
  const server = await started();
  vi.spyOn(server.index, "rollback").mockRejectedValueOnce(new Error("the disk is full"));
  const twice = { documents: ["new", "1"].map((id) => ({ id, text: "an okapi" })) };
  const failed = await server.send("POST", documents, twice);
  expect([failed.status, failed.body.error.code]).toEqual([409, "duplicate_id"]);
  const next = await server.send("POST", documents, { documents: [{ id: "next", text: "x" }] });
  expect(next.body).toMatchObject({ added: 1, docs: 4 });
  expect(await server.index.has("new")).toBe(false);
  vi.restoreAllMocks();
  await server.end();
});

test("stopping during a commit: the commit completes and is answered", async () => {
  const server = await started();
  const many = Array.from({ length: 3000 }, (_, i) =>
    JSON.stringify({ id: `n${i}`, text: `okapi ${i} of many` }),
  );
  const committing = promised<void>();
  const commit = server.index.commit.bind(server.index);
  vi.spyOn(server.index, "commit").mockImplementation((options) => {
    committing.resolve();
    return commit(options);
  });
  const held = server.raw("POST", documents, many.join("\n"), LINES);
  await committing.promise;
  const closing = server.close({ graceMs: 1 }); // not even a grace of a millisecond stops a commit
  const refused = server.send("POST", `${THINGS}/search`, { query: "gate" });
  await expect(refused).rejects.toThrow(); // nobody listens any more
  expect(await held).toMatchObject({ status: 200, body: { added: 3000, committed: true, docs: 3003 } });
  await closing;
  await server.index.close();
  const again = await Sluice.open(server.index.location!, { readOnly: true });
  expect(again.docs).toBe(3003);
  await again.close();
  vi.restoreAllMocks();
  rmSync(server.folder, { recursive: true, force: true });
});

test("stopping while a client still sends: the change is rolled back after the grace period", async () => {
  const { entries, log } = keepLog();
  const server = await started({ log });
  const { body } = heldBody();
  const held = server.raw("POST", documents, body, LINES).catch(() => undefined); // the answer may be lost
  await expect
    .poll(async () => (await server.send("GET", "/metrics")).body)
    .toMatch(/^sluice_http_in_flight 1$/m);
  await server.close({ graceMs: 20 });
  await held;
  expect(entries.map(([entry]) => entry)).toContainEqual(
    expect.objectContaining({ method: "POST", status: 503, code: "stopping" }),
  );
  expect(server.index.docs).toBe(3);
  await server.index.close();
  rmSync(server.folder, { recursive: true, force: true });
});

test("draining: readiness is 503 first, requests are still answered, then nobody listens", async () => {
  const server = await started();
  const closing = server.close({ drainMs: 1500 });
  const ready = await server.send("GET", "/ready");
  expect([ready.status, ready.body.status]).toEqual([503, "stopping"]);
  expect((await server.send("GET", "/health")).status).toBe(200);
  const found = await server.send("POST", `${THINGS}/search`, { query: "gate" });
  expect([found.status, found.headers.get("connection")]).toEqual([200, "close"]);
  await closing;
  await expect(server.send("GET", "/ready")).rejects.toThrow();
  await server.index.close();
  rmSync(server.folder, { recursive: true, force: true });
});

test("a port in use, and an invalid port", async () => {
  const server = await started();
  await expect(serve({ things: server.index }, { port: server.port })).rejects.toThrow("is already in use");
  await expect(serve({ things: server.index }, { port: 70_000 })).rejects.toThrow("port");
  await expect(serve({}, { port: 0 })).rejects.toThrow("needs an index");
  await expect(serve({ things: server.index }, { port: 0, limits: { k: 0 } })).rejects.toThrow("the limit k");
  await server.end();
});

test("the files of the page are served, and nothing else", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-page-"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>a page</title>");
  writeFileSync(join(folder, "app.js"), "export {};");
  const index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  const server = await serve({ things: index }, { port: 0, page: folder });
  const get = (path: string, accept = "*/*") => fetch(server.url + path, { headers: { accept } });
  expect(await (await get("/")).text()).toContain("a page");
  expect((await get("/app.js")).headers.get("content-type")).toMatch("text/javascript");
  for (const path of ["/playground", "/indexes?index=things", "/reports", "/reports/trade.off", "/search"]) {
    const view = await get(path, "text/html");
    expect([path, view.status, await view.text()]).toEqual([path, 200, expect.stringContaining("a page")]);
  }
  // Browsers get the page at /docs, and programs a list of the routes.
  expect(await (await get("/docs", "text/html")).text()).toContain("a page");
  expect(await (await get("/docs")).text()).toContain("/openapi.json describes");
  for (const path of ["/nosuchpage", "/playground/x", "/reports/a/b", "/some/view"]) {
    const missing = await get(path, "text/html,*/*");
    expect([path, missing.status, missing.headers.get("content-type")]).toEqual([
      path,
      404,
      "text/html; charset=utf-8",
    ]);
    expect(await missing.text()).toContain("a page"); // which says that there is nothing
  }
  const head = await fetch(server.url, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect((await get("/some/view")).status).toBe(404);
  expect((await get("/app.css", "text/html")).status).toBe(404);
  expect((await get("/v1/none", "text/html")).status).toBe(404);
  await server.close();
  await expect(serve({ things: index }, { port: 0, page: join(folder, "none") })).rejects.toThrow(
    "expected a folder with the files of the page",
  );
  await index.close();
  rmSync(folder, { recursive: true });
});

test("the longest query fits into a URL, in any script", async () => {
  const index = await Sluice.build([{ id: "1", text: "a lock of a canal" }], { encoder: "none" });
  const server = await serve({ things: index }, { port: 0 });
  const url = (query: string) => `${server.url}/v1/indexes/things/search?query=${encodeURIComponent(query)}`;
  expect((await fetch(url("𠀀".repeat(8192)))).status).toBe(200);
  expect((await fetch(url("𠀀".repeat(8193)))).status).toBe(400);
  await server.close();
  await index.close();
});
