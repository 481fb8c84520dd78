// A query's slots and one window → upper bounds on the lexical part of its documents' scores. Two layouts have the same
// interface: posting lists (`openInverted`) and slice-major columns (`openSlices`).

import type { Row } from "../../densify/rows.ts";
import { MOST_LEVELS } from "../../segment/lexical/levels.ts";
import { cellKey } from "../../segment/lexical/postings.ts";
import { padDocs } from "../../segment/rows/windows.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { firstAtLeast } from "../../support/numbers/sorted.ts";
import type { LoadedWindow, Placement } from "./memories.ts";

/** The postings of one cell in one window, or a column of a slice: the most that they add to a score, and their range. */
export interface PostingList {
  /** The query's weight of the term. */
  readonly weight: number;
  /** The most it adds to any document's score. */
  readonly most: number;
  /** How much a code can add beyond the exact value, at most. */
  readonly step: number;
  /**
   * Posting lists: the first posting and the one after the last, counted from the window's first. Columns: slice and
   * index.
   */
  readonly from: number;
  readonly to: number;
}

export interface LexicalWindows {
  /** The lists of window `w` that a query needs. */
  findLists(w: number, row: Row): PostingList[];
  /** What one unit of int32 sums is worth, if these lists and no others are added. */
  unitOf(lists: readonly PostingList[]): number;
  /** Adds lists to the int32 sums of all documents. */
  accumulate(window: LoadedWindow, lists: readonly PostingList[], unit: number): void;
  /** Adds lists to the float32 sums of listed documents only. */
  lookUp(window: LoadedWindow, lists: readonly PostingList[], listed: number): void;
  /** How many bytes `accumulate` reads. */
  bytesOf(window: LoadedWindow, lists: readonly PostingList[]): number;
  /** Whether it can pay to leave out long lists of little weight. It does not for columns, which are read side by side. */
  readonly skipsLists: boolean;
}

/**
 * The largest int32 sum that may occur: far enough from 2³¹ that no sum overflows. A lower limit makes sums less
 * precise.
 */
const MAX_UNITS = 2 ** 30;

/** The largest weight of a column: the largest int16. */
const MAX_WEIGHT = 32_767;

/** The largest code of a value: the largest byte. */
const MAX_CODE = 255;

/**
 * How much the sums of these lists can exceed the exact ones: a step for each value's code, and the rounding of
 * weights.
 */
export function boundOverestimate(lists: readonly PostingList[], unit: number): number {
  return lists.reduce((sum, { step }) => sum + step + MAX_CODE * unit, 0);
}

/** Writes what each code means to scratch memory: a value, or a share of the largest value of its list. */
export function placeCodeValues({ levels }: Placement, { arena, scratch }: LoadedWindow): void {
  const table = arena.view(Float64Array, scratch.codeValues, MOST_LEVELS);
  for (let code = 0; code < MOST_LEVELS; code++) {
    if (!levels) table[code] = code / MAX_CODE;
    else if (code < levels.values.length) table[code] = FLOAT16[levels.values[code]];
  }
}

/** Posting lists. With `isGated` false, the inner product: every cell of a slice counts. */
export function openInverted({ meta, dims, arrays, levels }: Placement, isGated: boolean): LexicalWindows {
  const cells = arrays.cells as Uint32Array;
  const starts = arrays.cellStarts as Uint32Array;
  const tops = arrays.cellTops as Uint16Array;
  if (meta.lexical.kind !== "inverted") throw new TypeError("the layout has no posting lists");
  const { windowCells } = meta.lexical;

  const listAt = (w: number, cell: number, weight: number): PostingList => {
    const base = starts[windowCells[w]];
    const most = weight * FLOAT16[tops[cell]];
    return {
      weight,
      most,
      step: levels ? weight * levels.gap : most / MAX_CODE,
      from: starts[cell] - base,
      to: starts[cell + 1] - base,
    };
  };
  return {
    findLists(w, row) {
      const found: PostingList[] = [];
      for (let i = 0; i < row.slices.length; i++) {
        const lowest = cellKey(dims, row.slices[i], isGated ? row.indices[i] : 0);
        const beyond = isGated ? lowest + 1 : cellKey(dims, row.slices[i] + 1, 0);
        for (
          let cell = firstAtLeast(cells, lowest, windowCells[w], windowCells[w + 1]);
          cell < windowCells[w + 1] && cells[cell] < beyond;
          cell++
        ) {
          found.push(listAt(w, cell, row.values[i]));
        }
      }
      return found;
    },

    unitOf: (lists) => lists.reduce((sum, { most }) => sum + most, 0) / MAX_UNITS,

    accumulate({ arena, scratch, address }, lists, unit) {
      for (const list of lists) {
        const times = levels ? list.weight : list.most;
        arena.kernels.weighCodes(scratch.codeValues, times, list.most, unit, scratch.weights);
        const [docs, codes] = [address.postingDocs + list.from * 2, address.postingCodes + list.from];
        arena.kernels.scatter(docs, codes, list.to - list.from, scratch.weights, scratch.acc);
      }
    },

    lookUp({ arena, scratch, address }, lists, listed) {
      const factor = 1 + 2 ** -20; // rounding to float32 must not make it smaller
      for (const list of lists) {
        const times = levels ? list.weight : list.most;
        arena.kernels.weighCodesAsFloats(scratch.codeValues, times, list.most, factor, scratch.weights);
        const [docs, codes] = [address.postingDocs + list.from * 2, address.postingCodes + list.from];
        const count = list.to - list.from;
        arena.kernels.lookUp(docs, codes, count, scratch.weights, scratch.lanes, listed, scratch.sums);
      }
    },

    bytesOf: (_, lists) => lists.reduce((sum, { from, to }) => sum + 3 * (to - from), 0),

    skipsLists: true,
  };
}

/** Slice-major columns. With `isGated` false, the inner product: indices are not compared. */
export function openSlices({ meta, dims, arrays }: Placement, isGated: boolean): LexicalWindows {
  const tops = arrays.sliceTops as Uint16Array;
  const codes = arrays.cellCodes as Uint8Array;
  if (meta.lexical.kind !== "slices") throw new TypeError("the layout has no slice-major columns");
  const { perSlice } = meta.lexical;
  return {
    findLists(w, row) {
      const found: PostingList[] = [];
      for (let i = 0; i < row.slices.length; i++) {
        const [slice, index] = [row.slices[i], row.indices[i]];
        const top = FLOAT16[tops[w * dims + slice]];
        if (isGated && index >= perSlice) continue;
        const code = isGated ? codes[(w * dims + slice) * perSlice + index] : MAX_CODE;
        if (code === 0 || top === 0) continue;
        const step = (row.values[i] * top) / MAX_CODE;
        found.push({ weight: row.values[i], most: step * code, step, from: slice, to: index });
      }
      return found;
    },

    unitOf: largestStep,

    accumulate(window, lists, unit) {
      const { arena, scratch } = window;
      const count = writeSlots(window, lists, unit);
      const add = isGated ? arena.kernels.gatedSlices : arena.kernels.openSlices;
      add(scratch.slots, count, padDocs(window.docs), scratch.acc);
    },

    lookUp(window, lists, listed) {
      const { arena, scratch } = window;
      const unit = largestStep(lists);
      const count = writeSlots(window, lists, unit);
      arena.kernels.gatherSlices(
        scratch.slots,
        count,
        unit * (1 + 2 ** -20),
        scratch.lanes,
        listed,
        scratch.sums,
      );
    },

    bytesOf: ({ docs }, lists) => lists.length * docs * (isGated ? 2 : 1),

    skipsLists: false,
  };
}

/** The unit of columns: the heaviest of them gets the largest weight. */
function largestStep(lists: readonly PostingList[]): number {
  return lists.reduce((largest, { step }) => Math.max(largest, step), 0) / MAX_WEIGHT;
}

/** Writes the query's slots to the scratch memory, as the kernels of columns read them. Returns how many there are. */
function writeSlots(
  { docs, arena, scratch, address }: LoadedWindow,
  lists: readonly PostingList[],
  unit: number,
): number {
  const width = padDocs(docs);
  const count = lists.length + (lists.length & 1);
  const slots = arena.view(Int32Array, scratch.slots, count * 4);
  for (let i = 0; i < count; i++) {
    // Kernels take slots in pairs. If the last has no partner, it is repeated with weight 0.
    const { step, from: slice, to: index } = lists[Math.min(i, lists.length - 1)];
    const column = address.slices + slice * 2 * width;
    const weight = i < lists.length ? Math.min(MAX_WEIGHT, Math.ceil(step / unit)) : 0;
    slots.set([column, column + width, index, weight], i * 4);
  }
  return count;
}
