// Posting lists lose nothing: they can be turned back into all rows, or into a single one.

import { expect, test } from "vitest";
import { type Rows, RowsBuilder, rowAt } from "../../densify/rows.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { splitIntoWindows } from "../rows/windows.ts";
import {
  encodeValues,
  findProblem,
  type PostingLists,
  rowFromLists,
  rowsFromLists,
  toPostingLists,
} from "./postings.ts";

const random = mulberry32(21);
const SHAPES = [
  { docs: 0, dims: 4, perSlice: 3, filled: 1 },
  { docs: 1, dims: 1, perSlice: 1, filled: 1 },
  { docs: 50, dims: 6, perSlice: 300, filled: 0.6 },
  { docs: 130, dims: 30, perSlice: 40, filled: 0.3 },
  { docs: 130, dims: 65_536, perSlice: 2, filled: 0.0003 },
  { docs: 130, dims: 90_000, perSlice: 1, filled: 0.0003 },
];

function randomRows({ docs, dims, perSlice, filled }: (typeof SHAPES)[number]): Rows {
  const builder = new RowsBuilder(dims, perSlice);
  for (let doc = 0; doc < docs; doc++) {
    const slices = Uint32Array.from({ length: dims }, (_, slice) => slice).filter(() => random() < filled);
    builder.add({
      slices,
      indices: Uint16Array.from(slices, () => Math.floor(random() * perSlice)),
      values: Float32Array.from(slices, () => 2 ** (random() * 30 - 20)),
    });
  }
  return builder.finish();
}

test.each(SHAPES)("there and back: $docs documents, $dims slices of $perSlice", (shape) => {
  const rows = randomRows(shape);
  for (const windowDocs of [16, 64, 65_536]) {
    const lists = toPostingLists(rows, windowDocs);
    expect(findProblem(lists, rows.docs, windowDocs)).toBeUndefined();
    const { starts, slices, indices, values } = rows;
    expect(rowsFromLists(lists, shape, windowDocs)).toEqual({ starts, slices, indices, values });
    for (let doc = 0; doc < rows.docs; doc += 7) {
      expect(rowFromLists(lists, shape.dims, doc, windowDocs)).toEqual(rowAt(rows, doc));
    }
  }
});

test("codes are never less than the values, and never 0", () => {
  const rows = randomRows(SHAPES[3]);
  const lists = toPostingLists(rows, 64);
  for (const [w] of splitIntoWindows(rows.docs, 64).entries()) {
    const [first, last] = [lists.windowCells[w], lists.windowCells[w + 1]];
    const [from, to] = [first, last].map((cell) => lists.cellStarts[cell]);
    const codes = new Uint8Array(to - from);
    encodeValues(lists, first, last, lists.postingValues.subarray(from, to), codes);
    for (let cell = first; cell < last; cell++) {
      const top = FLOAT16[lists.cellTops[cell]];
      for (let i = lists.cellStarts[cell]; i < lists.cellStarts[cell + 1]; i++) {
        const value = FLOAT16[lists.postingValues[i]];
        expect(codes[i - from]).toBeGreaterThan(0);
        expect((codes[i - from] * top) / 255).toBeGreaterThanOrEqual(value);
        expect(((codes[i - from] - 1) * top) / 255).toBeLessThan(value);
      }
    }
  }
});

test("damaged lists are noticed", () => {
  const rows = randomRows(SHAPES[3]);
  const lists = toPostingLists(rows, 64);
  const long = lists.cellStarts.findIndex((start, cell) => lists.cellStarts[cell + 1] - start > 1);
  const first = lists.cellStarts[long];
  const wrong = (change: (copy: PostingLists) => Partial<PostingLists>) => {
    const copy = structuredClone(lists) as PostingLists;
    return findProblem({ ...copy, ...change(copy) }, rows.docs, 64);
  };
  const set = (array: Uint16Array | Uint32Array, i: number, value: number) => {
    array[i] = value;
    return {};
  };
  expect(wrong(({ windowCells }) => ({ windowCells: windowCells.slice(1) }))).toMatch(
    /do not match its windows/,
  );
  expect(wrong(({ cells }) => ({ cells: cells.slice(1) }))).toMatch(/do not match its windows/);
  expect(wrong(({ postingDocs }) => ({ postingDocs: postingDocs.slice(1) }))).toMatch(/postings, but have/);
  expect(wrong(({ postingValues }) => ({ postingValues: postingValues.slice(1) }))).toMatch(
    /postings, but have/,
  );
  expect(wrong(({ cells }) => set(cells, 1, cells[0]))).toMatch(/out of order/);
  expect(wrong(({ cellStarts }) => set(cellStarts, 1, rows.starts[rows.docs]))).toMatch(/out of order/);
  expect(wrong(({ postingDocs }) => set(postingDocs, first + 1, postingDocs[first]))).toMatch(/out of order/);
  expect(wrong(({ postingDocs }) => set(postingDocs, first, 64))).toMatch(/does not exist|out of order/);
  expect(wrong(({ postingValues }) => set(postingValues, first, 0))).toMatch(/above its largest/);
  expect(wrong(({ cellTops }) => set(cellTops, long, 0))).toMatch(/above its largest/);
});
