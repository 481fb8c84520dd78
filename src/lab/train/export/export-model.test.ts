// An exported encoder gives the same scores as the trainer.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { tokenizerJson } from "../../../../test/helpers/onnx.ts";
import { Encoder } from "../../../encode/encoder.ts";
import { mulberry32 } from "../../../support/numbers/random.ts";
import type { Tensors, TokenRows } from "../data/batch.ts";
import { initialParameters } from "../model/parameters.ts";
import type { Head, ModelSettings } from "../model/settings.ts";
import { Trainer } from "../step/trainer.ts";
import { exportEncoder } from "./export-model.ts";
import { PRECISIONS, quantize } from "./weights.ts";

const WORDS = "water gate fire stone river lock sluice mill wheel grain bread oven".split(" ");
const PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "##s", ...WORDS];
const ENCODER = { vocabulary: PIECES.length, width: 16, layers: 2, heads: 2, ffn: 32, positions: 24 };
const LENGTHS = { query: 8, passage: 24 };
const SAMPLE = {
  queries: ["water gates", "fire", "mill wheels and grain and mill", ""],
  passages: [
    "a sluice is a gate for water in a river",
    "bread from the oven",
    "stone",
    "fire fire water",
    "",
  ],
};

const HEADS: Record<string, Head> = {
  "DeLADE and the scaled mean": {
    kind: "joint",
    lexical: { kind: "delade" },
    semantic: { pooling: "mean", normalize: true, scale: true },
  },
  "DeLADE+[CLS]": { kind: "joint", lexical: { kind: "delade" }, semantic: { pooling: "cls", width: 5 } },
  SPLADE: { kind: "joint", lexical: { kind: "splade" } },
  "uniCOIL and a vector": { kind: "joint", lexical: { kind: "unicoil" }, semantic: { pooling: "cls" } },
  Dense: { kind: "joint", semantic: { pooling: "mean", width: 7 } },
};

const root = mkdtempSync(join(tmpdir(), "sluice-export-test-"));
const tokenizer = join(root, "tokenizer.json");
writeFileSync(tokenizer, tokenizerJson(PIECES));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
const newFolder = () => join(root, `model-${folders++}`);

function parameters(model: ModelSettings): Tensors {
  const random = mulberry32(3);
  return new Map(
    Array.from(initialParameters(model, 1), ([name, { shape, data }]) => [
      name,
      { shape, data: data.map((x) => x + 0.5 * (random() - 0.5)) },
    ]),
  );
}

function rows(lists: readonly number[][]): TokenRows {
  const width = Math.max(...lists.map((list) => list.length));
  const ids = new Int32Array(lists.length * width);
  lists.forEach((list, row) => {
    ids.set(list, row * width);
  });
  return { rows: lists.length, width, ids, lengths: Int32Array.from(lists, (list) => list.length) };
}

describe.each(Object.entries(HEADS))("%s", (_, head) => {
  const model: ModelSettings = { encoder: ENCODER, head };

  test("the encoder's scores are the trainer's", async () => {
    const folder = newFolder();
    const held = parameters(model);
    const { lost, bytes } = await exportEncoder(model, held, {
      folder,
      tokenizer,
      maxLength: LENGTHS,
      sample: SAMPLE,
    });
    expect(lost.largest).toBe(0);
    expect(bytes).toBe(statSync(join(folder, "model.onnx")).size);
    const [encoder, trainer] = [
      await Encoder.open(folder),
      await Trainer.create(model, held, { threads: 1 }),
    ];
    const [asked, answers] = [
      await encoder.encode(SAMPLE.queries, "query"),
      await encoder.encode(SAMPLE.passages, "passage"),
    ];
    const tokens = (texts: readonly string[], role: "query" | "passage") =>
      rows(texts.map((text) => encoder.tokenIds(text, role)));
    // All queries of a batch must have the same number of passages, so score one query at a time.
    for (const [i, query] of asked.entries()) {
      const scores = await trainer.score({
        queries: tokens([SAMPLE.queries[i]], "query"),
        passages: tokens(SAMPLE.passages, "passage"),
        passagesPerQuery: SAMPLE.passages.length,
      });
      for (const [j, passage] of answers.entries()) {
        let score = 0;
        for (const [term, weight] of query.weights ?? []) score += weight * (passage.weights?.get(term) ?? 0);
        query.vector?.forEach((x, at) => {
          score += x * passage.vector![at];
        });
        expect(Math.abs(score - scores[j]) / Math.max(1, Math.abs(score))).toBeLessThan(1e-4);
      }
    }
    expect(encoder.gives).toEqual({
      weights: head.kind === "joint" && !!head.lexical,
      vector: "semantic" in head,
    });
  });

  test("fewer bits make a smaller file and lose little, and encodings do not depend on the batch", async () => {
    const held = parameters(model);
    const exported = [];
    for (const precision of PRECISIONS) {
      const folder = newFolder();
      const options = { folder, tokenizer, maxLength: LENGTHS, precision, sample: SAMPLE };
      exported.push(await exportEncoder(model, held, options));
      const encoder = await Encoder.open(folder);
      const together = await encoder.encode(SAMPLE.passages, "passage");
      for (const [i, text] of SAMPLE.passages.entries()) {
        const [alone] = await encoder.encode([text], "passage");
        for (const [term, weight] of alone.weights ?? []) {
          expect(together[i].weights!.get(term)).toBeCloseTo(weight, 5);
        }
        for (const [at, x] of (alone.vector ?? []).entries())
          expect(together[i].vector![at]).toBeCloseTo(x, 5);
      }
    }
    const [whole, half, byte] = exported;
    expect(half.lost.largest).toBeGreaterThan(0);
    expect(half.lost.largest).toBeLessThan(0.01 * Math.max(1, half.lost.score));
    expect(byte.lost.largest).toBeLessThan(0.2 * Math.max(1, byte.lost.score));
    expect(whole.bytes - half.bytes).toBeGreaterThan(half.bytes - byte.bytes);
    expect(half.bytes).toBeGreaterThan(byte.bytes);
  });
});

test("sluice.json describes the encoder", async () => {
  const folder = newFolder();
  const model: ModelSettings = { encoder: ENCODER, head: HEADS["DeLADE+[CLS]"] };
  const prefix = { query: "query: " };
  const options = { folder, tokenizer, maxLength: LENGTHS, prefix, least: 0.01, sample: SAMPLE };
  await exportEncoder(model, parameters(model), options);
  expect(JSON.parse(readFileSync(join(folder, "sluice.json"), "utf8"))).toEqual({
    kind: "delade",
    pooled: true,
    semantic: true,
    maxLength: LENGTHS,
    prefix,
    least: 0.01,
  });
  const [{ weights }] = await (await Encoder.open(folder)).encode(["water gate"], "query");
  expect(Math.min(...weights!.values())).toBeGreaterThan(0.01);
});

test("lambda scales the vectors", async () => {
  const model: ModelSettings = { encoder: ENCODER, head: HEADS["uniCOIL and a vector"] };
  const options = { tokenizer, maxLength: LENGTHS, sample: SAMPLE };
  const encodeWith = async (lambda?: number) => {
    const folder = newFolder();
    await exportEncoder(model, parameters(model), { ...options, folder, ...(lambda && { lambda }) });
    const encoder = await Encoder.open(folder);
    const [encoding] = await encoder.encode(["water gate"], "query");
    await encoder.close();
    return encoding;
  };
  const [plain, weighed] = [await encodeWith(), await encodeWith(9)];
  plain.vector!.forEach((x, i) => {
    expect(weighed.vector![i]).toBeCloseTo(3 * x, 4);
  });
  expect([...weighed.weights!]).toEqual([...plain.weights!]);
  const refused = (lambda: number, head: Head) =>
    exportEncoder({ ...model, head }, parameters({ ...model, head }), {
      ...options,
      folder: newFolder(),
      lambda,
    });
  await expect(refused(0, model.head)).rejects.toThrow("above 0");
  await expect(refused(Number.NaN, model.head)).rejects.toThrow("above 0");
  await expect(refused(2, HEADS.SPLADE)).rejects.toThrow("the model has no semantic part");
});

test("a model that cannot be exported is refused", async () => {
  const folder = newFolder();
  const options = { folder, tokenizer, maxLength: LENGTHS, sample: SAMPLE };
  const model: ModelSettings = { encoder: ENCODER, head: HEADS.Dense };
  const held = parameters(model);
  const colbert: ModelSettings = { encoder: ENCODER, head: { kind: "colbert", width: 4 } };
  await expect(exportEncoder(colbert, parameters(colbert), options)).rejects.toThrow("ColBERT");
  const long = { query: 8, passage: 25 };
  await expect(exportEncoder(model, held, { ...options, maxLength: long })).rejects.toThrow("at most 24");
  await expect(exportEncoder(model, new Map(), options)).rejects.toThrow("lack");
  await expect(exportEncoder(model, held, { ...options, tokenizer: "/nowhere" })).rejects.toThrow("/nowhere");
  await expect(Encoder.open(folder)).rejects.toThrow("no such folder");
});

test.each([9, 256])("with %i columns, quantized numbers are at most half a step off", (columns) => {
  const random = mulberry32(2);
  const data = Float32Array.from({ length: 5 * columns }, (_, i) => {
    const row = Math.floor(i / columns);
    return row === 0 ? 0 : (random() - 0.5) * 10 ** row;
  });
  const { values, shares, largest, group } = quantize({ shape: [5, columns], data });
  expect(group).toBe(columns === 256 ? 32 : 9);
  for (const [i, x] of data.entries()) {
    const step = shares[Math.floor(i / group)] * largest;
    // Half a step, plus the error at the end of the scale if the step was rounded down.
    expect(Math.abs(values[i] * step - x)).toBeLessThanOrEqual(step * (0.5001 + 127 * 2 ** -11));
  }
});
