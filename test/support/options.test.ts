// Every mistake in an argument must give one clear error: a SluiceError with a code, never a TypeError of ours, and never
// silence.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/reader.ts";
import { openInWorker } from "../../src/browser/worker.ts";
import { Sluice } from "../../src/sluice.ts";
import { SluiceError } from "../../src/support/errors/sluice-error.ts";
import { folderFetch } from "../browser/folder-fetch.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-options-"));
let folders = 0;
const fresh = () => join(root, String(folders++));

const DOCUMENTS = [
  { id: "gate", text: "a gate that controls the flow of water", vector: [1, 0] },
  { id: "lock", text: "a lock lifts boats", vector: [0, 1] },
];
const CYCLE: Record<string, unknown> = { id: "a", text: "water" };
CYCLE.self = CYCLE;

let index: Sluice;
let live: Sluice;
let reader: SluiceReader;
beforeAll(async () => {
  index = await Sluice.build(DOCUMENTS);
  live = await Sluice.open(fresh());
  const folder = fresh();
  await index.exportWeb(folder);
  reader = await SluiceReader.open("https://example.org/some/index", {
    fetch: folderFetch(folder, "/some/index/"),
  });
});
afterAll(async () => {
  await reader.close();
  await live.close();
  rmSync(root, { recursive: true, force: true });
});

/** The message that a call is refused with. */
async function refusal(call: () => unknown): Promise<string> {
  const error = await (async () => call())().then(
    () => new Error("it was not refused"),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(SluiceError);
  const { message, problem, hint, code } = error as SluiceError;
  expect(code).toBe("ERR_SLUICE_INVALID");
  expect(message).toBe(hint === undefined ? problem : `${problem}; ${hint}`);
  return message;
}

// What a caller without types may pass.
// biome-ignore lint/suspicious/noExplicitAny: that is what this is about
type Anything = any;

const QUERIES: [Anything, string][] = [
  [
    5,
    "a query must be a text, or an object with text, must, mustNot, prefer, weights, termFactors, vector, row or like, not 5",
  ],
  [
    null,
    "a query must be a text, or an object with text, must, mustNot, prefer, weights, termFactors, vector, row or like, not null",
  ],
  [undefined, "not undefined"],
  [["gate"], "not a list"],
  [{}, "not an object without any of them"],
  [{ text: undefined }, "not an object without any of them"],
  [{ mustNot: ["x"] }, "the query has mustNot, and nothing that documents are found by; give it text, must"],
  [{ prefer: ["x"], mustNot: ["y"] }, "the query has prefer and mustNot, and nothing"],
  [{ query: "x" }, 'a query has nothing called "query"; did you mean "text"?'],
  [{ text: "x", vectr: [1, 0] }, 'a query has nothing called "vectr"; did you mean "vector"?'],
  [{ text: 5 }, "the query's text must be a text, not 5"],
  [{ vector: 5 }, "the query's vector is 5, expected a list of numbers"],
  [{ vector: "10" }, 'the query\'s vector is "10"'],
  [{ vector: [1] }, "the query's vector has 1 dims, the index has 2"],
  [{ vector: [1, Number.NaN] }, "the query's vector: entry 1 is NaN"],
  [{ vector: ["a", "b"] }, 'the query\'s vector: entry 0 is "a"'],
  [{ vector: [1n, 2n] }, "the query's vector: entry 0 is 1n"],
  [{ weights: 5, vector: [1, 0] }, "the query's weights must be a Map or an object"],
  [{ weights: ["gate"], vector: [1, 0] }, "not a list"],
  [{ weights: { gate: "x" }, vector: [1, 0] }, 'the weight of "gate" is x'],
  [{ weights: new Map([["gate", Number.NaN]]), vector: [1, 0] }, 'the weight of "gate" is NaN'],
  [{ row: 5 }, "the query's row must be an object with slices, indices and values"],
  [{ text: "x", slicingSettings: {} }, "the query has slicingSettings, and no row"],
];

const SEARCH_OPTIONS: [Anything, string][] = [
  [null, "takes an object of options, not null"],
  [10, "takes an object of options, not 10"],
  [{ limit: 2 }, 'has no option "limit"; did you mean "k"?'],
  [{ ofset: 2 }, 'has no option "ofset"; did you mean "offset"?'],
  [{ minscore: 2 }, 'has no option "minscore"; did you mean "minScore"?'],
  [{ rainbow: 2 }, 'has no option "rainbow"; there are k, offset, plan'],
  [{ k: 2 ** 53 }, "k must be a whole number from 0 to 4,294,967,295, not 9007199254740992"],
  [{ k: 2 ** 40 }, "k must be a whole number from 0 to 4,294,967,295"],
  [{ k: -1 }, "k must be"],
  [{ k: null }, "k must be a whole number from 0 to 4,294,967,295, not null"],
  [{ k: "5" }, 'not "5"'],
  [{ k: 5n }, "not 5n"],
  [{ offset: 2 ** 40 }, "offset must be a whole number from 0 to 4,294,967,295"],
  [{ offset: -1 }, "offset must be"],
  [{ minScore: "1" }, 'minScore must be a number, not "1"'],
  [{ minScore: Number.NaN }, "minScore must be a number, not NaN"],
  [{ lambda: "1" }, 'lambda must be a number from 0 to 1000000, not "1"'],
  [{ lambda: null }, "lambda must be a number from 0 to 1000000, not null"],
  [{ lambda: -1 }, "lambda must be"],
  [
    { plan: null },
    'plan must be "auto", "exact", "inner-product", "quantized", or an object such as { "kind": "pruned", "theta": 0.3 }, not null',
  ],
  [{ plan: "pruned" }, 'plan must be "auto", "exact", "inner-product", "quantized", or an object'],
  [{ plan: {} }, "there is no plan undefined"],
  [{ plan: { kind: "toString" } }, 'there is no plan "toString"'],
  [{ plan: { kind: ["pruned"], theta: 0.3 } }, "there is no plan a list"],
  [{ plan: { kind: "exact", theta: 0.3 } }, 'the plan "exact" has no option "theta"'],
  [{ plan: { kind: "pruned", teta: 0.3 } }, 'did you mean "theta"?'],
  [{ plan: { kind: "pruned", theta: "1" } }, "plan.theta must be"],
  [{ plan: { kind: "inner-product", candidates: 2 ** 53 } }, "plan.candidates must be"],
  [{ plan: { kind: "inner-product", rescore: 1 } }, "plan.rescore must be true or false, not 1"],
  [{ filter: null }, "filter must be an object of fields, not null"],
  [{ filter: [] }, "filter must be an object of fields, not a list"],
  [{ exclude: 5 }, "exclude must be a list of ids, not 5"],
  [{ exclude: "gate" }, 'exclude must be a list of ids, not "gate"'],
  [{ signal: 5 }, "signal must be the signal of an AbortController, not 5"],
  [{ signal: new AbortController() }, "signal must be the signal of an AbortController, not an object"],
];

describe("a search refuses", () => {
  test.each(QUERIES.map(([query, message]) => ({ query, message })))(
    "a query: $message",
    async ({ query, message }) => {
      for (const searched of [index, reader]) {
        expect(await refusal(() => searched.search(query))).toContain(message);
        expect(await refusal(() => searched.searchAll(["gate", query], { lambda: 0 }))).toContain(message);
        expect(await refusal(() => searched.explain(query, "gate"))).toContain(message);
      }
    },
  );

  test.each(SEARCH_OPTIONS.map(([options, message]) => ({ options, message })))(
    "$message",
    async ({ options, message }) => {
      for (const searched of [index, reader]) {
        expect(await refusal(() => searched.search({ vector: [1, 0] }, options))).toContain(message);
        expect(await refusal(() => searched.searchAll([{ vector: [1, 0] }], options))).toContain(message);
      }
    },
  );

  test("what is left out by undefined is left out", async () => {
    const none = { k: undefined, offset: undefined, plan: undefined, filter: undefined, signal: undefined };
    const { hits } = await index.search({ text: "gate", vector: [1, 0] }, none as never);
    expect(hits.map(({ id }) => id)).toEqual(["gate", "lock"]);
  });

  test("no more hits are made room for than there are documents", async () => {
    const { hits } = await index.search({ vector: [1, 0] }, { k: 4_000_000_000, offset: 1 });
    expect(hits.map(({ id }) => id)).toEqual(["lock"]);
    expect((await index.search({ vector: [1, 0] }, { offset: 4_000_000_000 })).hits).toEqual([]);
  });
});

const BUILD_OPTIONS: [Anything, string][] = [
  [null, "takes an object of options, not null"],
  [{ limit: 2 }, 'has no option "limit"'],
  [{ analizer: "x" }, 'did you mean "analyzer"?'],
  [{ analyzer: "klingon" }, 'there is no analyzer "klingon"'],
  [{ analyzer: "german", stopWords: "der" }, "stopWords must be a list of words"],
  [{ analyzer: null }, "analyzer must be"],
  [{ dims: -1 }, "dims must be a whole number from 1 to 65,536, not -1"],
  [{ dims: 1.5 }, "dims must be"],
  [{ dims: "768" }, "dims must be"],
  [{ threads: 1000 }, "threads must be a whole number from 1 to 256, not 1000"],
  [{ threads: 0 }, "threads must be"],
  [{ lexical: "tfidf" }, 'lexical must be "bm25" or "weights"'],
  [{ vocabulary: "words" }, "vocabulary must be a list of terms"],
  [{ vocabulary: [1] }, "vocabulary[0] must be a text, not 1"],
  [{ analyzer: "german", stopWords: [5] }, "stopWords[0] must be a text, not 5"],
  [{ encoder: 5 }, "encoder must be the name of an encoder, an open one, or a pair of them, not 5"],
  [{ bm25: { k2: 1 } }, 'bm25 has no option "k2"; did you mean "k1"?'],
  [{ lambda: "1" }, 'lambda must be a number from 0 to 1000000, not "1"'],
  [{ seed: "x" }, "seed must be a whole number"],
  [{ discard: -1 }, "discard must be"],
  [{ slicingOf: {} }, "slicingOf must be the slicing of an index"],
  [{ quantize: 8 }, "quantize takes an object of options, not 8"],
  [{ quantize: { part: 64 } }, 'quantize has no option "part"; did you mean "parts"?'],
  [{ kernel: "cuda" }, 'there is no kernel "cuda"'],
  [{ gpu: { memory: 5 } }, 'gpu has no option "memory"'],
];

test.each(BUILD_OPTIONS.map(([options, message]) => ({ options, message })))(
  "building and opening refuse: $message",
  async ({ options, message }) => {
    expect(await refusal(() => Sluice.build(DOCUMENTS, options))).toContain(message);
    expect(await refusal(() => Sluice.open(fresh(), options))).toContain(message);
  },
);

test.each([{ passages: true }, { encodings: new Map() }, { signal: AbortSignal.abort() }])(
  "opening refuses an option of documents, and says where it belongs: %o",
  async (options: Anything) => {
    const [name] = Object.keys(options);
    expect(await refusal(() => Sluice.open(fresh(), options))).toContain(
      `open has no option "${name}"; give it to add, upsert or build`,
    );
  },
);

const DOCUMENT_LISTS: [string, Anything, string][] = [
  ["null", [null], "document 1 is null, expected an object with an id"],
  ["a text", ["gate"], 'document 1 is "gate", expected an object with an id'],
  ["a list", [DOCUMENTS[0], []], "document 2 is a list"],
  ["no id", [{ text: "x" }], "document 1: no id; it must be a text"],
  ["a number as an id", [{ id: 5 }], "document 1: the id is 5; it must be a text"],
  ["a lone surrogate in an id", [{ id: "a\ud800" }], 'the id "a\\ud800" is not well-formed Unicode'],
  ["a BigInt", [{ id: "a", text: "x", size: 5n }], '"a": its fields cannot be stored as JSON'],
  ["NaN", [{ id: "a", text: "null", size: Number.NaN }], 'document 1, "a": the field "size" is NaN'],
  [
    "an infinite number",
    [{ id: "a", prices: [{ net: [1, Number.NEGATIVE_INFINITY] }] }],
    'document 1, "a": the field "prices.net" is -Infinity, which JSON cannot hold',
  ],
  ["a cycle", [CYCLE], '"a": its fields cannot be stored as JSON'],
  ["a number", 5, "documents must be a list of documents, not 5"],
  ["one text", "gate", 'documents must be a list of documents, not "gate"'],
  ["one document", DOCUMENTS[0], "documents must be a list of documents, not an object"],
  ["nothing", undefined, "documents must be a list of documents, not undefined"],
];

test.each(DOCUMENT_LISTS.map(([name, documents, message]) => ({ name, documents, message })))(
  "documents are refused: $name",
  async ({ documents, message }) => {
    expect(await refusal(() => Sluice.build(documents))).toContain(message);
    expect(await refusal(() => live.add(documents))).toContain(message);
    expect(await refusal(() => live.upsert(documents))).toContain(message);
    await live.rollback();
  },
);

const NO_NUMBER: Anything = 5;
const UNKNOWN: Anything = { limit: 2 };
const CALLS: [string, () => unknown, string][] = [
  ["open(5)", () => Sluice.open(NO_NUMBER), "the location of an index must be a text, not 5"],
  ["open onProgress", () => Sluice.open(fresh(), { onProgress() {} } as never), 'no option "onProgress"'],
  [
    "open readOnly",
    () => Sluice.open(fresh(), { readOnly: "yes" } as never),
    "readOnly must be true or false",
  ],
  [
    "open maxRowBytes",
    () => Sluice.open(fresh(), { maxRowBytes: -1 }),
    "maxRowBytes must be a number of at least 0",
  ],
  ["exists", () => Sluice.exists(NO_NUMBER), "the location of an index must be a text"],
  ["verify", () => Sluice.verify(fresh(), UNKNOWN), 'verify has no option "limit"'],
  ["add", () => live.add([], UNKNOWN), 'add has no option "limit"'],
  ["upsert", () => live.upsert([], UNKNOWN), 'upsert has no option "limit"'],
  ["add encodings", () => live.add([], { encodings: 5 } as never), "encodings must be an object"],
  ["delete(5)", () => live.delete(NO_NUMBER), "ids must be a list of ids, not 5"],
  ["documents(5)", () => index.documents(NO_NUMBER), "ids must be a list of ids, not 5"],
  ["document(5)", () => index.document(NO_NUMBER), "an id must be a text, not 5"],
  ["vector(5)", () => index.vector(NO_NUMBER), "an id must be a text, not 5"],
  ["reader document(5)", () => reader.document(NO_NUMBER), "an id must be a text, not 5"],
  ["reader vector(5)", () => reader.vector(NO_NUMBER), "an id must be a text, not 5"],
  ["list", () => index.list({ k: 3 } as never), 'list has no option "k"; did you mean "limit"?'],
  ["reader list", () => reader.list({ k: 3 } as never), 'list has no option "k"; did you mean "limit"?'],
  ["commit", () => live.commit(UNKNOWN), 'commit has no option "limit"'],
  ["optimize", () => live.optimize(UNKNOWN), 'optimize has no option "limit"'],
  ["explain", () => index.explain({ vector: [1, 0] }, "gate", UNKNOWN), 'explain has no option "limit"'],
  ["explain id", () => index.explain({ vector: [1, 0] }, NO_NUMBER), "an id must be a text, not 5"],
  [
    "explainQuery",
    () => index.explainQuery({ vector: [1, 0] }, UNKNOWN),
    'explainQuery has no option "limit"',
  ],
  ["exportWeb", () => index.exportWeb(fresh(), UNKNOWN), 'exportWeb has no option "limit"'],
  ["exportWeb folder", () => index.exportWeb(NO_NUMBER), "the folder of an export must be a text"],
  ["encodeQueries", () => index.encodeQueries([], UNKNOWN), 'encodeQueries has no option "limit"'],
  [
    "searchAll of a text",
    () => index.searchAll("gate" as never),
    'queries must be a list of queries, not "gate"',
  ],
  [
    "setLambda of nothing",
    () => live.setLambda(undefined as never),
    "lambda must be a number from 0 to 1000000, not undefined",
  ],
  ["setLambda", () => live.setLambda("1" as never), 'lambda must be a number from 0 to 1000000, not "1"'],
  ["reader", () => SluiceReader.open("https://example.org", UNKNOWN), 'open has no option "limit"'],
  [
    "reader fetch",
    () => SluiceReader.open("https://example.org", { fetch: 5 } as never),
    "fetch must be a function",
  ],
  [
    "reader explain",
    () => reader.explain({ vector: [1, 0] }, "gate", UNKNOWN),
    'explain has no option "limit"',
  ],
  ["worker", () => openInWorker("https://example.org", UNKNOWN), 'openInWorker has no option "limit"'],
];

test.each(CALLS.map(([name, call, message]) => ({ name, call, message })))(
  "a call: $name",
  async ({ call, message }) => {
    expect(await refusal(call)).toContain(message);
  },
);
