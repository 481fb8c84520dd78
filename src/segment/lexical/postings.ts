// Rows ↔ posting lists. A cell's list has the documents of a window that hold it, and its value in each. This is the
// layout for rows with many empty slots: BM25, SPLADE, one slice per term. Nothing is lost, so a segment with posting lists
// does not store its rows: `rowsFromLists` restores them.

import type { Row, Rows } from "../../densify/rows.ts";
import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { splitIntoWindows, type Window } from "../rows/windows.ts";

/** The posting lists of all windows of a segment. */
export interface PostingLists {
  /** By window, and once more at the end: where its cells begin. */
  readonly windowCells: readonly number[];
  /** The cells of each window, ascending: see `cellKey`. */
  readonly cells: Uint32Array;
  /** By cell, and once more at the end: where its postings begin. */
  readonly cellStarts: Uint32Array;
  /** By cell: the largest value, float16 bits. */
  readonly cellTops: Uint16Array;
  /** By posting: the document's lane, ascending in a list. */
  readonly postingDocs: Uint16Array;
  /** By posting: float16 bits. */
  readonly postingValues: Uint16Array;
}

/** Rows with more slices than this have one term per slice, so the slice alone names a cell. */
const INDEXED_DIMS = 65_536;

/** A cell as one number. */
export function cellKey(dims: number, slice: number, index: number): number {
  return dims > INDEXED_DIMS ? slice : slice * 65_536 + index;
}

function cellFromKey(dims: number, key: number): { slice: number; index: number } {
  return dims > INDEXED_DIMS ? { slice: key, index: 0 } : { slice: key >>> 16, index: key & 0xffff };
}

export function toPostingLists(rows: Rows, windowDocs?: number): PostingLists {
  const lists = new ListCollector(rows);
  const windowCells = [0];
  for (const window of splitIntoWindows(rows.docs, windowDocs)) {
    lists.add(window);
    windowCells.push(lists.count);
  }
  return { windowCells, ...lists.finish() };
}

/** Collects posting lists, window by window. */
class ListCollector {
  readonly #rows: Rows;
  readonly #docs: Uint16Array;
  readonly #values: Uint16Array;
  #cells = new Uint32Array(1024);
  #starts = new Uint32Array(1024);
  #tops = new Uint16Array(1024);
  count = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#docs = new Uint16Array(rows.starts[rows.docs]);
    this.#values = new Uint16Array(rows.starts[rows.docs]);
  }

  add(window: Window): void {
    if (this.#rows.dims > INDEXED_DIMS) this.#addWide(window);
    else this.#addSorted(window);
  }

  /** If every slice is a cell, the lengths of the lists say where each posting goes, so nothing is sorted. */
  #addWide({ first, docs }: Window): void {
    const { starts, slices, values, dims } = this.#rows;
    const [from, to] = [starts[first], starts[first + docs]];
    const next = new Uint32Array(dims); // by slice: how long its list is, then where its next posting goes
    for (let i = from; i < to; i++) next[slices[i]]++;
    const firstList = this.count;
    let start = from;
    for (let slice = 0; slice < dims; slice++) {
      const length = next[slice];
      if (length === 0) continue;
      this.#begin(slice, start);
      next[slice] = start;
      start += length;
    }
    const [postingDocs, postingValues] = [this.#docs, this.#values];
    for (let local = first; local < first + docs; local++) {
      for (let i = starts[local]; i < starts[local + 1]; i++) {
        const posting = next[slices[i]]++;
        postingDocs[posting] = local - first;
        postingValues[posting] = values[i];
      }
    }
    for (let list = firstList; list < this.count; list++)
      this.#tops[list] = largest(
        postingValues,
        this.#starts[list],
        list + 1 < this.count ? this.#starts[list + 1] : to,
      );
  }

  #addSorted({ first, docs }: Window): void {
    const { starts, slices, indices, values, dims } = this.#rows;
    const [from, to] = [starts[first], starts[first + docs]];
    const keys = new Uint32Array(to - from);
    const lanes = new Uint16Array(to - from);
    for (let local = first; local < first + docs; local++) {
      for (let i = starts[local]; i < starts[local + 1]; i++) {
        keys[i - from] = cellKey(dims, slices[i], indices[i]);
        lanes[i - from] = local - first;
      }
    }
    const order = sortPositions(keys);
    let last = -1;
    for (let i = 0; i < order.length; i++) {
      const key = keys[order[i]];
      const value = values[from + order[i]];
      if (key !== last) this.#begin(key, from + i);
      last = key;
      // Bits of positive float16 numbers sort like the numbers.
      if (value > this.#tops[this.count - 1]) this.#tops[this.count - 1] = value;
      this.#docs[from + i] = lanes[order[i]];
      this.#values[from + i] = value;
    }
  }

  finish() {
    const { count } = this;
    this.#begin(0, this.#docs.length);
    return {
      cells: this.#cells.slice(0, count),
      cellStarts: this.#starts.slice(0, count + 1),
      cellTops: this.#tops.slice(0, count),
      postingDocs: this.#docs,
      postingValues: this.#values,
    };
  }

  #begin(key: number, start: number): void {
    this.count++;
    this.#cells = ensureCapacity(this.#cells, this.count);
    this.#starts = ensureCapacity(this.#starts, this.count);
    this.#tops = ensureCapacity(this.#tops, this.count);
    this.#cells[this.count - 1] = key;
    this.#starts[this.count - 1] = start;
  }
}

function largest(values: Uint16Array, from: number, to: number): number {
  let top = 0;
  for (let i = from; i < to; i++) if (values[i] > top) top = values[i];
  return top;
}

/**
 * Values → bytes, as a scan needs them: rounded up, in steps of a list's largest value / 255. A sum of codes is never less
 * than the exact one, and a value above 0 never becomes 0. `values` and `codes` have the postings from cell `from` to
 * before cell `to`.
 */
export function encodeValues(
  { cellStarts, cellTops }: Pick<PostingLists, "cellStarts" | "cellTops">,
  from: number,
  to: number,
  values: Uint16Array,
  codes: Uint8Array,
): void {
  const base = cellStarts[from];
  for (let cell = from; cell < to; cell++) {
    const top = FLOAT16[cellTops[cell]];
    const end = cellStarts[cell + 1] - base;
    for (let i = cellStarts[cell] - base; i < end; i++)
      codes[i] = Math.ceil((FLOAT16[values[i]] * 255) / top);
  }
}

type LexicalArrays = Pick<Rows, "starts" | "slices" | "indices" | "values">;

/** Restores the rows that posting lists were made from. `perSlice` is the one that `RowsBuilder` was given. */
export function rowsFromLists(
  { windowCells, cells, cellStarts, postingDocs, postingValues }: PostingLists,
  { docs, dims, perSlice }: { docs: number; dims: number; perSlice: number },
  windowDocs?: number,
): LexicalArrays {
  const slots = postingDocs.length;
  const starts = new Uint32Array(docs + 1);
  const slices = dims <= 65_536 ? new Uint16Array(slots) : new Uint32Array(slots);
  const indices = perSlice <= 256 ? new Uint8Array(slots) : new Uint16Array(slots);
  const values = new Uint16Array(slots);
  for (const [w, { first, docs: own }] of splitIntoWindows(docs, windowDocs).entries()) {
    const [from, to] = [cellStarts[windowCells[w]], cellStarts[windowCells[w + 1]]];
    for (let i = from; i < to; i++) starts[first + postingDocs[i] + 1]++;
    for (let local = first; local < first + own; local++) starts[local + 1] += starts[local];
    const next = starts.slice(first, first + own);
    // Cells ascend by slice, so the slots of every row do, too.
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      const { slice, index } = cellFromKey(dims, cells[cell]);
      for (let i = cellStarts[cell]; i < cellStarts[cell + 1]; i++) {
        const slot = next[postingDocs[i]]++;
        slices[slot] = slice;
        indices[slot] = index;
        values[slot] = postingValues[i];
      }
    }
  }
  return { starts, slices, indices, values };
}

/** The row of one document. Searches all postings of its window. */
export function rowFromLists(
  { windowCells, cells, cellStarts, postingDocs, postingValues }: PostingLists,
  dims: number,
  local: number,
  windowDocs: number,
): Row {
  const w = Math.floor(local / windowDocs);
  const lane = local - w * windowDocs;
  const row = { slices: [] as number[], indices: [] as number[], values: [] as number[] };
  for (let cell = windowCells[w], i = cellStarts[cell]; i < cellStarts[windowCells[w + 1]]; i++) {
    if (postingDocs[i] !== lane) continue;
    while (cellStarts[cell + 1] <= i) cell++;
    const { slice, index } = cellFromKey(dims, cells[cell]);
    row.slices.push(slice);
    row.indices.push(index);
    row.values.push(FLOAT16[postingValues[i]]);
  }
  return {
    slices: Uint32Array.from(row.slices),
    indices: Uint16Array.from(row.indices),
    values: Float32Array.from(row.values),
  };
}

/** Says what is wrong with posting lists; undefined if nothing is. */
export function findProblem(lists: PostingLists, docs: number, windowDocs?: number): string | undefined {
  const { windowCells, cells, cellStarts, cellTops, postingDocs, postingValues } = lists;
  const windows = splitIntoWindows(docs, windowDocs);
  const ends = [windowCells.at(-1), cellTops.length, cellStarts.length - 1];
  if (windowCells.length !== windows.length + 1 || ends.some((end) => end !== cells.length)) {
    return "its posting lists do not match its windows";
  }
  if (cellStarts[cells.length] !== postingDocs.length || postingValues.length !== postingDocs.length) {
    return `its posting lists should have ${cellStarts[cells.length]} postings, but have ${postingDocs.length} documents and ${postingValues.length} values`;
  }
  for (const [w, { docs: own }] of windows.entries()) {
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      const isNext = cell === windowCells[w] || cells[cell] > cells[cell - 1];
      if (!isNext || cellStarts[cell + 1] < cellStarts[cell]) return "its posting lists are out of order";
      for (let i = cellStarts[cell]; i < cellStarts[cell + 1]; i++) {
        if (i > cellStarts[cell] && postingDocs[i] <= postingDocs[i - 1])
          return "a posting list is out of order";
        if (postingDocs[i] >= own) return "a posting list names a document that does not exist";
        if (postingValues[i] === 0 || postingValues[i] > cellTops[cell])
          return "a posting list has a value of 0, or one above its largest";
      }
    }
  }
  return undefined;
}

/** Positions in ascending order of their keys. A stable radix sort: by the lower 16 bits, then by the upper. */
function sortPositions(keys: Uint32Array): Uint32Array {
  const all = Uint32Array.from(keys, (_, i) => i);
  return sortByDigit(keys, sortByDigit(keys, all, 0), 16);
}

function sortByDigit(keys: Uint32Array, order: Uint32Array, shift: number): Uint32Array {
  const next = new Uint32Array(65_537);
  for (const key of keys) next[((key >>> shift) & 0xffff) + 1]++;
  for (let digit = 1; digit <= 65_536; digit++) next[digit] += next[digit - 1];
  const sorted = new Uint32Array(order.length);
  for (const entry of order) sorted[next[(keys[entry] >>> shift) & 0xffff]++] = entry;
  return sorted;
}
