// A sluice.json: of an ONNX encoder, and of a static one with its table.

import { checkDescription } from "../../../src/encode/contract/description.ts";
import { listOutputs, readEncoding } from "../../../src/encode/onnx/graph-outputs.ts";
import { StaticEncoder } from "../../../src/encode/static/static-encoder.ts";
import { parseJson } from "../../../src/support/files/json.ts";
import { outcome, type Target, textOf, WrongAnswer } from "../contract/target.ts";

const LENGTHS = { query: 8, passage: 16 };

export const target: Target = {
  name: "encoder-description",
  form: "json",
  seeds: () =>
    [
      { kind: "dense", pooling: "mean", normalize: true, maxLength: LENGTHS, prefix: { query: "q: " } },
      { kind: "dense", pooled: true, maxLength: LENGTHS, outputs: { semantic: "s" }, lambda: 2, space: "x" },
      { kind: "splade", maxLength: LENGTHS, aggregation: "max", withoutCls: true, least: 0.5 },
      { kind: "unicoil", maxLength: LENGTHS, semantic: true, least: 1 },
      { kind: "delade", pooled: true, maxLength: LENGTHS, semantic: true },
      { kind: "anchored", analyzer: "english", maxLength: LENGTHS, semantic: true },
      { kind: "static", version: 1, dims: 4, pieces: 3, lowercase: true, lambda: 8 },
    ].map((description) => JSON.stringify(description)),
  async run(bytes) {
    const value = parseJson(textOf(bytes), "sluice.json");
    await outcome(() => {
      const files = { description: value, table: new Uint8Array(64), pieces: "[UNK]\nwater\ngate\n" };
      new StaticEncoder("a folder", files as never).encode(["water"], "query" as never);
    });
    const description = checkDescription(value, "sluice.json");
    const outputs = listOutputs(description);
    if (!outputs.every((name) => typeof name === "string")) throw new WrongAnswer("an output without a name");
    if (description.kind === "anchored") return;
    const text = {
      ids: [2, 5, 3],
      mask: [1, 1, 1],
      role: "query" as const,
      output: () => Float32Array.of(0.5, 1, 2, 0, 1, 3),
    };
    readEncoding(description, ["a", "b", "c", "d", "e", "f"], text as never, "an encoder");
  },
};
