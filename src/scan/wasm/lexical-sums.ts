// A query's slots and one window → upper bounds on the lexical part of its documents' scores. Two layouts have the same
// interface: posting lists that were unpacked (`openPostingLists`), and lists of gaps (`openGaps`).

import type { Row } from "../../densify/rows.ts";
import { type GapDirectory, MOST_CODE, unreadableGapsError } from "../../segment/lexical/gap-lists.ts";
import { MOST_LEVELS } from "../../segment/lexical/levels.ts";
import { cellKey } from "../../segment/lexical/postings.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { firstAtLeast } from "../../support/numbers/sorted.ts";
import type { LoadedWindow, Placement } from "./memories.ts";

/** The postings of one cell or of all cells of a slice in one window: the most that they add to a score, and where they are. */
export interface PostingList {
  /** The query's weight of the term. */
  readonly weight: number;
  /** The most it adds to any document's score. */
  readonly most: number;
  /** How much a code can add beyond the exact value, at most. */
  readonly step: number;
  /**
   * The first posting and the one after the last, counted from the window's first. In a layout of gaps: the first list and the
   * one after the last.
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
  /** Whether it can pay to leave out long lists of little weight. It cannot if looking up a document reads the whole list. */
  readonly skipsLists: boolean;
}

/**
 * The largest int32 sum that may occur: far enough from 2³¹ that no sum overflows. A lower limit makes sums less
 * precise.
 */
const MAX_UNITS = 2 ** 30;

/**
 * How much the sums of these lists can exceed the exact ones: a step for each value's code, and the rounding of
 * weights.
 */
export function boundOverestimate(lists: readonly PostingList[], unit: number): number {
  return lists.reduce((sum, { step }) => sum + step + MOST_CODE * unit, 0);
}

/** Writes what each code means to scratch memory: a value, or a share of the largest value of its list. */
export function placeCodeValues({ levels }: Placement, { arena, scratch }: LoadedWindow): void {
  const table = arena.view(Float64Array, scratch.codeValues, MOST_LEVELS);
  for (let code = 0; code < MOST_LEVELS; code++) {
    if (!levels) table[code] = code / MOST_CODE;
    else if (code < levels.values.length) table[code] = FLOAT16[levels.values[code]];
  }
}

/** Posting lists. With `isGated` false, the inner product: every cell of a slice counts. */
export function openPostingLists(
  { meta, dims, arrays, levels }: Placement,
  isGated: boolean,
): LexicalWindows {
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
      step: levels ? weight * levels.gap : most / MOST_CODE,
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

    unitOf: unitOfAll,

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

/** Lists of gaps. With `isGated` false, the inner product: all lists of a slice. */
export function openGaps({ meta, dims, arrays }: Placement, isGated: boolean): LexicalWindows {
  if (meta.lexical.kind !== "gaps") throw new TypeError("the layout has no lists of gaps");
  const { sliceTops, sliceLists, listIndices, listTops, listStarts } = arrays as unknown as GapDirectory;
  const { windowBytes } = meta.lexical;

  /** The list of a cell; −1 if no document of the window holds it. */
  const listOf = (slice: number, index: number): number => {
    const list = firstAtLeast(listIndices, index, sliceLists[slice], sliceLists[slice + 1]);
    return list < sliceLists[slice + 1] && listIndices[list] === index ? list : -1;
  };
  /** By window: the number of its first list. */
  const firstLists = windowBytes.map((_, w) => sliceLists[w * dims]);
  /** Where a list ends in its window. */
  const endOf = (w: number, list: number): number =>
    list + 1 < firstLists[w + 1] ? listStarts[list + 1] : windowBytes[w + 1] - windowBytes[w];
  const accumulate = (
    { number: w, docs, arena, scratch, address }: LoadedWindow,
    lists: readonly PostingList[],
    unit: number,
  ): void => {
    for (const { step, from, to } of lists) {
      const weight = Math.ceil(step / unit);
      for (let list = from; list < to; list++) {
        const start = address.gapLists + listStarts[list];
        const end = address.gapLists + endOf(w, list);
        if (!arena.kernels.addGapList(start, end, docs, weight, scratch.acc)) throw unreadableGapsError();
      }
    }
  };

  return {
    findLists(w, row) {
      const found: PostingList[] = [];
      for (let i = 0; i < row.slices.length; i++) {
        const slice = w * dims + row.slices[i];
        const list = isGated ? listOf(slice, row.indices[i]) : sliceLists[slice];
        const to = isGated ? list + 1 : sliceLists[slice + 1];
        if (list < 0 || list === to) continue;
        const weight = row.values[i];
        const step = (weight * FLOAT16[sliceTops[slice]]) / MOST_CODE;
        // A document is in one list of a slice at most.
        found.push({ weight, most: step * (isGated ? listTops[list] : MOST_CODE), step, from: list, to });
      }
      return found;
    },

    unitOf: unitOfAll,

    accumulate,

    lookUp(window, lists, listed) {
      const { docs, arena, scratch } = window;
      const unit = unitOfAll(lists);
      accumulate(window, lists, unit);
      const acc = arena.view(Int32Array, scratch.acc, docs);
      const sums = arena.view(Float32Array, scratch.sums, docs);
      const lanes = arena.view(Uint32Array, scratch.lanes, listed);
      const rounded = unit * (1 + 2 ** -20); // rounding to float32 must not make it smaller
      for (const lane of lanes) sums[lane] += acc[lane] * rounded;
      acc.fill(0);
    },

    bytesOf: ({ number: w }, lists) =>
      lists.reduce((sum, { from, to }) => sum + endOf(w, to - 1) - listStarts[from], 0),

    skipsLists: false,
  };
}

/** With this unit, no sum of these lists is larger than `MAX_UNITS` and what rounding adds. */
function unitOfAll(lists: readonly PostingList[]): number {
  return lists.reduce((sum, { most }) => sum + most, 0) / MAX_UNITS;
}
