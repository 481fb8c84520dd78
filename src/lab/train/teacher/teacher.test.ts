import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { writeModel } from "../../../../test/helpers/onnx.ts";
import { madeUpPairs } from "../../../../test/helpers/pairs.ts";
import { Encoder } from "../../../encode/encoder.ts";
import { Sluice } from "../../../sluice.ts";
import { scoreParts } from "../../eval/document-rows.ts";
import { gather } from "../data/examples.ts";
import { TextTable } from "../data/text-table.ts";
import { bm25Rows } from "./bm25-rows.ts";
import { EncoderTeacher, type EncoderTeacherOptions } from "./encoder-teacher.ts";
import { FileTeacher } from "./file-teacher.ts";
import { addProducts } from "./sparse-rows.ts";
import { scoreAllPairs } from "./teacher.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-teacher-"));
const PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "water", "gate", "fire"];
const STATES = [
  [0, 0],
  [0, 0],
  [4, 4],
  [0, 0],
  [1, 0],
  [0, 1],
  [-1, 3],
];
const TEXTS = { query: ["water", "fire gate"], passage: ["gate gate water", "fire", "water of the hill"] };
const ASKED: EncoderTeacherOptions = { bm25: false, lambda: 1, scale: 1 };

function model(name: string, description: object, products = {}): string {
  const path = join(folder, name);
  writeModel(path, { states: STATES, products }, PIECES, {
    maxLength: { query: 8, passage: 8 },
    ...description,
  });
  return path;
}

const dense = () => Encoder.open(model("dense", { kind: "dense", pooling: "mean", normalize: false }));

test("BM25 of a teacher is that of an index", async () => {
  const pairs = madeUpPairs(60);
  const texts = { query: pairs.map(({ query }) => query), passage: pairs.map(({ positive }) => positive) };
  const index = await Sluice.build(
    texts.passage.map((text, i) => ({ id: String(i), text })),
    { encoder: "none", dims: "full" },
  );
  const rows = bm25Rows(texts);
  const all = pairs.map((_, i) => i);
  const scores = new Float32Array(60 * 60);
  addProducts(rows.queries, all, rows.passages, all, scores);
  for (const query of all.slice(0, 20)) {
    const { lexical } = await scoreParts(index, texts.query[query]);
    // An index keeps float16, which has three digits.
    lexical.forEach((score, doc) => {
      expect(Math.abs(scores[query * 60 + doc] - score)).toBeLessThanOrEqual(2e-3 * score);
    });
  }
});

describe("an encoder that teaches", () => {
  test("scores any pair by its vectors, with BM25 beside them", async () => {
    const encoder = await dense();
    const [queries, passages] = [
      await encoder.encode(TEXTS.query, "query"),
      await encoder.encode(TEXTS.passage, "passage"),
    ];
    const dot = (q: number, p: number) =>
      queries[q].vector!.reduce((sum, x, i) => sum + x * passages[p].vector![i], 0);
    const plain = await EncoderTeacher.open(TEXTS, { ...ASKED, encoder });
    const scores = await plain.computeScores([1, 0], [2, 0]);
    close(scores, [dot(1, 2), dot(1, 0), dot(0, 2), dot(0, 0)]);

    const bm25 = await EncoderTeacher.open(TEXTS, { ...ASKED, bm25: true });
    const lexical = await bm25.computeScores([1, 0], [2, 0]);
    expect(lexical[0]).toBe(0);
    expect(lexical[3]).toBeGreaterThan(0);
    const both = await EncoderTeacher.open(TEXTS, { encoder, bm25: true, lambda: 20, scale: 0.5 });
    close(
      await both.computeScores([1, 0], [2, 0]),
      Array.from(scores, (score, i) => 0.5 * (20 * score + lexical[i])),
    );
    expect(new Set([plain, bm25, both].map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  test("keeps what it encoded", async () => {
    const encoder = await dense();
    const keep = join(folder, "kept");
    const first = await EncoderTeacher.open(TEXTS, { ...ASKED, encoder, keep });
    expect(readdirSync(keep)).toContain("teacher-0.passage.npy");
    const encode = vi.spyOn(encoder, "encode");
    const again = await EncoderTeacher.open(TEXTS, { ...ASKED, encoder, keep });
    expect(encode).not.toHaveBeenCalled();
    expect(await again.computeScores([0, 1], [0, 1])).toEqual(await first.computeScores([0, 1], [0, 1]));
  });

  test("scores by its weights of terms, and refuses BM25 with them", async () => {
    const logits = [
      [0, 0, 0, 0, 3, 1, 0],
      [0, 0, 0, 0, 0, 2, 0],
    ];
    const encoder = await Encoder.open(model("splade", { kind: "splade", withoutCls: true }, { logits }));
    const teacher = await EncoderTeacher.open(TEXTS, { ...ASKED, encoder });
    const [query] = await encoder.encode([TEXTS.query[0]], "query");
    const [passage] = await encoder.encode([TEXTS.passage[0]], "passage");
    let expected = 0;
    for (const [term, weight] of query.weights!) expected += weight * (passage.weights!.get(term) ?? 0);
    expect(expected).toBeGreaterThan(0);
    close(await teacher.computeScores([0], [0]), [expected]);
    await expect(EncoderTeacher.open(TEXTS, { ...ASKED, encoder, bm25: true })).rejects.toThrow(
      "BM25 cannot be added",
    );
  });

  test("is asked for all pairs of a batch", async () => {
    const teacher = await EncoderTeacher.open(TEXTS, { ...ASKED, encoder: await dense() });
    const chosen = [
      { example: 0, query: 1, passages: [2, 0] },
      { example: 1, query: 0, passages: [1, 2] },
    ];
    expect(await scoreAllPairs(teacher).scoreChosen(chosen)).toEqual(
      await teacher.computeScores([1, 0], [2, 0, 1, 2]),
    );
  });
});

describe("a teacher in the file", () => {
  const table = (lines: object[]) => {
    const path = join(folder, "scored.jsonl");
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
    return gather([{ path }], new TextTable());
  };
  const SCORED = { query: "a", positive: "b", negatives: ["c"], positive_scores: [3], negative_scores: [1] };

  test("scores a query's own passages: the positive 0, the negatives below it by their margin", async () => {
    const teacher = new FileTeacher(await table([SCORED]), { elsewhere: -20, scale: 2 });
    const chosen = [
      { example: 0, query: 0, passages: [0, 1, 2], margins: [2, -0.5] },
      { example: 0, query: 0, passages: [3, 4, 5], margins: [1, 4] },
    ];
    expect([...(await teacher.scoreChosen(chosen))]).toEqual([
      0, -4, 1, -20, -20, -20, -20, -20, -20, 0, -2, -8,
    ]);
  });

  test("must be there for every example", async () => {
    const { query, positive } = SCORED;
    const two = await table([SCORED, { query, positive }]);
    expect(() => new FileTeacher(two, { elsewhere: -20, scale: 1 })).toThrow(
      "example 2 has no scores of a teacher",
    );
  });
});

function close(found: Float32Array, expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  for (const [i, value] of expected.entries()) expect(found[i]).toBeCloseTo(value, 4);
}
