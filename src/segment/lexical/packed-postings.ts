// Posting lists ↔ packed sections, as files hold them: about a third of the bytes. A list is cut into blocks of 128 postings.
// A block has the gaps between its lanes, then the ranks of its values (value-classes.ts), both as packed numbers.

import { packVarints, unpackVarints } from "../../support/bytes/varints.ts";
import { splitIntoWindows } from "../rows/windows.ts";
import { fitLevels } from "./levels.ts";
import { BLOCK_NUMBERS, BlockWriter, readBlock, skipBlock } from "./packed-numbers.ts";
import type { Inverted } from "./postings.ts";
import { classifyValues, ranksAt, rankValues, type ValueClasses } from "./value-classes.ts";

/** Posting lists as they are stored. */
export interface PackedLists extends ValueClasses {
  /** By cell: what its key is above the key before in its window, then the length of its list; varints. */
  readonly cells: Uint8Array;
  /** By cell: its list. */
  readonly postings: Uint8Array;
  /** The levels of values, if scans can use them: see levels.ts. Empty otherwise. */
  readonly levels: Uint16Array;
}

/** Where windows begin in packed lists: by window, and once more at the end. */
export interface WindowStarts {
  readonly windowCells: readonly number[];
  /** In `postings`. */
  readonly windowBytes: readonly number[];
}

/** The sections of posting lists. */
export const LIST_SECTIONS = [
  "cells",
  "postings",
  "valueClasses",
  "classStarts",
  "classValues",
  "levels",
] as const satisfies readonly (keyof PackedLists)[];

export function packLists(
  lists: Inverted,
  docs: number,
  windowDocs: number,
): { starts: WindowStarts; packed: PackedLists } {
  const { windowCells, cells, cellStarts, postingDocs, postingValues } = lists;
  const { classes, counts } = classifyValues(lists, docs, windowDocs);
  const { valueClasses } = classes;
  const ranks = rankValues(classes);
  const writer = new BlockWriter();
  const heads = new Uint32Array(2 * cells.length);
  const windowBytes = [0];
  const [gaps, own] = [new Uint16Array(BLOCK_NUMBERS), new Uint16Array(BLOCK_NUMBERS)];
  const isOneClass = valueClasses.length === 0;
  for (const [w, { first }] of splitIntoWindows(docs, windowDocs).entries()) {
    let key = 0;
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      const [start, end] = [cellStarts[cell], cellStarts[cell + 1]];
      heads[2 * cell] = cells[cell] - key;
      heads[2 * cell + 1] = end - start;
      key = cells[cell];
      let next = 0; // the lane after the last one
      for (let from = start; from < end; from += BLOCK_NUMBERS) {
        const count = Math.min(BLOCK_NUMBERS, end - from);
        for (let i = 0; i < count; i++) {
          const lane = postingDocs[from + i];
          gaps[i] = lane - next;
          next = lane + 1;
          const valueClass = isOneClass ? 0 : valueClasses[first + lane];
          own[i] = ranks[ranksAt(valueClass) + postingValues[from + i]];
        }
        writer.add(gaps, count);
        writer.add(own, count);
      }
    }
    windowBytes.push(writer.length);
  }
  const packed = {
    cells: packVarints(heads),
    postings: writer.finish(),
    ...classes,
    levels: fitLevels(counts),
  };
  return { starts: { windowCells, windowBytes }, packed };
}

/** The cells of all windows, and where their postings begin. */
export function unpackCells(
  packed: Uint8Array,
  windowCells: readonly number[],
): Pick<Inverted, "cells" | "cellStarts"> {
  const count = windowCells[windowCells.length - 1];
  const heads = new Uint32Array(2 * count);
  unpackVarints(packed, heads);
  const [cells, cellStarts] = [new Uint32Array(count), new Uint32Array(count + 1)];
  for (let w = 0; w + 1 < windowCells.length; w++) {
    let key = 0;
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      key += heads[2 * cell];
      cells[cell] = key;
      cellStarts[cell + 1] = cellStarts[cell] + heads[2 * cell + 1];
    }
  }
  return { cells, cellStarts };
}

/** Reads lists of one window. */
export class ListReader {
  readonly #bytes: Uint8Array;
  readonly #classes: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #values: Uint16Array;
  /** Where the next list begins. */
  at: number;

  /** `bytes` holds the window's lists, from `at` on; `first` is the window's first document. */
  constructor(
    bytes: Uint8Array,
    { valueClasses, classStarts, classValues }: ValueClasses,
    first: number,
    at = 0,
  ) {
    this.#bytes = bytes;
    this.#classes = valueClasses.subarray(first);
    this.#starts = classStarts;
    this.#values = classValues;
    this.at = at;
  }

  /** Reads the next list into two arrays, from `to` and from `valuesTo` on. Returns its largest value. */
  next(count: number, lanes: Uint16Array, to: number, values: Uint16Array, valuesTo: number): number {
    const [bytes, classes, starts, classValues] = [this.#bytes, this.#classes, this.#starts, this.#values];
    const isOneClass = classes.length === 0;
    let { at } = this;
    let [next, top] = [0, 0];
    for (let from = 0; from < count; from += BLOCK_NUMBERS) {
      const size = count - from < BLOCK_NUMBERS ? count - from : BLOCK_NUMBERS;
      const [lane, value] = [to + from, valuesTo + from];
      at = readBlock(bytes, at, size, lanes, lane);
      at = readBlock(bytes, at, size, values, value);
      for (let i = 0; i < size; i++) {
        next += lanes[lane + i];
        lanes[lane + i] = next;
        const found = classValues[(isOneClass ? 0 : starts[classes[next]]) + values[value + i]];
        values[value + i] = found;
        if (found > top) top = found;
        next++;
      }
    }
    this.at = at;
    return top;
  }

  /** Goes to the list after the next one. */
  skip(count: number): void {
    for (let from = 0; from < count; from += BLOCK_NUMBERS) {
      const size = Math.min(BLOCK_NUMBERS, count - from);
      this.at = skipBlock(this.#bytes, skipBlock(this.#bytes, this.at, size), size);
    }
  }
}

/** Restores posting lists. */
export function unpackLists(
  packed: PackedLists,
  { windowCells, windowBytes }: WindowStarts,
  docs: number,
  windowDocs: number,
): Inverted {
  const { cells, cellStarts } = unpackCells(packed.cells, windowCells);
  const postings = cellStarts[cells.length];
  const [postingDocs, postingValues] = [new Uint16Array(postings), new Uint16Array(postings)];
  const cellTops = new Uint16Array(cells.length);
  for (const [w, { first }] of splitIntoWindows(docs, windowDocs).entries()) {
    const reader = new ListReader(packed.postings, packed, first, windowBytes[w]);
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      const start = cellStarts[cell];
      const count = cellStarts[cell + 1] - start;
      cellTops[cell] = reader.next(count, postingDocs, start, postingValues, start);
    }
  }
  return { windowCells, cells, cellStarts, cellTops, postingDocs, postingValues };
}
