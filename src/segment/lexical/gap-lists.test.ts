// Lists of gaps hold the slots that they were cut from: gaps on both sides of what their bits can hold, windows of every size,
// cells of one document and of all. Lists that no writer writes are refused.

import { describe, expect, test } from "vitest";
import { type Rows, RowsBuilder } from "../../densify/rows.ts";
import { FLOAT16, roundToFloat16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { splitIntoWindows } from "../rows/windows.ts";
import {
  cutIntoGapLists,
  findGapProblem,
  type GapListSizes,
  type GapLists,
  type GapPosting,
  readGapList,
  requireGapDirectory,
} from "./gap-lists.ts";

const random = mulberry32(23);
const whole = (below: number) => Math.floor(random() * below);

/** The cells of each document: slice → index. Every value is between 0 and 2. */
function rowsOf(dims: number, documents: readonly ReadonlyMap<number, number>[]): Rows {
  const builder = new RowsBuilder(dims, 256);
  for (const cells of documents) {
    const slices = [...cells.keys()].sort((a, b) => a - b);
    builder.add({
      slices: Uint32Array.from(slices),
      indices: Uint16Array.from(slices, (slice) => cells.get(slice)!),
      values: Float32Array.from(slices, () => roundToFloat16(2 * random() + 0.001)),
    });
  }
  return builder.finish();
}

/** By slot of a window, "slice:index" → its documents with the codes they should have. */
function postingsOf(rows: Rows, first: number, docs: number): Map<string, GapPosting[]> {
  const tops = new Float64Array(rows.dims);
  const lists = new Map<string, GapPosting[]>();
  for (const isCounting of [true, false]) {
    for (let lane = 0; lane < docs; lane++) {
      for (let i = rows.starts[first + lane]; i < rows.starts[first + lane + 1]; i++) {
        const [slice, value] = [rows.slices[i], FLOAT16[rows.values[i]]];
        if (isCounting) tops[slice] = Math.max(tops[slice], value);
        else {
          const cell = `${slice}:${rows.indices[i]}`;
          const list = lists.get(cell) ?? [];
          list.push({ lane, code: Math.ceil((255 * value) / tops[slice]) });
          lists.set(cell, list);
        }
      }
    }
  }
  return lists;
}

/** The lists of a window by their cells, read back. */
function readWindow({ sizes, arrays }: { sizes: GapListSizes; arrays: GapLists }, w: number, docs: number) {
  const dims = (arrays.sliceLists.length - 1) / (sizes.windowBytes.length - 1);
  const found = new Map<string, GapPosting[]>();
  const bytes = arrays.gapLists.subarray(sizes.windowBytes[w], sizes.windowBytes[w + 1]);
  const end = arrays.sliceLists[(w + 1) * dims];
  for (let slice = 0; slice < dims; slice++) {
    const [from, to] = [arrays.sliceLists[w * dims + slice], arrays.sliceLists[w * dims + slice + 1]];
    for (let list = from; list < to; list++) {
      const next = list + 1 < end ? arrays.listStarts[list + 1] : bytes.length;
      const postings = readGapList(bytes.subarray(arrays.listStarts[list], next), docs);
      expect(arrays.listTops[list]).toBe(Math.max(...postings.map(({ code }) => code)));
      found.set(`${slice}:${arrays.listIndices[list]}`, postings);
    }
  }
  return found;
}

function expectSameLists(rows: Rows, windowDocs: number): ReturnType<typeof cutIntoGapLists> {
  const cut = cutIntoGapLists(rows, windowDocs);
  for (const [w, { first, docs }] of splitIntoWindows(rows.docs, windowDocs).entries()) {
    const expected = postingsOf(rows, first, docs);
    const found = readWindow(cut, w, docs);
    expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [cell, postings] of expected) expect(found.get(cell)).toEqual(postings);
  }
  expect(findGapProblem(cut.arrays, cut.sizes, rows.docs, windowDocs)).toBeUndefined();
  return cut;
}

const WINDOWS = [1, 15, 16, 17, 300, 65_536];

describe("rows come back from their lists", () => {
  test.each(WINDOWS)(
    "windows of %i documents: full rows, empty ones, and cells that all have",
    (windowDocs) => {
      const documents = Array.from({ length: 700 }, (_, doc) => {
        const cells = new Map([[0, 7]]);
        if (doc % 50 === 3) return new Map();
        for (let slice = 1; slice < 6; slice++)
          if (random() < 0.8) cells.set(slice, Math.floor(256 * random() ** slice));
        return cells;
      });
      expectSameLists(rowsOf(7, documents), windowDocs);
    },
  );

  test.each([0, 1, 14, 15, 16, 17, 31, 32, 33, 254, 255, 256, 257, 509, 510, 511, 512, 513, 4096])(
    "gaps of %i documents",
    (gap) => {
      // In slice 1 the gap is between dense postings, so that the list has gaps of 4 bits; in slice 2 between others of its kind.
      const docs = 3 * (gap + 1) + 600;
      const documents = Array.from({ length: docs }, (_, doc) => {
        const cells = new Map([[0, doc & 255]]);
        if (doc < 300 || doc > 300 + gap) cells.set(1, 0);
        if (doc % (gap + 1) === 0) cells.set(2, 0);
        return cells;
      });
      const rows = rowsOf(3, documents);
      for (const windowDocs of [docs, 65_536]) expectSameLists(rows, windowDocs);
    },
  );

  test("a window of 65,536 documents: one document, the first and the last, all, and every share between", () => {
    const holds: ((doc: number) => boolean)[] = [
      (doc) => doc === 65_535,
      (doc) => doc === 0 || doc === 65_535,
      () => true,
      ...[0.5, 0.1, 0.05, 0.01, 0.003, 0.001].map((share) => () => random() < share),
    ];
    const documents = Array.from({ length: 65_600 }, (_, doc) => {
      return new Map([...holds.keys()].filter((slice) => holds[slice](doc)).map((slice) => [slice, 3]));
    });
    const { arrays } = expectSameLists(rowsOf(holds.length, documents), 65_536);
    const bits = Array.from(arrays.listStarts.subarray(0, holds.length), (at) => arrays.gapLists[at]);
    expect(new Set(bits)).toEqual(new Set([4, 8, 16]));
  });

  test("no documents", () => {
    const { sizes, arrays } = cutIntoGapLists(rowsOf(4, []));
    expect(sizes).toEqual({ lists: 0, windowBytes: [0] });
    expect(findGapProblem(arrays, sizes, 0)).toBeUndefined();
  });
});

test("the bytes of the example in the file format", () => {
  const builder = new RowsBuilder(1, 1);
  const values: Record<number, number> = { 2: 0.5, 3: 1, 25: 0.25 };
  for (let doc = 0; doc < 26; doc++) {
    const isHolding = doc in values;
    builder.add({
      slices: new Uint32Array(Number(isHolding)),
      indices: new Uint16Array(Number(isHolding)),
      values: isHolding ? Float32Array.of(values[doc]) : new Float32Array(0),
    });
  }
  const { gapLists } = cutIntoGapLists(builder.finish()).arrays;
  expect(Buffer.from(gapLists).toString("hex")).toBe("04 02 5f 80 ff 00 40".replaceAll(" ", ""));
});

describe("what no writer writes is refused", () => {
  test.each([
    ["nothing", []],
    ["no postings", [8]],
    ["bits of another number", [7, 0, 1]],
    ["a gap without a code", [8, 1, 2, 1]],
    ["half a gap of 16 bits", [16, 1, 0]],
    ["bytes that do not divide", [4, 1, 2, 3, 4]],
    ["a lane beyond the window", [8, 10, 1]],
    ["a gap beyond the window", [8, 9, 0, 1, 1]],
  ])("%s", (_, list) => {
    expect(() => readGapList(Uint8Array.from(list), 10)).toThrow(/a posting list of gaps cannot be read/);
  });

  test("a directory that points outside of its window, or is out of order", () => {
    const rows = rowsOf(
      3,
      Array.from({ length: 90 }, () => new Map([0, 1, 2].map((slice) => [slice, whole(4)]))),
    );
    const { sizes, arrays } = cutIntoGapLists(rows, 32);
    requireGapDirectory(arrays, sizes);
    const changed = (name: "sliceLists" | "listStarts", at: number, to: number) => {
      const copy = arrays[name].slice();
      copy[at] = to;
      return { ...arrays, [name]: copy };
    };
    for (const wrong of [
      changed("listStarts", 4, 2 ** 31),
      changed("listStarts", 4, 0),
      changed("sliceLists", 0, 1),
      changed("sliceLists", 4, 2 ** 31),
      changed("sliceLists", 9, 5),
    ])
      expect(() => requireGapDirectory(wrong, sizes)).toThrow(/lists of gaps are out of range/);
    const tops = arrays.listTops.slice();
    tops[3] ^= 1;
    expect(findGapProblem({ ...arrays, listTops: tops }, sizes, 90, 32)).toMatch(/another largest value/);
    const indices = arrays.listIndices.slice();
    indices[1] = indices[0];
    expect(findGapProblem({ ...arrays, listIndices: indices }, sizes, 90, 32)).toMatch(/out of order/);
  });
});
