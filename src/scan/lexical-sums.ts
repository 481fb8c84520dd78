// The lexical part of a window: a query's slots → what each document's words can score, never less than the truth.

import type { Row } from "../densify/rows.ts";
import { MOST_LEVELS } from "../segment/levels.ts";
import { cellKey } from "../segment/postings.ts";
import { paddedDocs } from "../segment/windows.ts";
import { FLOAT16 } from "../support/float16.ts";
import type { PlacedWindow, Placement } from "./memories.ts";

/** A part of a query in one window: what it can add, and how to add it. */
export interface List {
  /** What the query gives the word. */
  readonly weight: number;
  /** The most it adds to any document's score. */
  readonly most: number;
  /** How much more a code adds than the value it stands for, at most. */
  readonly step: number;
  /** Where its postings begin and end, counted from the window's first; or its slice and index. */
  readonly from: number;
  readonly to: number;
}

export interface LexicalWindows {
  /** What of a query the window answers. */
  lists(w: number, row: Row): List[];
  /** Adds lists to the int32 sums of all documents; returns what one unit of them is worth. */
  accumulate(window: PlacedWindow, lists: readonly List[]): number;
  /** Adds lists to the float32 sums of listed documents alone. */
  lookUp(window: PlacedWindow, lists: readonly List[], listed: number): void;
  /** What `accumulate` reads. */
  bytesOf(window: PlacedWindow, lists: readonly List[]): number;
  /** Whether a long list that hardly matters is worth leaving out: it is not where all are read side by side. */
  readonly skipsLists: boolean;
}

/** Sums stay far from the end of int32. */
const MOST_UNITS = 2 ** 30;

/** The largest weight that a multiplication of int16 takes. */
const MOST_WEIGHT = 32_767;

/** Codes a value has. */
const CODES = 255;

/** How much the sums of accumulated lists can exceed the truth: a code each for values, and what weights were rounded up. */
export function looseness(lists: readonly List[], unit: number): number {
  return lists.reduce((sum, { step }) => sum + step + CODES * unit, 0);
}

/** Inverted lists. `gated` false: the inner product, every cell of a slice. */
export function openInverted({ meta, dims, arrays, levels }: Placement, gated: boolean): LexicalWindows {
  const cells = arrays.cells as Uint32Array;
  const starts = arrays.cellStarts as Uint32Array;
  const tops = arrays.cellTops as Uint16Array;
  if (meta.lexical.kind !== "inverted") throw new TypeError("not inverted lists");
  const { windowCells } = meta.lexical;

  const listAt = (w: number, cell: number, weight: number): List => {
    const base = starts[windowCells[w]];
    const most = weight * FLOAT16[tops[cell]];
    return {
      weight,
      most,
      step: levels ? weight * levels.gap : most / CODES,
      from: starts[cell] - base,
      to: starts[cell + 1] - base,
    };
  };
  // What codes stand for: values, or shares of the largest value of their list.
  const codes = levels
    ? Float64Array.from(levels.values, (value) => FLOAT16[value])
    : Float64Array.from({ length: MOST_LEVELS }, (_, code) => code / CODES);
  /** Calls `set` with each code and what it adds to a score, which is never less than what its values do. */
  const weigh = ({ weight, most }: List, set: (code: number, worth: number) => void) => {
    const times = levels ? weight : most;
    for (let code = 0; code < codes.length; code++) set(code, Math.min(most, times * codes[code]));
  };
  return {
    lists(w, row) {
      const found: List[] = [];
      for (let i = 0; i < row.slices.length; i++) {
        const lowest = cellKey(dims, row.slices[i], gated ? row.indices[i] : 0);
        const beyond = gated ? lowest + 1 : cellKey(dims, row.slices[i] + 1, 0);
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

    accumulate({ arena, scratch, at }, lists) {
      const unit = lists.reduce((sum, { most }) => sum + most, 0) / MOST_UNITS;
      const table = arena.view(Int32Array, scratch.weights, MOST_LEVELS);
      for (const list of lists) {
        weigh(list, (code, worth) => {
          table[code] = Math.ceil(worth / unit);
        });
        const [docs, codes] = [at.postingDocs + list.from * 2, at.postingCodes + list.from];
        arena.kernels.scatter(docs, codes, list.to - list.from, scratch.weights, scratch.acc);
      }
      return unit;
    },

    lookUp({ arena, scratch, at }, lists, listed) {
      const table = arena.view(Float32Array, scratch.weights, MOST_LEVELS);
      for (const list of lists) {
        weigh(list, (code, worth) => {
          table[code] = worth * (1 + 2 ** -20); // never less, after rounding to float32
        });
        const [docs, codes] = [at.postingDocs + list.from * 2, at.postingCodes + list.from];
        const count = list.to - list.from;
        arena.kernels.lookUp(docs, codes, count, scratch.weights, scratch.places, listed, scratch.sums);
      }
    },

    bytesOf: (_, lists) => lists.reduce((sum, { from, to }) => sum + 3 * (to - from), 0),

    skipsLists: true,
  };
}

/** Slice-major columns. */
export function openSlices({ meta, dims, arrays }: Placement, gated: boolean): LexicalWindows {
  const tops = arrays.sliceTops as Uint16Array;
  const codes = arrays.cellCodes as Uint8Array;
  if (meta.lexical.kind !== "slices") throw new TypeError("not slices");
  const { perSlice } = meta.lexical;
  return {
    lists(w, row) {
      const found: List[] = [];
      for (let i = 0; i < row.slices.length; i++) {
        const [slice, index] = [row.slices[i], row.indices[i]];
        const top = FLOAT16[tops[w * dims + slice]];
        if (gated && index >= perSlice) continue;
        const code = gated ? codes[(w * dims + slice) * perSlice + index] : CODES;
        if (code === 0 || top === 0) continue;
        const step = (row.values[i] * top) / CODES;
        found.push({ weight: row.values[i], most: step * code, step, from: slice, to: index });
      }
      return found;
    },

    accumulate(window, lists) {
      const { arena, scratch } = window;
      const { unit, count } = fillSlots(window, lists);
      const add = gated ? arena.kernels.gatedSlices : arena.kernels.openSlices;
      add(scratch.slots, count, paddedDocs(window.docs), scratch.acc);
      return unit;
    },

    lookUp(window, lists, listed) {
      const { arena, scratch } = window;
      const { unit, count } = fillSlots(window, lists);
      arena.kernels.gatherSlices(
        scratch.slots,
        count,
        unit * (1 + 2 ** -20),
        scratch.places,
        listed,
        scratch.sums,
      );
    },

    bytesOf: ({ docs }, lists) => lists.length * docs * (gated ? 2 : 1),

    skipsLists: false,
  };
}

/** Writes what lists ask of the columns of a window where kernels read it. */
function fillSlots({ docs, arena, scratch, at }: PlacedWindow, lists: readonly List[]) {
  const width = paddedDocs(docs);
  const count = lists.length + (lists.length & 1);
  const unit = lists.reduce((largest, { step }) => Math.max(largest, step), 0) / MOST_WEIGHT;
  const slots = arena.view(Int32Array, scratch.slots, count * 4);
  for (let i = 0; i < count; i++) {
    // The second of a pair may be no slot: the last again, with weight 0.
    const { step, from: slice, to: index } = lists[Math.min(i, lists.length - 1)];
    const column = at.slices + slice * 2 * width;
    const weight = i < lists.length ? Math.min(MOST_WEIGHT, Math.ceil(step / unit)) : 0;
    slots.set([column, column + width, index, weight], i * 4);
  }
  return { unit, count };
}

/** The first place in [from, to) whose key is at least this, or `to`. */
function firstAtLeast(keys: Uint32Array, key: number, from: number, to: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
