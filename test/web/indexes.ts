// Indexes for the tests of the page: a part of the demo's dictionary with two numbers of dims, and a few documents with
// vectors.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definitions } from "../../demo/wordnet.ts";
import { Encoder } from "../../src/encode/index.ts";
import { Sluice } from "../../src/index.ts";
import { writeModel } from "../helpers/onnx.ts";

/** Every twentieth definition, with a number to filter by. */
export function dictionary(dims: number): Promise<Sluice> {
  const some = [...definitions()].filter((_, i) => i % 20 === 0);
  return Sluice.build(
    some.map((definition) => ({ ...definition, letters: definition.words[0].length })),
    { encoder: "none", dims },
  );
}

const PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "boat", "ship", "gate", "door", "water", "school"];

/** Vectors in which synonyms share a direction. */
const STATES = [
  [0, 0, 0, 0],
  [0.1, 0.1, 0.1, 0.1],
  [0, 0, 0, 0],
  [0, 0, 0, 0],
  [1, 0, 0, 0],
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
  [0, 0, 0, 1],
];

export async function meanings(): Promise<Sluice> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-meanings-"));
  writeModel(join(folder, "model"), { states: STATES }, PIECES, {
    kind: "dense",
    pooling: "mean",
    normalize: true,
    maxLength: { query: 32, passage: 32 },
  });
  const encoder = await Encoder.open(join(folder, "model"));
  const texts = ["a boat on the water", "a ship", "a door", "a gate for water", "a school"];
  const documents = texts.map((text, i) => ({
    id: `${i + 1}`,
    title: `Number ${i + 1}`,
    text,
    year: 1900 + i,
  }));
  return Sluice.build(documents, { encoder, lambda: 2 });
}
