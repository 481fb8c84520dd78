// The kernel that unpacks posting lists agrees with its plain definition, list by list.

import { expect, test } from "vitest";
import { RowsBuilder } from "../../densify/rows.ts";
import { packLists } from "../../segment/lexical/packed-postings.ts";
import { invert } from "../../segment/lexical/postings.ts";
import { splitIntoWindows } from "../../segment/rows/windows.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { Unpacker } from "./unpacker.ts";

const random = mulberry32(4);

test.each([
  ["few values", (doc: number) => Math.ceil(random() ** 3 * 3) / (1 + (doc % 5))],
  ["any values", () => 0.001 + 60_000 * random() ** 6],
])("%s: lanes, values and the largest value of each list", (_, value) => {
  const [docs, dims] = [5000, 40];
  const builder = new RowsBuilder(dims, 1);
  for (let doc = 0; doc < docs; doc++) {
    const slices = Array.from({ length: dims }, (_, i) => i).filter((i) => random() < 1.1 * 0.8 ** i);
    builder.add({
      slices: Uint32Array.from(slices),
      indices: new Uint16Array(slices.length),
      values: Float32Array.from(slices, () => roundToFloat16(value(doc))),
    });
  }
  const rows = builder.finish();
  for (const windowDocs of [320, 65_536]) {
    const lists = invert(rows, windowDocs);
    const { starts, packed } = packLists(lists, docs, windowDocs);
    const unpacker = new Unpacker(packed, { bytes: packed.postings.length, docs, postings: docs + 3 });
    for (const [w, { first, docs: own }] of splitIntoWindows(docs, windowDocs).entries()) {
      const bytes = packed.postings.subarray(starts.windowBytes[w], starts.windowBytes[w + 1]);
      unpacker.begin(bytes.length, first, own).set(bytes);
      for (let cell = lists.windowCells[w]; cell < lists.windowCells[w + 1]; cell++) {
        const [from, to] = [lists.cellStarts[cell], lists.cellStarts[cell + 1]];
        expect(unpacker.next(to - from, 3)).toBe(lists.cellTops[cell]);
        expect(unpacker.lanes.subarray(3, 3 + to - from)).toEqual(lists.postingDocs.subarray(from, to));
        expect(unpacker.values.subarray(3, 3 + to - from)).toEqual(lists.postingValues.subarray(from, to));
      }
    }
  }
});
