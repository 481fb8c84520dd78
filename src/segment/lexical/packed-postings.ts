// Posting lists ↔ packed sections, as files hold them: about a quarter of the bytes. A list is cut into blocks of 128 postings
// (posting-blocks.ts): the gaps between their lanes, and the ranks of their values (value-classes.ts).

import { damagedSegmentError } from "../container/segment-error.ts";
import { splitIntoWindows, type Window } from "../rows/windows.ts";
import { fitLevels } from "./levels.ts";
import { packCells, unpackCells, type WindowStarts } from "./packed-cells.ts";
import { BLOCK_LENGTH, BlockWriter, readBlock, skipBlock, unreadableListError } from "./posting-blocks.ts";
import type { PostingLists } from "./postings.ts";
import { classifyValues, ranksAt, rankValues, requireClasses, type ValueClasses } from "./value-classes.ts";

/** Posting lists as they are stored. */
export interface PackedLists extends ValueClasses {
  /** By cell: its key and the length of its list, packed. */
  readonly cells: Uint8Array;
  /** By cell: its list. */
  readonly postings: Uint8Array;
  /** The levels of values, if scans can use them: see levels.ts. Empty otherwise. */
  readonly levels: Uint16Array;
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
  lists: PostingLists,
  docs: number,
  windowDocs: number,
): { starts: WindowStarts; packed: PackedLists } {
  const { windowCells, cells, cellStarts, postingDocs, postingValues } = lists;
  const { classes, counts } = classifyValues(lists, docs, windowDocs);
  const { valueClasses } = classes;
  const ranks = rankValues(classes);
  const writer = new BlockWriter();
  const windowBytes = [0];
  const [gaps, own] = [new Uint16Array(BLOCK_LENGTH), new Uint16Array(BLOCK_LENGTH)];
  const isOneClass = valueClasses.length === 0;
  for (const [w, { first }] of splitIntoWindows(docs, windowDocs).entries()) {
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      const [start, end] = [cellStarts[cell], cellStarts[cell + 1]];
      let next = 0; // the lane after the last one
      for (let from = start; from < end; from += BLOCK_LENGTH) {
        const count = Math.min(BLOCK_LENGTH, end - from);
        for (let i = 0; i < count; i++) {
          const lane = postingDocs[from + i];
          gaps[i] = lane - next;
          next = lane + 1;
          const valueClass = isOneClass ? 0 : valueClasses[first + lane];
          own[i] = ranks[ranksAt(valueClass) + postingValues[from + i]];
        }
        writer.add(gaps, own, count);
      }
    }
    windowBytes.push(writer.length);
  }
  const packed = {
    cells: packCells(cells, cellStarts, windowCells),
    postings: writer.finish(),
    ...classes,
    levels: fitLevels(counts),
  };
  return { starts: { windowCells, windowBytes }, packed };
}

/** Reads lists of one window. */
export class ListReader {
  readonly #bytes: Uint8Array;
  readonly #docs: number;
  readonly #classes: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #values: Uint16Array;
  /** Where the next list begins. */
  at: number;

  /** `bytes` holds the window's lists, from `at` on. The classes were checked: see `requireClasses`. */
  constructor(
    bytes: Uint8Array,
    { valueClasses, classStarts, classValues }: ValueClasses,
    { first, docs }: Window,
    at = 0,
  ) {
    this.#bytes = bytes;
    this.#docs = docs;
    this.#classes = valueClasses.subarray(first);
    this.#starts = classStarts;
    this.#values = classValues;
    this.at = at;
  }

  /** Reads the next list into two arrays, from `to` and from `valuesTo` on. Returns its largest value. */
  next(count: number, lanes: Uint16Array, to: number, values: Uint16Array, valuesTo: number): number {
    const [bytes, docs, classes] = [this.#bytes, this.#docs, this.#classes];
    const [starts, classValues] = [this.#starts, this.#values];
    const isOneClass = classes.length === 0;
    let { at } = this;
    let [next, top] = [0, 0];
    for (let from = 0; from < count; from += BLOCK_LENGTH) {
      const size = count - from < BLOCK_LENGTH ? count - from : BLOCK_LENGTH;
      const [lane, value] = [to + from, valuesTo + from];
      at = readBlock(bytes, at, size, lanes, lane, values, value);
      for (let i = 0; i < size; i++) {
        next += lanes[lane + i];
        if (next >= docs) throw damagedSegmentError("a posting list names a document that does not exist");
        lanes[lane + i] = next;
        const valueClass = isOneClass ? 0 : classes[next];
        const at = starts[valueClass] + values[value + i];
        if (at >= starts[valueClass + 1])
          throw damagedSegmentError("a posting list has a value that does not exist");
        const found = classValues[at];
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
    for (let from = 0; from < count; from += BLOCK_LENGTH)
      this.at = skipBlock(this.#bytes, this.at, Math.min(BLOCK_LENGTH, count - from));
  }
}

/** Restores posting lists. Throws if their bytes are damaged. */
export function unpackLists(
  packed: PackedLists,
  { windowCells, windowBytes }: WindowStarts,
  docs: number,
  windowDocs: number,
): PostingLists {
  requireClasses(packed);
  const { cells, cellStarts } = unpackCells(packed.cells, { windowCells, windowBytes });
  const postings = cellStarts[cells.length];
  const [postingDocs, postingValues] = [new Uint16Array(postings), new Uint16Array(postings)];
  const cellTops = new Uint16Array(cells.length);
  for (const [w, window] of splitIntoWindows(docs, windowDocs).entries()) {
    const reader = new ListReader(packed.postings, packed, window, windowBytes[w]);
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      const start = cellStarts[cell];
      const count = cellStarts[cell + 1] - start;
      cellTops[cell] = reader.next(count, postingDocs, start, postingValues, start);
    }
    if (reader.at !== windowBytes[w + 1]) throw unreadableListError();
  }
  return { windowCells, cells, cellStarts, cellTops, postingDocs, postingValues };
}
