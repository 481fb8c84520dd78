// Rows → inverted lists: for every cell of a window, the documents that hold it and what it weighs there. The layout
// for rows with many empty slots: BM25, SPLADE, one slice per term.
//
// Values are bytes, rounded up: value ≤ code · top / 255, where top is the largest value of the list. A sum of such is
// never less than the true one, and a value above 0 never becomes 0.

import { FLOAT16 } from "../kernel/float16.ts";
import type { Rows } from "../kernel/rows.ts";
import { type Window, windowsOf } from "./windows.ts";

export interface Inverted {
  /** By window, and once more at the end: where its cells begin. */
  readonly windowCells: number[];
  /** The cells of each window, ascending: see `cellKey`. */
  readonly cells: Uint32Array;
  /** By cell, and once more at the end: where its postings begin. */
  readonly cellStarts: Uint32Array;
  /** By cell: the largest value, float16 bits. */
  readonly cellTops: Uint16Array;
  /** By posting: the document's place in its window, ascending in a list. */
  readonly postingDocs: Uint16Array;
  readonly postingValues: Uint8Array;
}

/** Rows wider than this have one term a slice, so that the slice alone names a cell. */
const INDEXED_DIMS = 65_536;

/** A cell as one number. */
export function cellKey(dims: number, slice: number, index: number): number {
  return dims > INDEXED_DIMS ? slice : slice * 65_536 + index;
}

export function invert(rows: Rows, windowDocs?: number): Inverted {
  const slots = rows.starts[rows.docs];
  const lists = new Lists(rows, slots);
  const windowCells = [0];
  for (const window of windowsOf(rows.docs, windowDocs)) {
    lists.add(window);
    windowCells.push(lists.cells.length);
  }
  return {
    windowCells,
    cells: Uint32Array.from(lists.cells),
    cellStarts: Uint32Array.from([...lists.starts, slots]),
    cellTops: Uint16Array.from(lists.tops),
    postingDocs: lists.docs,
    postingValues: lists.values,
  };
}

class Lists {
  readonly cells: number[] = [];
  readonly starts: number[] = [];
  readonly tops: number[] = [];
  readonly docs: Uint16Array;
  readonly values: Uint8Array;
  readonly #rows: Rows;

  constructor(rows: Rows, slots: number) {
    this.#rows = rows;
    this.docs = new Uint16Array(slots);
    this.values = new Uint8Array(slots);
  }

  add({ first, docs }: Window): void {
    const { starts, slices, indices, values, dims } = this.#rows;
    const [from, to] = [starts[first], starts[first + docs]];
    const keys = new Uint32Array(to - from);
    const places = new Uint16Array(to - from);
    for (let doc = first; doc < first + docs; doc++) {
      for (let i = starts[doc]; i < starts[doc + 1]; i++) {
        keys[i - from] = cellKey(dims, slices[i], indices[i]);
        places[i - from] = doc - first;
      }
    }
    const order = orderOf(keys);
    for (let start = 0; start < order.length; ) {
      const key = keys[order[start]];
      let end = start;
      let top = 0;
      for (; end < order.length && keys[order[end]] === key; end++) {
        top = Math.max(top, FLOAT16[values[from + order[end]]]);
        if (FLOAT16[values[from + order[end]]] === top)
          this.tops[this.cells.length] = values[from + order[end]];
      }
      this.cells.push(key);
      this.starts.push(from + start);
      for (let i = start; i < end; i++) {
        this.docs[from + i] = places[order[i]];
        this.values[from + i] = Math.ceil((FLOAT16[values[from + order[i]]] * 255) / top);
      }
      start = end;
    }
  }
}

/** Positions in ascending order of their keys, equal ones as they stood: by the lower 16 bits, then by the upper. */
function orderOf(keys: Uint32Array): Uint32Array {
  const all = Uint32Array.from(keys, (_, i) => i);
  return byDigit(keys, byDigit(keys, all, 0), 16);
}

function byDigit(keys: Uint32Array, order: Uint32Array, shift: number): Uint32Array {
  const next = new Uint32Array(65_537);
  for (const key of keys) next[((key >>> shift) & 0xffff) + 1]++;
  for (let digit = 1; digit <= 65_536; digit++) next[digit] += next[digit - 1];
  const sorted = new Uint32Array(order.length);
  for (const position of order) sorted[next[(keys[position] >>> shift) & 0xffff]++] = position;
  return sorted;
}
