// The server does over HTTP what the library does, and every change is made as a whole or not at all.

import { readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DOCUMENTS, LINES, started, type TestServer, THINGS } from "../../test/helpers/server.ts";
import { Sluice, SluiceError } from "../index.ts";
import { createServer } from "./app.ts";

const lines = (documents: readonly unknown[]) =>
  documents.map((document) => `${JSON.stringify(document)}\n`).join("");

/** Events of an event stream, parsed. */
const eventsOf = (text: string) =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event)!;
      return { name, data: JSON.parse(data) };
    });

describe("reads", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await started();
  });
  afterAll(() => server.end());

  test("a search returns what the library returns", async () => {
    const query = "which gate controls water?";
    const plan = { kind: "pruned", mass: 0.6 } as const;
    const { status, body } = await server.send("POST", `${THINGS}/search`, { query, k: 2, plan });
    const { hits, terms } = await server.index.search(query, { k: 2, plan });
    expect(status).toBe(200);
    expect(body.hits).toEqual(hits.map((hit) => ({ ...hit, document: hit.document })));
    expect(body.terms).toEqual(terms);
    expect(body.stats).toMatchObject({ plan: "pruned", allowedCount: 3, exact: true });
  });

  test("filter, page, excluded ids and chosen fields", async () => {
    const ask = async (more: object) =>
      (await server.send("POST", `${THINGS}/search`, { query: "water gate school", ...more })).body.hits;
    expect((await ask({ filter: { kind: "school" } })).map((hit: { id: string }) => hit.id)).toEqual(["1"]);
    const all = await ask({});
    expect(await ask({ offset: 1 })).toEqual(all.slice(1));
    expect((await ask({ exclude: [all[0].id] }))[0]).toEqual(all[1]);
    expect((await ask({ fields: ["kind", "nothing"], k: 1 }))[0].document).toEqual({ kind: "thing" });
    expect((await ask({ fields: [], k: 1 }))[0].document).toEqual({});
  });

  test("GET with q is the same search", async () => {
    const filter = encodeURIComponent('{"kind":"thing"}');
    const { status, body } = await server.send(
      "GET",
      `${THINGS}/search?query=water&k=1&filter=${filter}&highlight=true`,
    );
    expect(status).toBe(200);
    expect(body.hits).toHaveLength(1);
    const { text } = body.hits[0].document;
    expect(body.hits[0].highlights.text.map(([from, to]: number[]) => text.slice(from, to))).toEqual([
      "water",
    ]);
    const plan = encodeURIComponent('{"kind":"pruned","theta":1}');
    const pruned = await server.send("GET", `${THINGS}/search?query=water&plan=${plan}&fields=["kind"]`);
    expect(pruned.body.stats.plan).toBe("pruned");
    expect(pruned.body.hits[0].document).toEqual({ kind: "thing" });
    const quoted = await server.send("GET", `${THINGS}/search?query=water&plan="exact"&sort="year"`);
    const short = await server.send("GET", `${THINGS}/search?query=water&plan=exact&sort=year`);
    expect(quoted.body.hits).toEqual(short.body.hits);
    const long = { query: "water", plan: { kind: "exact" }, sort: { field: "year" } };
    expect(short.body).toMatchObject({ stats: { plan: "exact", exact: true } });
    for (const body of [long, { ...long, plan: "exact", sort: "year" }]) {
      const { hits } = (await server.send("POST", `${THINGS}/search`, body)).body;
      expect(short.body.hits).toEqual(hits);
    }
    expect((await server.send("GET", `${THINGS}/search?query=water&plan=exakt`)).status).toBe(400);
    expect((await server.send("GET", `${THINGS}/search?query=water&filter=%7B`)).status).toBe(400);
  });

  test("a refusal names what is missing, or what is not known", async () => {
    const refusal = async (path: string, body?: object) =>
      (await server.send(body ? "POST" : "GET", `${THINGS}/${path}`, body)).body.error;
    expect(await refusal("search")).toMatchObject({ code: "invalid", message: "query.query: is missing" });
    expect((await refusal("search?query=x&theta=1")).message).toBe('query: there is no parameter "theta"');
    expect((await refusal("search", {})).message).toMatch(/^body.query: expected a text, or an object/);
    expect((await refusal("search-all", {})).message).toBe("body.queries: is missing");
    expect((await refusal("explain", { query: "x" })).message).toBe("body.id: is missing");
    const said = async (body: unknown) => (await refusal("search", body as object)).message;
    expect(await said([])).toBe("body: must be an object, not a list");
    expect(await said({ query: "x", k: "5" })).toBe('body.k: must be a number, not "5"');
    expect(await said({ query: "x", k: -1 })).toBe("body.k: must be at least 0, not -1");
    expect(await said({ query: "x", total: 1 })).toBe("body.total: must be true or false, not 1");
    expect(await said({ query: "x", match: "some" })).toBe(
      'body.match: must be one of "any", "all", not "some"',
    );
    expect(await said({ query: "x", groupBy: "" })).toBe("body.groupBy: must not be empty");
    const none = await server.send("DELETE", `${THINGS}/documents`, { ids: [] });
    expect(none.body.error.message).toBe("body.ids: must not be empty");
    const plan = { kind: "pruned" };
    expect((await refusal("search", { query: "x", plan })).message).toMatch(/either theta or mass$/);
  });

  const UNKNOWN: readonly [string, object | undefined, string, string][] = [
    ["search", { query: "x", limit: 3 }, 'body: there is no field "limit"', 'did you mean "k"?'],
    ["search", { qery: "x" }, 'body: there is no field "qery"', 'did you mean "query"?'],
    ["search", { query: { txt: "x" } }, 'body.query: there is no field "txt"', 'did you mean "text"?'],
    [
      "search",
      { query: "x", plan: { kind: "pruned", teta: 1 } },
      'body.plan: there is no field "teta"',
      'did you mean "theta"?',
    ],
    [
      "search",
      { query: "x", facets: [{ field: "year", rnges: [] }] },
      'body.facets.0: there is no field "rnges"',
      'did you mean "ranges"?',
    ],
    ["search?query=x&limit=3", undefined, 'query: there is no parameter "limit"', 'did you mean "k"?'],
    [
      'search?query=x&typos={"edit":1}',
      undefined,
      'typos has no option "edit"',
      "there are maxEdits, oneEditFrom, twoEditsFrom",
    ],
    ["list", { k: 3 }, 'body: there is no field "k"', 'did you mean "limit"?'],
    ["list?k=3", undefined, 'query: there is no parameter "k"', 'did you mean "limit"?'],
    ["suggest", { text: "x", limit: 3 }, 'body: there is no field "limit"', 'did you mean "k"?'],
  ];
  test.each([
    ["query=%ff", "the URL has %ff, which is not UTF-8", "escape the bytes"],
    ["query=%C3%A9t%E9", "the URL has %E9, which is not UTF-8", "é is %C3%A9"],
    ["query=x&query=y", "query: query is given 2 times", "give it once"],
    ["query=x&facets=year", "facets: not valid JSON", 'write JSON, such as ["year"]'],
  ])("a search with %s is refused with a hint", async (parameters, message, hint) => {
    const { status, body } = await server.send("GET", `${THINGS}/search?${parameters}`);
    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
    expect(body.error.hint).toContain(hint);
  });

  test("an id in a path that is not UTF-8 is refused, and is not the id of its letters", async () => {
    for (const method of ["GET", "DELETE"]) {
      const { status, body } = await server.send(method, `${THINGS}/documents/%ff`);
      expect([status, body.error.message]).toEqual([400, "the URL has %ff, which is not UTF-8"]);
    }
    expect((await server.send("GET", `${THINGS}/documents/%25ff`)).status).toBe(404);
  });

  test.each(UNKNOWN)("%s %o says which name was meant", async (path, body, message, hint) => {
    const answer = await server.send(body ? "POST" : "GET", `${THINGS}/${path}`, body);
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: "invalid", message, hint }]);
  });

  test.each([
    { text: "x", must: "y" },
    { text: "x", must: Array.from({ length: 65 }, (_, i) => `${i}`) },
    { text: "x", mustNot: [{ phrase: "y", slop: -1 }] },
    { text: "x", prefer: ["y", 5] },
    { text: 5 },
    { weights: { canal: "much" } },
  ])("a part of a query that is wrong is named, in words of the library: %j", async (query) => {
    const ofLibrary = await Sluice.build([{ id: "a", text: "a" }], { encoder: "none" });
    const error = await ofLibrary.search(query as never).catch((caught) => caught);
    const answer = await server.send("POST", `${THINGS}/search`, { query });
    expect([answer.status, answer.body.error]).toMatchObject([
      400,
      { code: "invalid", message: error.problem },
    ]);
    const all = await server.send("POST", `${THINGS}/search-all`, { queries: ["x", query] });
    expect(all.body.error.message).toBe(`queries[1]: ${error.problem}`);
    await ofLibrary.close();
  });

  test.each([
    { boosts: [{ field: "votes", decay: "exp" }] },
    { boosts: [{ field: "votes", decay: "expo", scale: 1 }] },
    { boosts: [{ field: "votes", decay: "exp", scale: "1d", log: true }] },
    { boosts: [{ fild: "votes" }] },
    { boosts: 5 },
    { synonyms: [["a", 5]] },
    { synonyms: ["a", "b"] },
    { synonyms: [{ from: ["a"], too: ["b"] }] },
    { typos: { maxEdits: 9 } },
    { typos: 2 },
  ])("a wrong value of %o is refused with the words of the library", async (options) => {
    const ofLibrary = await Sluice.build([{ id: "a", text: "a" }], { encoder: "none" });
    const error = await ofLibrary.search("x", options as never).catch((caught) => caught);
    const [[name, value]] = Object.entries(options);
    for (const answer of [
      await server.send("POST", `${THINGS}/search`, { query: "x", ...options }),
      await server.send("GET", `${THINGS}/search?query=x&${name}=${JSON.stringify(value)}`),
    ]) {
      const { message, hint } = answer.body.error;
      expect([answer.status, message, hint]).toEqual([400, error.problem, error.hint]);
    }
    await ofLibrary.close();
  });

  test("what is not a plan is told what one is", async () => {
    for (const plan of ["fast", "pruned", 3, { kind: "fast" }]) {
      const { status, body } = await server.send("POST", `${THINGS}/search`, { query: "x", plan });
      expect([status, body.error.message]).toEqual([
        400,
        'body.plan: expected "auto", "exact", "inner-product", "quantized", or an object such as { "kind": "pruned", "theta": 0.3 }',
      ]);
    }
    const named = await server.send("POST", `${THINGS}/search`, { query: "gate", plan: "inner-product" });
    expect(named.body.stats.plan).toBe("inner-product");
  });

  test("highlights mark words in title and text, in any form", async () => {
    const { body } = await server.send("POST", `${THINGS}/search`, {
      query: "controlling sluices",
      highlight: true,
    });
    const [{ document, highlights }] = body.hits;
    const marked = (field: "title" | "text") =>
      highlights[field].map(([from, to]: number[]) => document[field].slice(from, to));
    expect(marked("title")).toEqual(["Sluice"]);
    expect(marked("text")).toEqual(["controls"]);
  });

  test("many queries at once return what each returns alone", async () => {
    const queries = [
      "water",
      "school",
      { weights: { gate: 2 } },
      ...Array.from({ length: 20 }, () => "boats"),
    ];
    const { status, body } = await server.send("POST", `${THINGS}/search-all`, { queries, k: 1 });
    expect(status).toBe(200);
    for (const [i, query] of queries.entries()) {
      const alone = await server.send("POST", `${THINGS}/search`, { query, k: 1 });
      expect(body.answers[i].hits).toEqual(alone.body.hits);
    }
  });

  test("an explanation adds up", async () => {
    const { status, body } = await server.send("POST", `${THINGS}/explain`, {
      query: "gate of water",
      id: "3",
      highlight: true,
    });
    expect(status).toBe(200);
    const sum = body.matched.reduce(
      (sum: number, { contribution }: { contribution: number }) => sum + contribution,
      0,
    );
    expect(body.score).toBeCloseTo(sum, 10);
    expect(body.highlights.text).toHaveLength(2);
    const missing = await server.send("POST", `${THINGS}/explain`, { query: "gate", id: "none" });
    expect([missing.status, missing.body.error.code]).toEqual([404, "no_document"]);
  });

  test("the terms of a query, and which of them a plan uses", async () => {
    const ask = async (plan?: object) =>
      (
        await server.send("POST", `${THINGS}/explain-query`, {
          query: "gate of water, zebra",
          ...(plan && { plan }),
        })
      ).body;
    const whole = await ask();
    expect(whole.terms.map(({ term, fate, selected }: never) => [term, fate, selected])).toEqual([
      ["gate", "kept", true],
      ["water", "kept", true],
      ["zebra", "unknown", false],
    ]);
    const [gate, water] = whole.terms;
    const between = (gate.weight + water.weight) / 2;
    const pruned = await ask({ kind: "pruned", theta: between });
    expect(pruned.terms.map(({ selected }: { selected: boolean }) => selected)).toEqual([true, false, false]);
    expect(pruned.lexicalDims).toEqual({ selected: 1, of: 2 });
    expect(typeof gate.slice).toBe("number");
  });

  test("indexes, one index, one document", async () => {
    expect((await server.send("GET", "/v1/indexes")).body.indexes).toMatchObject([
      { name: "things", docs: 3 },
    ]);
    const { body } = await server.send("GET", THINGS);
    expect(body).toMatchObject({ docs: 3, analyzer: "universal", writable: true, kernel: { name: "wasm" } });
    const { id, ...fields } = DOCUMENTS[0];
    expect((await server.send("GET", `${THINGS}/documents/1`)).body).toEqual({ id, document: fields });
    expect((await server.send("GET", `${THINGS}/documents/none`)).status).toBe(404);
    expect((await server.send("GET", "/v1/indexes/other")).status).toBe(404);
  });

  test("health, readiness, metrics, docs; a wrong method and a wrong address", async () => {
    expect((await server.send("GET", "/health")).body).toEqual({ status: "ok" });
    expect((await server.send("GET", "/ready")).body).toEqual({
      status: "ready",
      indexes: { things: { ready: true } },
    });
    const { body: metrics } = await server.send("GET", "/metrics");
    expect(metrics).toMatch(
      /^sluice_http_requests_total\{method="POST",route="[^"]*search",status="200"\} \d+$/m,
    );
    expect(metrics).toMatch(/^sluice_index_documents\{index="things"\} 3$/m);
    for (const line of metrics.trim().split("\n")) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
    }
    for (const accept of ["*/*", "text/html"]) {
      const docs = await server.send("GET", "/docs", undefined, { accept });
      expect(docs.headers.get("content-type")).toMatch("text/plain");
      expect(docs.body).toContain("/openapi.json describes");
      expect(docs.body).toMatch(/^POST \/v1\/indexes\/\{name\}\/search +Find the documents/m);
    }
    const wrong = await server.send("PUT", `${THINGS}/search`);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST, GET"]);
    expect((await server.send("GET", "/nothing")).status).toBe(404);
  });
});

describe("changes", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await started();
  });
  afterAll(() => server.end());
  const documents = `${THINGS}/documents`;
  const there = async (id: string) =>
    (await server.send("GET", `${documents}/${encodeURIComponent(id)}`)).status === 200;

  test("added, replaced and deleted documents are visible at once", async () => {
    const added = await server.send("POST", documents, { documents: [{ id: "a/b ü", text: "a zebra" }] });
    expect(added.body).toMatchObject({ added: 1, committed: true, docs: 4 });
    const again = await server.send("POST", documents, { documents: [{ id: "a/b ü", text: "two zebras" }] });
    expect([again.status, again.body.error.code]).toEqual([409, "duplicate_id"]);
    const put = await server.send("PUT", documents, { documents: [{ id: "a/b ü", text: "an okapi" }] });
    expect(put.body).toMatchObject({ added: 1, replaced: 1, docs: 4 });
    expect(added.body).not.toHaveProperty("replaced");
    const { body } = await server.send("POST", `${THINGS}/search`, { query: "okapi zebra" });
    expect(body.hits.map(({ document }: { document: object }) => document)).toEqual([{ text: "an okapi" }]);
    const one = await server.send("DELETE", `${documents}/${encodeURIComponent("a/b ü")}`);
    expect(one.body).toMatchObject({ deleted: 1, committed: true, docs: 3 });
    const many = await server.send("DELETE", documents, { ids: ["a/b ü", "never"] });
    expect(many.body).toMatchObject({ deleted: 0, docs: 3 });
  });

  test("documents that were replaced are counted: older ones, older passages, and the first of two with one id", async () => {
    const put = async (of: object[], query = "") =>
      (await server.send("PUT", `${documents}${query}`, { documents: of })).body;
    const twice = [
      { id: "dd", text: "an okapi" },
      { id: "dd", text: "a zebra" },
    ];
    expect(await put(twice)).toMatchObject({ added: 2, replaced: 1, docs: 4 });
    const long = { id: "dd", text: "# One\n\nokapi\n\n# Two\n\nzebra" };
    expect(await put([long], "?passages=true")).toMatchObject({ added: 2, replaced: 1, docs: 5 });
    expect(await put([{ id: "dd", text: "short" }])).toMatchObject({ added: 1, replaced: 2, docs: 4 });
    const open = await put([{ id: "dd", text: "open" }], "?commit=false");
    expect(open).toMatchObject({ committed: false, added: 1, replaced: 1 });
    const within = await put([{ id: "dd", text: "again" }], `?commit=false&transaction=${open.transaction}`);
    expect(within).toMatchObject({ committed: false, added: 1, replaced: 1 });
    const rolledBack = await server.send("POST", `${THINGS}/rollback?transaction=${open.transaction}`);
    expect(rolledBack.body).toMatchObject({ committed: false, docs: 4 });
    await server.send("DELETE", documents, { ids: ["dd"] });
  });

  test("a document that was cut is read and deleted by its own id, as its passages", async () => {
    const long = { id: "a/b", text: "# One\n\nokapi\n\n# Two\n\nzebra\n\n# Three\n\ngnu" };
    await server.send("PUT", `${documents}?passages=true`, { documents: [long] });
    const path = `${documents}/${encodeURIComponent("a/b")}`;
    expect((await server.send("GET", path)).status).toBe(404);
    const { body } = await server.send("GET", `${path}/passages`);
    expect(body.id).toBe("a/b");
    expect(body.passages.map(({ id }: { id: string }) => id)).toEqual(["a/b#1", "a/b#2", "a/b#3"]);
    expect(body.passages[1].document.text).toBe("zebra");
    await server.send("PUT", documents, { documents: [{ id: "a/b#2", ...body.passages[1].document }] });
    expect((await server.send("GET", `${path}/passages`)).body.passages).toEqual(body.passages);
    const whole = await server.send("GET", `${documents}/1/passages`);
    expect(whole.body.passages).toEqual([(await server.send("GET", `${documents}/1`)).body]);
    expect((await server.send("GET", `${documents}/never/passages`)).status).toBe(404);
    expect((await server.send("DELETE", path)).body).toMatchObject({ deleted: 0 });
    expect((await server.send("DELETE", `${path}/passages`)).body).toMatchObject({
      deleted: 3,
      docs: 3,
    });
  });

  test("lines, plain and gzip", async () => {
    const many = Array.from({ length: 2500 }, (_, i) => ({ id: `line ${i}`, text: `word${i} and okapi` }));
    const plain = await server.raw("POST", documents, lines(many.slice(0, 1200)), LINES);
    expect(plain.body).toMatchObject({ added: 1200, docs: 1203 });
    const packed = gzipSync(`${lines(many.slice(1200))}\n\n`);
    const zipped = await server.raw("POST", documents, packed, { ...LINES, "content-encoding": "gzip" });
    expect(zipped.body).toMatchObject({ added: 1300, docs: 2503 });
    const { body } = await server.send("DELETE", documents, { ids: many.map(({ id }) => id) });
    expect(body).toMatchObject({ deleted: 2500, docs: 3 });
  });

  test("a bad line in the middle: the whole stream is rolled back, and the answer names the line", async () => {
    const good = (id: string) => JSON.stringify({ id, text: "an okapi" });
    const cases: [string, number, RegExp][] = [
      ["{not json", 400, /^line 2: not valid JSON/],
      ['{"text": "no id"}', 400, /^line 2\.id/],
      ['{"id": "y", "text": 5}', 400, /^line 2\.text/],
      ['{"id": "y", "vector": [1, 2]}', 400, /a vector with 2 dims/],
      [good("x1"), 409, /"x1" comes twice/],
      [good("1"), 409, /"1" is in the index already/],
    ];
    for (const [bad, status, message] of cases) {
      const { body, ...reply } = await server.raw(
        "POST",
        documents,
        `${good("x1")}\n${bad}\n${good("x3")}\n`,
        LINES,
      );
      expect([reply.status, body.error.message]).toEqual([status, expect.stringMatching(message)]);
      expect(await there("x1")).toBe(false);
      expect((await server.send("GET", THINGS)).body.docs).toBe(3);
    }
    const retry = await server.raw("POST", documents, `${good("x1")}\n${good("x3")}\n`, LINES);
    expect(retry.body).toMatchObject({ added: 2, docs: 5 });
    await server.send("DELETE", documents, { ids: ["x1", "x3"] });
  });

  test("a transaction is invisible until its commit, others are refused, and an error or a rollback ends it", async () => {
    const first = await server.send("POST", `${documents}?commit=false`, {
      documents: [{ id: "t1", text: "x" }],
    });
    expect(first.body).toMatchObject({ added: 1, committed: false, docs: 3 });
    const { transaction } = first.body;
    expect(await there("t1")).toBe(false);
    const stranger = await server.send("POST", documents, { documents: [{ id: "s", text: "x" }] });
    expect([stranger.status, stranger.body.error.code]).toEqual([409, "transaction_open"]);
    const joined = `${documents}?commit=false&transaction=${transaction}`;
    expect((await server.send("PUT", joined, { documents: [{ id: "t2", text: "x" }] })).status).toBe(200);
    const committed = await server.send("POST", `${THINGS}/commit?transaction=${transaction}`);
    expect(committed.body).toMatchObject({ committed: true, docs: 5 });
    expect((await server.send("POST", `${THINGS}/commit?transaction=${transaction}`)).status).toBe(409);

    const second = (await server.send("DELETE", `${documents}?commit=false`, { ids: ["t1", "t2"] })).body
      .transaction;
    const failed = await server.send("POST", `${documents}?transaction=${second}`, {
      documents: [{ id: "1", text: "there" }],
    });
    expect(failed.status).toBe(409);
    expect(await there("t1")).toBe(true);
    expect((await server.send("POST", `${THINGS}/commit?transaction=${second}`)).body.error.code).toBe(
      "no_transaction",
    );

    const third = (await server.send("DELETE", `${documents}?commit=false`, { ids: ["t1"] })).body
      .transaction;
    expect((await server.send("POST", `${THINGS}/rollback?transaction=${third}`)).body.committed).toBe(false);
    expect(await there("t1")).toBe(true);
    expect((await server.send("DELETE", documents, { ids: ["t1", "t2"] })).body).toMatchObject({
      deleted: 2,
      docs: 3,
    });
  });

  test("optimizing merges all segments, and waits for an open transaction to end", async () => {
    await server.send("POST", documents, { documents: [{ id: "o1", text: "okapi" }] });
    expect((await server.send("GET", THINGS)).body.segments.length).toBeGreaterThan(1);
    const begun = await server.send("DELETE", `${documents}?commit=false`, { ids: ["o1"] });
    const refused = await server.send("POST", `${THINGS}/optimize`);
    expect([refused.status, refused.body.error.code]).toEqual([409, "transaction_open"]);
    await server.send("POST", `${THINGS}/commit?transaction=${begun.body.transaction}`);
    const accept = { accept: "text/event-stream" };
    const events = eventsOf((await server.raw("POST", `${THINGS}/optimize`, undefined, accept)).body);
    expect(events.at(-1)).toMatchObject({ name: "done", data: { committed: true, docs: 3 } });
    expect((await server.send("GET", THINGS)).body.segments).toHaveLength(1);
  });

  test("progress as events, then what was done", async () => {
    const many = Array.from({ length: 2100 }, (_, i) => ({ id: `event ${i}`, text: `okapi ${i}` }));
    const accept = { accept: "text/event-stream" };
    const { headers, body } = await server.raw("POST", documents, lines(many), { ...LINES, ...accept });
    expect(headers.get("content-type")).toMatch("text/event-stream");
    const events = eventsOf(body);
    expect(events.at(-1)).toMatchObject({ name: "done", data: { added: 2100, committed: true, docs: 2103 } });
    const read = events.filter(({ data }) => data.task === "reading").map(({ data }) => data.done);
    expect(read).toEqual([1000, 2000, 2100]);
    expect(events.some(({ data }) => data.task === "densifying" && data.total === 2100)).toBe(true);

    const failed = await server.raw("POST", documents, lines(many.slice(0, 3)), { ...LINES, ...accept });
    expect(eventsOf(failed.body)).toEqual([
      { name: "error", data: { error: expect.objectContaining({ code: "duplicate_id" }) } },
    ]);
    await server.send("DELETE", documents, { ids: many.map(({ id }) => id) });
  });

  test("concurrent changes are all made", async () => {
    const ids = Array.from({ length: 30 }, (_, i) => `at once ${i}`);
    const replies = await Promise.all(
      ids.map((id) => server.send("POST", documents, { documents: [{ id, text: "okapi" }] })),
    );
    expect(replies.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect((await server.send("POST", `${THINGS}/search`, { query: "okapi", k: 50 })).body.hits).toHaveLength(
      30,
    );
    await server.send("DELETE", documents, { ids });
  });
});

test("an abandoned transaction is rolled back", async () => {
  const server = await started({ limits: { transactionMs: 30 } });
  const { body } = await server.send("DELETE", `${THINGS}/documents?commit=false`, { ids: ["1"] });
  const other = async () => (await server.send("DELETE", `${THINGS}/documents/none`)).status;
  await expect.poll(other).toBe(200);
  expect((await server.send("POST", `${THINGS}/commit?transaction=${body.transaction}`)).status).toBe(409);
  expect((await server.send("GET", THINGS)).body.docs).toBe(3);
  await server.end();
});

test("commits of another process become visible", async () => {
  const reading = await started({ refreshMs: 20 }, []);
  const writer = await Sluice.open(`${reading.folder}/index`, { encoder: "none" });
  await writer.add(DOCUMENTS);
  await writer.commit();
  await expect.poll(async () => (await reading.send("GET", THINGS)).body.docs).toBe(3);
  const refused = await reading.send("DELETE", `${THINGS}/documents`, { ids: ["1"] });
  expect([refused.status, refused.body.error.code]).toEqual([503, "unavailable"]);
  expect(JSON.stringify(refused.body)).not.toContain(reading.folder);
  await writer.close();
  expect((await reading.send("DELETE", `${THINGS}/documents`, { ids: ["1"] })).body.deleted).toBe(1);
  await reading.end();
});

test("a server whose index was closed is not ready", async () => {
  const server = await started();
  await server.index.close();
  expect((await server.send("GET", "/ready")).status).toBe(503);
  expect((await server.send("GET", "/health")).status).toBe(200);
  expect((await server.send("GET", "/metrics")).status).toBe(200);
  const failed = await server.send("POST", `${THINGS}/search`, { query: "gate" });
  expect([failed.status, failed.body.error.code]).toEqual([503, "unavailable"]);
  await server.end();
});

test("a server is not ready when files of an index are missing, truncated or replaced", async () => {
  const segments = (folder: string) => join(folder, "index", "segments");
  const file = (folder: string) => join(segments(folder), readdirSync(segments(folder))[0]);
  const harms: [string, (folder: string) => void][] = [
    ["the folder is gone", (folder) => rmSync(join(folder, "index"), { recursive: true })],
    ["a segment is gone", (folder) => rmSync(file(folder))],
    ["a segment is cut short", (folder) => truncateSync(file(folder), 100)],
    ["a segment is another file", (folder) => writeFileSync(file(folder), Buffer.alloc(4096, 7))],
    ["the database is gone", (folder) => rmSync(join(folder, "index", "index.mdb"))],
  ];
  for (const [what, harm] of harms) {
    const server = await started({ refreshMs: 0 });
    expect(await server.send("GET", "/ready")).toMatchObject({
      status: 200,
      body: { status: "ready", indexes: { things: { ready: true } } },
    });
    harm(server.folder);
    const { status, body } = await server.send("GET", "/ready");
    expect([what, status, body]).toEqual([
      what,
      503,
      { status: "unavailable", indexes: { things: { ready: false } } },
    ]);
    expect((await server.send("GET", "/health")).status).toBe(200);
    expect((await server.send("GET", "/metrics")).status).toBe(200);
    await server.end();
  }
});

test("a server is not ready after a search met damage", async () => {
  const server = await started({ refreshMs: 0 });
  const search = () => server.send("POST", `${THINGS}/search`, { query: "gate" });
  const damage = new SluiceError("a block has another checksum", undefined, "ERR_SLUICE_DAMAGED");
  const harmed = vi.spyOn(server.index, "searchAll").mockRejectedValueOnce(damage);
  expect((await search()).status).toBe(503);
  expect(harmed).toHaveBeenCalledOnce();
  expect((await search()).status).toBe(200);
  expect(await server.send("GET", "/ready")).toMatchObject({
    status: 503,
    body: { status: "unavailable", indexes: { things: { ready: false } } },
  });
  // A damaged file of a client is not damage of the index.
  const other = await started();
  const file = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(40, 7)]);
  const upload = await other.raw("POST", `${THINGS}/upload?file=a.jsonl.gz`, file, {
    "content-type": "application/octet-stream",
  });
  expect(upload.status).toBeGreaterThanOrEqual(400);
  expect((await other.send("GET", "/ready")).status).toBe(200);
  await server.end();
  await other.end();
});

test("a server is ready while a change is being made", async () => {
  const server = await started();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":"held","text":"x"}\n'));
      await held;
      controller.close();
    },
  });
  const change = server.raw("POST", `${THINGS}/documents`, body, LINES);
  await expect
    .poll(async () => (await server.send("GET", "/metrics")).body)
    .toMatch(/^sluice_http_in_flight 1$/m);
  expect((await server.send("GET", "/ready")).status).toBe(200);
  release();
  expect((await change).status).toBe(200);
  expect((await server.send("GET", "/ready")).status).toBe(200);
  await server.end();
});

test("an index in memory is served and changed; the handler needs no socket", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  const { fetch, close } = createServer({ memory: index }, { page: false });
  const ask = (path: string, init?: RequestInit) => fetch(new Request(`http://any.example${path}`, init));
  const found = await ask("/v1/indexes/memory/search?query=gate");
  expect(((await found.json()) as { hits: { id: string }[] }).hits.map(({ id }) => id)).toEqual(["3"]);
  expect((await ask("/v1/indexes/memory/documents/3", { method: "DELETE" })).status).toBe(200);
  const after = await ask("/v1/indexes/memory/search?query=gate");
  expect(((await after.json()) as { hits: object[] }).hits).toEqual([]);
  await close();
  expect((await ask("/v1/indexes/memory/search?query=gate")).status).toBe(503);
  await index.close();
});
