import { expect, test } from "vitest";
import { RowsBuilder } from "../densify/rows.ts";
import type { SegmentSource } from "../segment/segment.ts";
import { roundToFloat16 } from "../support/numbers/float16.ts";
import { mulberry32 } from "../support/numbers/random.ts";
import { openDiskRows } from "./disk-rows.ts";
import { createRowParts } from "./engine-segment.ts";
import { LexicalScorer } from "./lexical-scorer.ts";

test.each([
  [5, 3],
  [70_000, 1],
])("rows read one at a time, full, partly filled and empty in turn: %i slices", async (dims, perSlice) => {
  const random = mulberry32(dims);
  const builder = new RowsBuilder(dims, perSlice);
  for (let doc = 0; doc < 12; doc++) {
    const filled = [1, 0.4, 1, 0][doc % 4];
    const slices = Uint32Array.from({ length: dims }, (_, slice) => slice).filter(() => random() < filled);
    builder.add({
      slices,
      indices: Uint16Array.from(slices, () => Math.floor(perSlice * random())),
      values: Float32Array.from(slices, () => roundToFloat16(0.1 + random())),
    });
  }
  const rows = builder.finish();
  const arrays = rows as unknown as Record<string, Uint8Array>;
  const sections = {
    loadSection: async (name: string) => arrays[name],
    verifySection: async () => {},
    bytesOf: (name: string) => arrays[name].byteLength,
    readRange: (name: string, offset: number, length: number, into: Uint8Array) =>
      into.set(new Uint8Array(arrays[name].buffer, arrays[name].byteOffset + offset, length)),
  };
  const source = { meta: { settings: { dims } }, rowCount: rows.docs, sections } as unknown as SegmentSource;
  const slices = Uint32Array.of(0, 1, 3, dims - 1);
  const query = { slices, indices: new Uint16Array(4), values: Float32Array.of(1, 2, 0.5, 4) };
  const scorer = new LexicalScorer(query, dims);
  const docs = Uint32Array.from({ length: rows.docs }, (_, doc) => doc);
  const [expected, sums] = [new Float64Array(rows.docs), new Float64Array(rows.docs)];
  createRowParts(rows).writeLexicalScores(scorer, docs, expected);
  (await openDiskRows(source)).writeLexicalScores(scorer, docs, sums);
  expect(sums).toEqual(expected);
  expect(expected.filter((sum) => sum > 0).length).toBeGreaterThan(5);
  scorer.release();
});
