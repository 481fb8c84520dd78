// A live index against a plain Map: whatever is added, replaced, deleted, committed, rolled back, merged and opened
// again, it holds what the Map holds, and finds what an index built from the Map at once finds.

import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { whitespace } from "../../src/analyze/analyzers/whitespace.ts";
import { WordPiece } from "../../src/analyze/analyzers/wordpiece.ts";
import type { Document } from "../../src/documents/document.ts";
import { revertDocument } from "../../src/lab/eval/document-rows.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { Sluice } from "../../src/sluice.ts";

const folder = () => join(mkdtempSync(join(tmpdir(), "sluice-live-")), "index");

const WORDS = ["gate", "water", "lock", "weir", "river", "boat", "flow", "canal", "sluice", "level"];

interface Doc {
  readonly text: string;
  readonly weights: Record<string, number>;
  readonly vector: number[];
  readonly year: number;
}

const doc: fc.Arbitrary<Doc> = fc
  .record({
    words: fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }),
    vector: fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 2, maxLength: 2 }),
    year: fc.integer({ min: 1900, max: 1904 }),
  })
  .map(({ words, vector, year }) => ({
    text: words.join(" "),
    weights: Object.fromEntries(words.map((word, i) => [word, 1 + (i % 3)])),
    vector,
    year,
  }));

const id = fc.integer({ min: 0, max: 11 }).map(String);

type Step =
  | { kind: "add" | "upsert"; id: string; doc: Doc }
  | { kind: "fail"; documents: { id: string; doc: Doc }[] }
  | { kind: "delete"; id: string }
  | { kind: "commit" | "rollback" | "optimize" | "reopen" | "idle" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom("add", "upsert"), id, doc }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fail"),
      documents: fc.array(fc.record({ id, doc }), { maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), id }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("commit") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("rollback", "optimize", "reopen", "idle") }) },
) as fc.Arbitrary<Step>;

/** Takes the same steps with a Map, in the order in which documents come. */
class Model {
  committed = new Map<string, Doc>();
  pending = new Map<string, Doc>();

  has(id: string): boolean {
    return this.pending.has(id);
  }

  put(id: string, doc: Doc): void {
    this.pending.delete(id);
    this.pending.set(id, doc);
  }

  commit(): void {
    this.committed = new Map(this.pending);
  }

  rollback(): void {
    this.pending = new Map(this.committed);
  }
}

async function play(options: OpenOptions, steps: readonly Step[], inMemory = false): Promise<void> {
  const path = folder();
  const { bufferBytes: _, ...same } = options;
  const weighted = options.lexical === "weights";
  const shown = ({ text, year }: Doc) => ({ text, year });
  const full = (id: string, { text, year, weights, vector }: Doc) => ({
    id,
    text,
    year,
    vector,
    ...(weighted && { weights }),
  });
  // A buffer of nothing writes every document into a segment of its own before it is committed.
  let index = inMemory
    ? await Sluice.build<Document>([], { encoder: "none", ...same })
    : await Sluice.open(path, { encoder: "none", ...options });
  const model = new Model();
  try {
    for (const step of steps) {
      if (step.kind === "add" && model.has(step.id)) {
        await expect(index.add([full(step.id, step.doc)])).rejects.toThrow(
          /comes twice|in the index already/,
        );
      } else if (step.kind === "add" || step.kind === "upsert") {
        await index[step.kind]([full(step.id, step.doc)]);
        model.put(step.id, step.doc);
      } else if (step.kind === "fail") {
        const documents = function* () {
          for (const { id, doc } of step.documents) yield full(id, doc);
          throw new RangeError("no more documents");
        };
        await expect(index.upsert(documents())).rejects.toThrow(new RangeError("no more documents"));
      } else if (step.kind === "delete") {
        expect(await index.delete([step.id])).toEqual({ deleted: model.pending.delete(step.id) ? 1 : 0 });
      } else if (step.kind === "commit") {
        await index.commit();
        model.commit();
      } else if (step.kind === "rollback") {
        await index.rollback();
        model.rollback();
      } else if (step.kind === "optimize") {
        await index.optimize();
        model.commit();
      } else if (step.kind === "reopen") {
        if (inMemory) await index.save(path);
        await index.close();
        model.rollback();
        index = await Sluice.open(path, { encoder: "none", ...options });
        inMemory = false;
      } else {
        await index.idle();
      }
      expect(await index.listIds()).toEqual([...model.committed.keys()]);
    }
    await index.commit();
    model.commit();
    await index.idle();
    await index.refresh();
    const survivors = [...model.committed].map(([id, doc]) => full(id, doc));
    expect(await index.listIds()).toEqual(survivors.map(({ id }) => id));
    for (const [id, doc] of model.committed) expect(await index.document(id)).toEqual(shown(doc));

    if (inMemory) {
      await index.save(path);
      const saved = await Sluice.open(path, { readOnly: true });
      await agree(saved, index, model);
      expect(await saved.listIds()).toEqual(await index.listIds());
      await saved.close();
    }
    const fresh = await Sluice.build(survivors, { encoder: "none", ...same, slicingOf: index.slicing });
    if (weighted) await agree(index, fresh, model);
    expect(index.info().bm25).toEqual(fresh.info().bm25);
    await index.optimize();
    await agree(index, fresh, model);
    const { docs, empty, kept, ...losses } = fresh.info().densifyCounts;
    expect(index.info().densifyCounts).toMatchObject({ docs, empty, kept, ...(!weighted && losses) });
    expect((await Sluice.verify(path)).problems).toEqual([]);
  } finally {
    await index.close();
  }
  expect((await Sluice.verify(path)).problems).toEqual([]);
}

/** The same hits with the same scores, in the same order, for a few questions, pages and filters. */
async function agree(index: Sluice, fresh: Sluice, model: Model): Promise<void> {
  const hits = async (from: Sluice, options: object = {}) => {
    const answer = await from.search(
      { text: "gate water lock lock river", vector: [1, 2] },
      { k: 20, lambda: 0.25, ...options },
    );
    return answer.hits.map(({ id, score, lexical, semantic, document }) => ({
      id,
      score,
      lexical,
      semantic,
      document,
    }));
  };
  if (model.committed.size === 0) {
    expect(index.docs).toBe(0);
    return;
  }
  const all = await hits(index);
  expect(all).toEqual(await hits(fresh));
  expect(await hits(index, { lambda: 0 })).toEqual(await hits(fresh, { lambda: 0 }));
  expect([...(await hits(index, { k: 3 })), ...(await hits(index, { k: 17, offset: 3 }))]).toEqual(all);
  const some = await hits(index, { filter: { year: { lt: 1902 } }, exclude: ["3"] });
  expect(some).toEqual(all.filter(({ id, document }) => (document.year as number) < 1902 && id !== "3"));
  for (const { id, score } of all) {
    const asked = { text: "gate water lock lock river", vector: [1, 2] };
    expect((await index.explain(asked, id, { lambda: 0.25 })).score).toBeCloseTo(score, 9);
    expect(revertDocument(index, id)).toEqual(revertDocument(fresh, id));
  }
}

describe("random changes", () => {
  test.each<[string, OpenOptions, number]>([
    ["weights, full", { lexical: "weights", dims: "full", analyzer: whitespace }, 10],
    ["weights, a segment for every document", { lexical: "weights", dims: 4, bufferBytes: 1 }, 10],
    ["weights, a segment for some documents", { lexical: "weights", dims: 4, bufferBytes: 400 }, 10],
    ["weights, hashed", { lexical: "weights", dims: 3, slicingStrategy: "hashed", analyzer: whitespace }, 8],
    ["BM25, spread", { dims: 4, analyzer: whitespace }, 10],
    ["BM25, full, a segment for every document", { dims: "full", bufferBytes: 1 }, 10],
    ["BM25, spread, a segment for some documents", { dims: 4, bufferBytes: 400 }, 10],
    [
      "BM25, word pieces by stride",
      {
        dims: 3,
        slicingStrategy: "stride",
        analyzer: new WordPiece(["[PAD]", "[UNK]", ...WORDS.slice(0, 8)]),
      },
      8,
    ],
    ["BM25, spread over a given vocabulary", { dims: 3, vocabulary: WORDS, analyzer: whitespace }, 8],
  ])("%s", async (_, options, numRuns) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) => play(options, steps)),
      { numRuns },
    );
  });

  test.each<[string, OpenOptions]>([
    ["weights, full", { lexical: "weights", dims: "full", analyzer: whitespace }],
    ["BM25, full", {}],
    ["BM25, spread", { dims: 4, analyzer: whitespace }],
  ])("in memory, then saved: %s", async (_, options) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) => play(options, steps, true)),
      { numRuns: 8 },
    );
  });

  test("many commits: few segments are left, in order, and nothing is lost", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", dims: 8 });
    const expected: string[] = [];
    for (let commit = 0; commit < 80; commit++) {
      const documents = Array.from({ length: 3 }, (_, i) => ({
        id: `${commit}-${i}`,
        text: `${WORDS[(commit + i) % 10]} w${commit}`,
      }));
      await index.add(documents);
      expected.push(...documents.map(({ id }) => id));
      if (commit % 5 === 4) {
        const [gone] = expected.splice(commit % expected.length, 1);
        await index.delete([gone]);
      }
      await index.commit();
    }
    await index.idle();
    await index.refresh();
    expect(await index.listIds()).toEqual(expected);
    expect(index.info().segments.length).toBeLessThanOrEqual(12);
    const files = readdirSync(join(path, "segments")).map((name) => name.slice(0, name.indexOf(".")));
    expect(files.sort()).toEqual(
      index
        .info()
        .segments.map(({ name }) => name)
        .sort(),
    );
    await index.close();
    expect(await Sluice.verify(path)).toMatchObject({ problems: [], docs: expected.length });
  });
});

describe("a call that fails", () => {
  const bad = { id: "bad", text: 5 as unknown as string };
  const good = (id: string) => ({ id, text: `water ${id}` });

  test("adds nothing, whatever it brought before, and says which document and where", async () => {
    const index = await Sluice.open(folder(), { encoder: "none" });
    await expect(index.add([good("a"), good("b"), bad])).rejects.toMatchObject({
      message: 'document 3, "bad": "text" is a number, expected a text',
      code: "ERR_SLUICE_INVALID",
    });
    await index.commit();
    expect(await index.listIds()).toEqual([]);
    await index.add([good("c")]);
    await expect(index.upsert([good("a"), { ...good("c"), year: 1 }, bad])).rejects.toThrow("document 3");
    await expect(index.add([good("d"), good("c")])).rejects.toMatchObject({
      message: 'document 2: the id "c" comes twice',
      code: "ERR_SLUICE_DUPLICATE_ID",
    });
    await index.commit();
    expect(await index.listIds()).toEqual(["c"]);
    expect(await index.document("c")).toEqual({ text: "water c" });
    expect((await index.search("water")).hits).toHaveLength(1);
    await index.close();
  });

  test("because its source changes the same index says so, instead of waiting for itself", async () => {
    const index = await Sluice.open(folder(), { encoder: "none" });
    const source = async function* () {
      yield good("a");
      await index.commit();
      yield good("b");
    };
    await expect(index.add(source())).rejects.toThrow("the source of documents changes the index");
    await index.add([good("c")]);
    await index.commit();
    expect(await index.listIds()).toEqual(["c"]);
    await index.close();
  });

  test("because it is aborted adds nothing, while its source waits and after its last document", async () => {
    const index = await Sluice.open(folder(), { encoder: "none" });
    const waiting = new AbortController();
    const never = async function* () {
      yield good("a");
      setImmediate(() => waiting.abort());
      await new Promise(() => {});
    };
    await expect(index.add(never(), { signal: waiting.signal })).rejects.toThrow("aborted");
    const late = new AbortController();
    const last = async function* () {
      yield good("a");
      late.abort();
    };
    await expect(index.add(last(), { signal: late.signal })).rejects.toThrow("aborted");
    await index.commit();
    expect(await index.listIds()).toEqual([]);
    await index.close();
  });

  test("whose first document brought a vector leaves the width open", async () => {
    const index = await Sluice.open(folder(), { encoder: "none" });
    await index.setLambda(0.5);
    await expect(index.add([{ ...good("a"), vector: [1, 2] }, bad])).rejects.toThrow("document 2");
    await index.add([{ ...good("a"), vector: [1, 2, 3] }]);
    await index.commit();
    expect(index.info()).toMatchObject({ semanticDims: 3, lambda: 0.5, docs: 1 });
    await index.close();
  });
});

describe("a merge in the background", () => {
  /** Eight segments: the last commit begins a merge, which waits for its turn behind what is asked next. */
  async function eight(textOf: (i: number) => string): Promise<{ path: string; index: Sluice }> {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", dims: "full", analyzer: whitespace });
    for (let i = 0; i < 8; i++) {
      await index.add([
        { id: `a${i}`, text: textOf(i) },
        { id: `b${i}`, text: textOf(i) },
      ]);
      await index.commit();
    }
    return { path, index };
  }

  test("carries over what is deleted and committed while it runs", async () => {
    const { path, index } = await eight(() => "water");
    const changes = [index.delete(["a3"]), index.upsert([{ id: "b5", text: "lock" }]), index.commit()];
    await Promise.all([...changes, index.idle()]);
    await index.refresh();
    expect(index.info().segments.map(({ docs, deleted }) => [docs, deleted])).toEqual([
      [14, 2],
      [1, 0],
    ]);
    expect(index.docs).toBe(15);
    expect((await index.listIds()).includes("a3")).toBe(false);
    expect((await index.search("lock")).hits.map(({ id }) => id)).toEqual(["b5"]);
    expect((await Sluice.verify(path)).problems).toEqual([]);
    await index.close();
  });

  test("carries over what is deleted and not committed yet", async () => {
    const { path, index } = await eight(() => "water");
    await Promise.all([index.delete(["a3"]), index.upsert([{ id: "b5", text: "lock" }]), index.idle()]);
    await index.refresh();
    expect(index.info().segments.map(({ docs, deleted }) => [docs, deleted])).toEqual([[16, 0]]);
    expect(index.docs).toBe(16);
    await index.commit();
    expect(index.docs).toBe(15);
    expect((await index.listIds()).includes("a3")).toBe(false);
    expect(await index.document("b5")).toEqual({ text: "lock" });
    expect((await Sluice.verify(path)).problems).toEqual([]);
    await index.close();
  });

  test("weighs rows again when documents have become longer, and copies them when not", async () => {
    for (const longer of [true, false]) {
      const { index } = await eight((i) => `water gate${" and so on".repeat(longer ? i * i : 3)}`);
      await index.idle();
      await index.refresh();
      expect(index.info().segments).toHaveLength(1);
      const documents = await Promise.all(
        (await index.listIds()).map(async (id) => ({ id, ...(await index.document(id)) })),
      );
      const fresh = await Sluice.build(documents, {
        encoder: "none",
        slicingOf: index.slicing,
        analyzer: whitespace,
      });
      for (const id of await index.listIds())
        expect(revertDocument(index, id)).toEqual(revertDocument(fresh, id));
      await index.close();
    }
  });

  test("is given up when the index is closed, and begun again by the next writer", async () => {
    const { path, index } = await eight(() => "water");
    await index.close();
    expect(await Sluice.verify(path)).toMatchObject({ problems: [], docs: 16 });
    const next = await Sluice.open(path, { encoder: "none" });
    await next.add([{ id: "c", text: "water" }]);
    await next.commit();
    await next.idle();
    await next.refresh();
    expect(next.info().segments.length).toBeLessThan(3);
    expect(next.docs).toBe(17);
    await next.close();
  });
});

describe("a reader", () => {
  test("sees one commit, whole, while others are made and merged, and moves on when asked", async () => {
    const path = folder();
    const writer = await Sluice.open(path, { encoder: "none", dims: "full" });
    await writer.add([{ id: "a", text: "first water" }]);
    await writer.commit();
    const reader = await Sluice.open(path, { readOnly: true });
    const { hits } = await reader.search("water");
    for (let i = 0; i < 30; i++) {
      await writer.upsert([
        { id: "a", text: `water number ${i}` },
        { id: `b${i}`, text: "more water" },
      ]);
      await writer.commit();
    }
    await writer.optimize();
    expect(await reader.listIds()).toEqual(["a"]);
    expect(hits[0].document).toEqual({ text: "first water" });
    expect((await reader.search("water number")).hits.map(({ id, score }) => [id, score])).toEqual([
      ["a", hits[0].score],
    ]);
    expect((await reader.explain("water", "a")).score).toBeCloseTo(hits[0].score, 9);
    expect(await reader.refresh()).toBe(true);
    expect(await reader.refresh()).toBe(false);
    expect(reader.docs).toBe(31);
    expect(await reader.document("a")).toEqual({ text: "water number 29" });
    expect(hits[0].document).toEqual({ text: "first water" }); // as it was found
    await reader.close();
    await writer.close();
    await expect(reader.search("water")).rejects.toThrow("the index was closed");
  });

  test("opens what is not there yet only to write, and sees it after the first commit", async () => {
    const path = folder();
    await expect(Sluice.open(path, { readOnly: true })).rejects.toThrow("there is no index");
    const [one, other] = [
      await Sluice.open(path, { encoder: "none" }),
      await Sluice.open(path, { encoder: "none" }),
    ];
    expect(await Sluice.exists(path)).toBe(false);
    expect((await other.search("water")).hits).toEqual([]);
    await one.add([{ id: "a", text: "water" }]);
    expect(await Sluice.exists(path)).toBe(false);
    await one.commit();
    expect(await Sluice.exists(path)).toBe(true);
    expect(other.docs).toBe(0);
    expect(await other.refresh()).toBe(true);
    expect(await other.listIds()).toEqual(["a"]);
    await one.close();
    await other.add([{ id: "b", text: "water" }]);
    await other.commit();
    await other.close();
    const reader = await Sluice.open(path, { readOnly: true });
    expect(await reader.listIds()).toEqual(["a", "b"]);
    await expect(reader.add([{ id: "c" }])).rejects.toThrow("opened to be read only");
    await reader.close();
  });

  test("moves on to an index with other words in the place of its own", async () => {
    const path = folder();
    await (await Sluice.build([{ id: "a", text: "water gate lock" }], { encoder: "none", dims: 4 })).save(
      path,
    );
    const reader = await Sluice.open(path, { readOnly: true });
    expect((await reader.search("gate")).hits.map(({ id }) => id)).toEqual(["a"]);
    const other = await Sluice.build([{ id: "z", text: "a school of fine art in a town" }], {
      encoder: "none",
      dims: 8,
    });
    await expect(other.save(path)).rejects.toMatchObject({ code: "ERR_SLUICE_INDEX_EXISTS" });
    await reader.refresh();
    expect(await reader.listIds()).toEqual(["a"]);
    await other.save(path, { overwrite: true });
    expect((await reader.search("gate")).hits.map(({ id }) => id)).toEqual(["a"]);
    await reader.refresh();
    expect((await reader.search("gate school art")).hits.map(({ id }) => id)).toEqual(["z"]);
    expect(revertDocument(reader, "z").map(({ term }) => term)).toContain("school");
    await reader.close();
  });

  test("an index that was never committed leaves no trace", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none" });
    await index.add([{ id: "a", text: "water" }]);
    await index.close();
    expect(await Sluice.exists(path)).toBe(false);
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });
});

describe("refusals", () => {
  test("one document is refused, and with it those that came in the same call", async () => {
    const path = folder();
    const index = await Sluice.open(path, { lexical: "weights", analyzer: whitespace });
    const good = { id: "a", weights: { x: 1 }, vector: [1, 2] };
    for (const [bad, message] of [
      [{ id: "a", weights: { y: 1 }, vector: [1, 2] }, 'the id "a" comes twice'],
      [
        { id: "b", weights: { y: 1 }, vector: [1] },
        "a vector with 1 dims, but the documents before it have a vector with 2 dims",
      ],
      [{ id: "b", weights: { y: 1e6 }, vector: [1, 2] }, "float16 ends at 65504"],
      [{ id: "b", vector: [1, 2] }, "no weights"],
      [{ id: "", weights: {} }, "the id is empty"],
      [{ id: "\ud800", weights: {} }, "not well-formed"],
      [{ id: "x".repeat(2000), weights: {} }, "at most 1024"],
      [{ id: "b", weights: {}, vector: [1, 2], big: 1n }, "cannot be stored as JSON"],
    ] as const) {
      await expect(index.add([good, bad as never])).rejects.toThrow(message);
      await index.commit();
      expect(await index.listIds()).toEqual([]);
      expect(index.info().slicingSettings.vocabularySize).toBe(0);
    }
    await index.close();
  });

  test("options that say something else than the index", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", dims: 8, bm25: { k1: 1.2 }, lambda: 2 });
    await index.commit();
    await index.close();
    for (const [options, message] of [
      [{ dims: 16 }, "opened with dims 16, but the index has 8"],
      [{ dims: "full" }, "dims full"],
      [{ slicingStrategy: "hashed" }, "slicingStrategy hashed, but the index has spread"],
      [{ lexical: "weights" }, "lexical weights"],
      [{ analyzer: whitespace }, "analyzer whitespace"],
      [{ bm25: { k1: 0.9 } }, "k1 0.9, but the index has 1.2"],
      [{ vocabulary: ["a"] }, "vocabulary"],
    ] as [OpenOptions, string][]) {
      await expect(Sluice.open(path, { encoder: "none", ...options })).rejects.toThrow(message);
    }
    const same = await Sluice.open(path, {
      encoder: "none",
      dims: 8,
      slicingStrategy: "spread",
      bm25: { k1: 1.2 },
      lambda: 2,
    });
    expect(same.info()).toMatchObject({ lambda: 2, docs: 0, generation: 1 });
    await same.close();
  });

  test("product codes of the same shape, however they are written", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", quantize: { parts: 64, bits: 4 } });
    await index.commit();
    await index.close();
    for (const quantize of [{ bits: 4, parts: 64 }, { parts: 64 }, { bits: undefined }, {}] as const) {
      await (await Sluice.open(path, { encoder: "none", quantize })).close();
    }
    await expect(Sluice.open(path, { encoder: "none", quantize: { bits: 8 } })).rejects.toThrow(
      'opened with quantize {"parts":64,"bits":8}, but the index has {"parts":64,"bits":4}',
    );
    const plain = folder();
    const without = await Sluice.open(plain, { encoder: "none", dims: 768 });
    await without.commit();
    await without.close();
    await expect(Sluice.open(plain, { encoder: "none", dims: 768, quantize: {} })).rejects.toThrow(
      'opened with quantize {"parts":64,"bits":4}, but the index has none',
    );
  });

  test("λ is what a new index begins with; an index that exists keeps its own", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", lambda: 2 });
    await index.setLambda(0.5);
    await index.commit();
    await index.close();
    const again = await Sluice.open(path, { encoder: "none", lambda: 2 });
    expect(again.info().lambda).toBe(0.5);
    await again.close();
  });

  test("terms that come later, where the slicing has no place for them", async () => {
    const path = folder();
    await (
      await Sluice.build([{ id: "a", text: "water gate" }], {
        encoder: "none",
        dims: 2,
        slicingStrategy: "stride",
      })
    ).save(path);
    const index = await Sluice.open(path, { encoder: "none" });
    await index.add([{ id: "b", text: "gate" }]);
    await expect(index.add([{ id: "c", text: "gate lock" }])).rejects.toThrow('the term "lock" is new');
    await index.commit();
    expect((await index.search("gate")).hits.map(({ id }) => id)).toEqual(["b", "a"]);
    await index.close();
  });

  test("an index in memory is saved with its own λ", async () => {
    const memory = await Sluice.build([{ id: "a", text: "water", vector: [1] }], {
      encoder: "none",
      lambda: 3,
    });
    const path = folder();
    await memory.save(path);
    const index = await Sluice.open(path, { encoder: "none" });
    expect(index.info()).toMatchObject({ lambda: 3, generation: 1 });
    await index.setLambda(5);
    for (const options of [{}, { overwrite: true }])
      await expect(index.save(path, options)).rejects.toThrow(`${path}: the index is here already`);
    expect(index.info()).toMatchObject({ lambda: 3, generation: 1 });
    await index.commit();
    expect(index.info()).toMatchObject({ lambda: 5, generation: 2 });
    await expect(index.save(folder())).rejects.toThrow("save writes an index in memory");
    await index.close();
    const again = await Sluice.open(path, { encoder: "none", overwrite: true, dims: 4 });
    await again.add([{ id: "z", text: "new" }]);
    expect(await again.listIds()).toEqual(["a"]);
    await again.commit();
    expect(await again.listIds()).toEqual(["z"]);
    expect(again.info()).toMatchObject({ lambda: 1, slicingSettings: { dims: 4 } });
    expect((await Sluice.verify(path)).problems).toEqual([]);
    await again.close();
  });
});

test("a document is written as JSON once, and not parsed on its way into a segment", async () => {
  const index = await Sluice.build<Document>([], { encoder: "none" });
  const [parse, stringify] = [vi.spyOn(JSON, "parse"), vi.spyOn(JSON, "stringify")];
  try {
    await index.add([
      { id: "a", text: "a weir raises the water", place: { river: "Thames" }, year: 1919 },
      { id: "b", text: "a lock lowers the boat", place: { river: "Severn" }, year: 1925 },
    ]);
    await index.commit();
    const written = stringify.mock.results.filter(({ value }) => /raises the|lowers the/.test(value));
    expect(written).toHaveLength(2);
    expect(parse.mock.calls.filter(([text]) => /raises the|lowers the/.test(text))).toEqual([]);
  } finally {
    parse.mockRestore();
    stringify.mockRestore();
  }
  const { hits } = await index.search("water boat", { filter: { "place.river": "Severn" } });
  expect(hits.map(({ id }) => id)).toEqual(["b"]);
  await index.close();
});
