// The kernel that unpacks posting lists agrees with its plain definition, list by list, and refuses what that refuses.

import { expect, test } from "vitest";
import { RowsBuilder } from "../../densify/rows.ts";
import { packLists, unpackLists } from "../../segment/lexical/packed-postings.ts";
import { toPostingLists } from "../../segment/lexical/postings.ts";
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
    const lists = toPostingLists(rows, windowDocs);
    const { starts, packed } = packLists(lists, docs, windowDocs);
    const unpacker = new Unpacker(packed, {
      bytes: packed.postings.length,
      docs,
      postings: docs,
      lists: dims,
    });
    for (const [w, { first, docs: own }] of splitIntoWindows(docs, windowDocs).entries()) {
      const bytes = packed.postings.subarray(starts.windowBytes[w], starts.windowBytes[w + 1]);
      unpacker.begin(bytes.length, first, own).set(bytes);
      for (let cell = lists.windowCells[w]; cell < lists.windowCells[w + 1]; ) {
        // Sometimes one list, sometimes as many as fit.
        const cellStarts = lists.cellStarts.subarray(cell, lists.windowCells[w + 1] + 1);
        const fitting = cellStarts.findLastIndex((start) => start - cellStarts[0] <= docs);
        const cells = random() < 0.5 ? 1 : fitting;
        const [from, to] = [cellStarts[0], cellStarts[cells]];
        expect(unpacker.next(cellStarts.subarray(0, cells + 1))).toEqual(
          lists.cellTops.subarray(cell, cell + cells),
        );
        expect(unpacker.lanes.subarray(0, to - from)).toEqual(lists.postingDocs.subarray(from, to));
        expect(unpacker.values.subarray(0, to - from)).toEqual(lists.postingValues.subarray(from, to));
        cell += cells;
      }
    }
  }
});

test("damaged lists: the kernel and the definition refuse the same, and unpack the same from the rest", () => {
  const [docs, dims] = [140, 6];
  const builder = new RowsBuilder(dims, 1);
  for (let doc = 0; doc < docs; doc++) {
    const slices = [0, 1, 2, 3, 4, 5].filter((slice) => random() < 1 / (1 + slice));
    builder.add({
      slices: Uint32Array.from(slices),
      indices: new Uint16Array(slices.length),
      values: Float32Array.from(slices, () => roundToFloat16(Math.ceil(random() ** 3 * 4) / (2 + (doc % 5)))),
    });
  }
  const { starts, packed } = packLists(toPostingLists(builder.finish()), docs, 65_536);
  const counts = toPostingLists(builder.finish()).cellStarts;
  const bytes = starts.windowBytes[1];
  const unpacker = new Unpacker(packed, { bytes, docs, postings: docs, lists: 1 });
  const byKernel = (postings: Uint8Array) => {
    unpacker.begin(bytes, 0, docs).set(postings.subarray(0, bytes));
    const found: number[] = [];
    try {
      for (let cell = 0; cell + 1 < counts.length; cell++) {
        const count = counts[cell + 1] - counts[cell];
        found.push(...unpacker.next(counts.subarray(cell, cell + 2)));
        found.push(...unpacker.lanes.subarray(0, count), ...unpacker.values.subarray(0, count));
      }
      unpacker.end();
    } catch (error) {
      expect(error).toMatchObject({ name: "SluiceError", code: "ERR_SLUICE_DAMAGED" });
      return "refused";
    }
    return String(found);
  };
  const byDefinition = (postings: Uint8Array) => {
    try {
      const lists = unpackLists({ ...packed, postings }, starts, docs, 65_536);
      const found = Array.from(lists.cellTops, (top, cell) => {
        const part = (array: Uint16Array) => [...array.subarray(counts[cell], counts[cell + 1])];
        return [top, ...part(lists.postingDocs), ...part(lists.postingValues)];
      });
      return String(found.flat());
    } catch {
      return "refused";
    }
  };
  const seen = new Set<boolean>();
  for (let at = 0; at < bytes; at++) {
    for (const change of [1 << (at % 8), 255, 1 + Math.floor(random() * 255)]) {
      const postings = packed.postings.slice();
      postings[at] ^= change;
      const expected = byDefinition(postings);
      seen.add(expected === "refused");
      expect(byKernel(postings)).toBe(expected);
    }
  }
  expect(seen.size).toBe(2);
});
