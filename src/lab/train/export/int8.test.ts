// Encoders that compute in int8: how far they are from float32, and that a text's numbers are its own.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { tokenizerJson } from "../../../../test/helpers/onnx.ts";
import { Encoder, type Encoding } from "../../../encode/encoder.ts";
import { mulberry32 } from "../../../support/numbers/random.ts";
import type { Tensors } from "../data/batch.ts";
import { int8Rows } from "../graph/int8.ts";
import { initialParameters } from "../model/parameters.ts";
import type { Head, ModelSettings } from "../model/settings.ts";
import { exportEncoder } from "./export-model.ts";

const WORDS = "water gate fire stone river lock sluice mill wheel grain bread oven".split(" ");
const PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "##s", ...WORDS];
const ENCODER = { vocabulary: PIECES.length, width: 64, layers: 3, heads: 4, ffn: 128, positions: 24 };
const TEXTS = [
  "a sluice is a gate for water in a river",
  "bread from the oven",
  "stone",
  "fire fire water",
  "",
  "mill",
];
const HEADS: Record<string, Head> = {
  "the mean": { kind: "joint", semantic: { pooling: "mean", normalize: true } },
  "[CLS], projected": { kind: "joint", semantic: { pooling: "cls", width: 7 } },
  "DeLADE and a vector": {
    kind: "joint",
    lexical: { kind: "delade" },
    semantic: { pooling: "mean", normalize: true, scale: true },
  },
  uniCOIL: { kind: "joint", lexical: { kind: "unicoil" } },
};

const root = mkdtempSync(join(tmpdir(), "sluice-int8-test-"));
const tokenizer = join(root, "tokenizer.json");
writeFileSync(tokenizer, tokenizerJson(PIECES));
afterAll(() => rmSync(root, { recursive: true }));

function parameters(model: ModelSettings): Tensors {
  const random = mulberry32(3);
  return new Map(
    Array.from(initialParameters(model, 1), ([name, { shape, data }]) => [
      name,
      { shape, data: data.map((x) => x + 0.4 * (random() - 0.5)) },
    ]),
  );
}

async function encoderOf(name: string, head: Head, compute: "float32" | "int8"): Promise<Encoder> {
  const model: ModelSettings = { encoder: ENCODER, head };
  const folder = join(root, `${name}-${compute}`);
  await exportEncoder(model, parameters(model), {
    folder,
    tokenizer,
    maxLength: { query: 8, passage: 24 },
    compute,
    sample: { queries: TEXTS, passages: TEXTS },
  });
  return Encoder.open(folder);
}

/** All numbers of an encoding, those of terms in the order of the vocabulary. */
function numbersOf({ weights, vector }: Encoding, vocabulary: readonly string[]): number[] {
  return [...(weights ? vocabulary.map((term) => weights.get(term) ?? 0) : []), ...(vector ?? [])];
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, each, i) => sum + each * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe.each(Object.entries(HEADS))("%s", (name, head) => {
  test("is within a cosine of .99 of float32, and a text's numbers do not depend on its batch", async () => {
    const [exact, fast] = [await encoderOf(name, head, "float32"), await encoderOf(name, head, "int8")];
    const numbers = async (encoder: Encoder, texts: readonly string[]) =>
      (await encoder.encode(texts, "passage")).map((encoding) => numbersOf(encoding, encoder.vocabulary));
    const [wanted, found] = [await numbers(exact, TEXTS), await numbers(fast, TEXTS)];
    const twice = await numbers(fast, [...TEXTS, ...TEXTS].reverse());
    for (const [i, text] of TEXTS.entries()) {
      // uniCOIL gives the empty text no weights: there is nothing to compare.
      if (wanted[i].some((x) => x !== 0)) expect(cosine(wanted[i], found[i]), text).toBeGreaterThan(0.99);
      const [alone] = await numbers(fast, [text]);
      for (const [at, x] of alone.entries()) {
        expect(Math.abs(found[i][at] - x), text).toBeLessThan(1e-5);
        expect(Math.abs(twice[TEXTS.length - 1 - i][at] - x), text).toBeLessThan(1e-5);
      }
    }
    await exact.close();
    await fast.close();
  });
});

test("weights are stored as int8, and only as int8", async () => {
  const model: ModelSettings = { encoder: ENCODER, head: HEADS["the mean"] };
  const options = { tokenizer, maxLength: { query: 8, passage: 24 }, compute: "int8" } as const;
  const export8 = (precision: "float16" | "int8") =>
    exportEncoder(model, parameters(model), { ...options, folder: join(root, precision), precision });
  await expect(export8("float16")).rejects.toThrow("cannot store float16 weights");
  expect((await export8("int8")).lost.largest).toBeLessThan(0.02);
});

test("rows of a matrix are at most half a step off; a row of zeros stays 0", () => {
  const random = mulberry32(5);
  const data = Float32Array.from({ length: 40 }, (_, i) => (i < 8 ? 0 : (random() - 0.5) * 10 ** (i % 3)));
  const { values, steps } = int8Rows(data, 5);
  expect([...values.subarray(0, 8)]).toEqual(new Array(8).fill(0));
  for (const [i, x] of data.entries()) {
    const step = steps[Math.floor(i / 8)];
    expect(Math.abs(values[i] * step - x)).toBeLessThanOrEqual(step * 0.5001);
  }
});
