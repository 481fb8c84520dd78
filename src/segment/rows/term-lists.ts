// Lists of bytes by term: for each term that occurs in a segment, a list of its documents. What a list says of each document is
// up to the caller: positions (position-lists.ts), or counts by field (field-lists.ts).
//
//   directory   for each term that occurs, by ascending id: id − the id before (−1 for the first), bytes of its list
//   lists       the lists, one after another
//
// All numbers are varints.

import { firstAtLeast } from "../../support/numbers/sorted.ts";
import { ByteReader, ByteWriter } from "./byte-stream.ts";

export class TermLists {
  readonly directory: Uint8Array;
  readonly lists: Uint8Array;
  /** The ids of the terms that occur, ascending. */
  readonly ids: Uint32Array;
  /** Where the list of ids[i] begins. */
  readonly #starts: Uint32Array;

  constructor(directory: Uint8Array, lists: Uint8Array) {
    this.directory = directory;
    this.lists = lists;
    const [ids, starts]: [number[], number[]] = [[], [0]];
    const reader = new ByteReader(directory);
    let id = -1;
    while (!reader.isDone) {
      id += reader.number();
      ids.push(id);
      starts.push(starts[starts.length - 1] + reader.number());
    }
    this.ids = Uint32Array.from(ids);
    this.#starts = Uint32Array.from(starts);
  }

  /** Whether the directory and the lists have the same length. */
  get isWhole(): boolean {
    return this.#starts[this.ids.length] === this.lists.length;
  }

  /** The list of a term, and its bytes; undefined if no document of the segment has it. */
  listOf(id: number): { readonly reader: ByteReader; readonly bytes: number } | undefined {
    const at = firstAtLeast(this.ids, id);
    if (this.ids[at] !== id) return undefined;
    const [start, end] = [this.#starts[at], this.#starts[at + 1]];
    return { reader: new ByteReader(this.lists, start, end), bytes: end - start };
  }
}

/** Takes lists of terms by ascending id. */
export class TermListsWriter {
  readonly #directory = new ByteWriter();
  readonly #lists = new ByteWriter();
  #lastId = -1;

  /** Writes the list of a term, by calling `fill`. A term whose list stays empty is left out. */
  writeTerm(id: number, fill: (list: ByteWriter) => void): void {
    const start = this.#lists.length;
    fill(this.#lists);
    if (this.#lists.length === start) return;
    this.#directory.writeNumber(id - this.#lastId);
    this.#directory.writeNumber(this.#lists.length - start);
    this.#lastId = id;
  }

  finish(): [directory: Uint8Array, lists: Uint8Array] {
    return [this.#directory.bytes(), this.#lists.bytes()];
  }
}

/** Lists of a segment that is joined with others. `newLocal` says which local a document gets; −1: it is left out. */
export interface JoinedLists<Lists> {
  readonly lists: Lists;
  readonly newLocal: Int32Array;
}

/** The terms of several segments, ascending, each once. */
export function mergeTerms(parts: readonly JoinedLists<Pick<TermLists, "ids">>[]): Uint32Array {
  return Uint32Array.from(new Set(parts.flatMap(({ lists }) => [...lists.ids]))).sort();
}

/** The ids of the terms of documents → by term, the places where it is. A place counts the terms of all documents. */
export function groupByTerm(documents: readonly ArrayLike<number>[]): {
  /** The places of a term are places[starts[id]] … places[starts[id + 1] − 1], ascending. */
  readonly starts: Uint32Array;
  readonly places: Uint32Array;
} {
  let [count, terms] = [0, 0];
  for (const ids of documents) {
    count += ids.length;
    for (let i = 0; i < ids.length; i++) terms = Math.max(terms, ids[i] + 1);
  }
  // Sorted without comparing: count, then put each where it belongs.
  const starts = new Uint32Array(terms + 1);
  for (const ids of documents) for (let i = 0; i < ids.length; i++) starts[ids[i] + 1]++;
  for (let id = 0; id < terms; id++) starts[id + 1] += starts[id];
  const next = starts.slice();
  const places = new Uint32Array(count);
  let place = 0;
  for (const ids of documents) for (let i = 0; i < ids.length; i++) places[next[ids[i]]++] = place++;
  return { starts, places };
}
