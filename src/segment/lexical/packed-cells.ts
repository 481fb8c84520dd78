// The cells of a layout with posting lists ↔ bytes: their keys, and how long their lists are. Most cells follow the previous cell:
// in the same slice, or in the next slice if slices have one term.
//
//   CELL := 4·(postings − 1) + step:varint, then for step 2 ahead:varint
//   step := 0: its key is the previous key + 1; 1: it is the first multiple of 65,536 above; 2: it is 1 + ahead above
//
// Each window begins again: the key before its first cell is −1.

import { damagedSegmentError } from "../container/segment-error.ts";
import { ByteReader, ByteWriter } from "../rows/byte-stream.ts";
import { WINDOW_DOCS } from "../rows/windows.ts";
import type { PostingLists } from "./postings.ts";

/** Where windows begin in packed lists: by window, and once more at the end. */
export interface WindowStarts {
  /** Where each window begins in `cells`. */
  readonly windowCells: readonly number[];
  /** Where each window begins in `postings`. */
  readonly windowBytes: readonly number[];
}

/** The keys of a slice: see `cellKey`. */
const SLICE_KEYS = 65_536;
const [NEXT_KEY, NEXT_SLICE, AHEAD] = [0, 1, 2];

/** The most bytes of a cell: the count of a window and a key. */
export const MOST_CELL_BYTES = 3 + 5;

export function packCells(
  cells: Uint32Array,
  cellStarts: Uint32Array,
  windowCells: readonly number[],
): Uint8Array {
  const writer = new ByteWriter();
  for (let w = 0; w + 1 < windowCells.length; w++) {
    let next = 0;
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      const key = cells[cell];
      const step = key === next ? NEXT_KEY : key === nextSlice(next) ? NEXT_SLICE : AHEAD;
      writer.writeNumber(4 * (cellStarts[cell + 1] - cellStarts[cell] - 1) + step);
      if (step === AHEAD) writer.writeNumber(key - next);
      next = key + 1;
    }
  }
  return writer.bytes();
}

/**
 * The cells of all windows, and where their postings begin. A posting takes at least a bit, so the bytes of a window bound how
 * many it can have. That is checked before anybody makes room for them.
 */
export function unpackCells(
  packed: Uint8Array,
  { windowCells, windowBytes }: WindowStarts,
): Pick<PostingLists, "cells" | "cellStarts"> {
  const count = windowCells[windowCells.length - 1];
  const [cells, cellStarts] = [new Uint32Array(count), new Uint32Array(count + 1)];
  const reader = new ByteReader(packed);
  for (let w = 0; w + 1 < windowCells.length; w++) {
    const most = 8 * (windowBytes[w + 1] - windowBytes[w]);
    let [next, postings] = [0, 0];
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      if (reader.isDone) throw damagedSegmentError("the cells of its posting lists end early");
      const head = reader.number();
      const [length, step] = [1 + (head >>> 2), head & 3];
      const key = step === NEXT_KEY ? next : step === NEXT_SLICE ? nextSlice(next) : next + reader.number();
      postings += length;
      if (key > 0xffff_ffff || length > WINDOW_DOCS || postings > most)
        throw damagedSegmentError("a cell or the length of a posting list is out of range");
      cells[cell] = key;
      cellStarts[cell + 1] = cellStarts[cell] + length;
      next = key + 1;
    }
  }
  if (!reader.isAtEnd) throw damagedSegmentError("the cells of its posting lists do not fill their section");
  return { cells, cellStarts };
}

/** The first key of a slice, not below `key`. */
function nextSlice(key: number): number {
  return Math.ceil(key / SLICE_KEYS) * SLICE_KEYS;
}
