// Where the terms of a segment's documents stand in their texts: for each term, its documents, and its positions in each of
// them. Phrases are found with it. A segment has it if its index keeps positions.
//
//   directory   for each term that occurs, by ascending id: id − the id before, bytes of its list
//   list        for each of its documents, ascending: 2 · (local − the local before) + (1 if it has several positions),
//               how many positions if there are several, and the positions, each minus the one before
//
// All numbers are varints. What is before the first is −1 for ids and locals, and 0 for positions.

import { ByteReader, ByteWriter } from "../../support/bytes/byte-stream.ts";
import { firstAtLeast } from "../../support/numbers/sorted.ts";

/** Where one term stands. The positions of locals[i] are positions[starts[i]] … positions[starts[i + 1] − 1], ascending. */
export interface TermPositions {
  readonly locals: Uint32Array;
  readonly starts: Uint32Array;
  readonly positions: Uint32Array;
}

export class PositionLists {
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

  /** Where a term stands; undefined if no document of the segment has it. */
  of(id: number): TermPositions | undefined {
    const at = firstAtLeast(this.ids, id);
    if (this.ids[at] !== id) return undefined;
    const [start, end] = [this.#starts[at], this.#starts[at + 1]];
    const reader = new ByteReader(this.lists, start, end);
    // Each number takes at least a byte, so this is room enough.
    const locals = new Uint32Array(end - start);
    const starts = new Uint32Array(end - start + 1);
    const positions = new Uint32Array(end - start);
    let [docs, count, local] = [0, 0, -1];
    while (!reader.isDone) {
      const head = reader.number();
      local += head >>> 1;
      locals[docs++] = local;
      let position = 0;
      for (let left = head & 1 ? reader.number() : 1; left > 0; left--) {
        position += reader.number();
        positions[count++] = position;
      }
      starts[docs] = count;
    }
    return {
      locals: locals.subarray(0, docs),
      starts: starts.subarray(0, docs + 1),
      positions: positions.subarray(0, count),
    };
  }
}

/** Takes lists of terms by ascending id, each document by document. */
class ListsWriter {
  readonly #directory = new ByteWriter();
  readonly #lists = new ByteWriter();
  #lastId = -1;
  #lastLocal = -1;

  /** The next document of the current term. Positions ascend. */
  add(local: number, positions: ArrayLike<number>): void {
    const isSeveral = positions.length > 1;
    this.#lists.number(2 * (local - this.#lastLocal) + Number(isSeveral));
    if (isSeveral) this.#lists.number(positions.length);
    for (let i = 0; i < positions.length; i++)
      this.#lists.number(i === 0 ? positions[0] : positions[i] - positions[i - 1]);
    this.#lastLocal = local;
  }

  /** Writes the list of a term, by calling `fill`, which adds its documents. A term without documents is left out. */
  term(id: number, fill: () => void): void {
    const start = this.#lists.length;
    this.#lastLocal = -1;
    fill();
    if (this.#lists.length === start) return;
    this.#directory.number(id - this.#lastId);
    this.#directory.number(this.#lists.length - start);
    this.#lastId = id;
  }

  finish(): PositionLists {
    return new PositionLists(this.#directory.bytes(), this.#lists.bytes());
  }
}

/** The occurrences of terms in a document: a term's id, and its position. */
export interface Occurrences {
  readonly ids: ArrayLike<number>;
  readonly positions: ArrayLike<number>;
}

/** The lists of a segment. `documents` are its documents in order. */
export function positionListsOf(documents: readonly Occurrences[]): PositionLists {
  const occurrences = documents.reduce((sum, { ids }) => sum + ids.length, 0);
  let terms = 0;
  for (const { ids } of documents) for (let i = 0; i < ids.length; i++) terms = Math.max(terms, ids[i] + 1);
  // Sorted by term, and each term by document, without comparing: count, then put each where it belongs.
  const ends = new Uint32Array(terms + 1);
  for (const { ids } of documents) for (let i = 0; i < ids.length; i++) ends[ids[i] + 1]++;
  for (let id = 0; id < terms; id++) ends[id + 1] += ends[id];
  const starts = ends.slice();
  const [locals, positions] = [new Uint32Array(occurrences), new Uint32Array(occurrences)];
  for (const [local, document] of documents.entries()) {
    for (let i = 0; i < document.ids.length; i++) {
      const at = starts[document.ids[i]]++;
      locals[at] = local;
      positions[at] = document.positions[i];
    }
  }
  const writer = new ListsWriter();
  for (let id = 0; id < terms; id++) {
    writer.term(id, () => {
      for (let from = ends[id]; from < ends[id + 1]; ) {
        let to = from + 1;
        while (to < ends[id + 1] && locals[to] === locals[from]) to++;
        writer.add(locals[from], distinct(positions.subarray(from, to)));
        from = to;
      }
    });
  }
  return writer.finish();
}

/** Ascending, each once: a dictionary may give a word that is also a pair of characters. */
function distinct(positions: Uint32Array): Uint32Array {
  positions.sort();
  return positions.filter((position, i) => i === 0 || position !== positions[i - 1]);
}

/** The lists of segments that are joined. `newLocal[i]` says which local a document of part i gets; −1: it is left out. */
export function joinPositionLists(
  parts: readonly { readonly lists: PositionLists; readonly newLocal: Int32Array }[],
): PositionLists {
  const ids = new Set(parts.flatMap(({ lists }) => [...lists.ids]));
  const writer = new ListsWriter();
  for (const id of Uint32Array.from(ids).sort()) {
    writer.term(id, () => {
      for (const { lists, newLocal } of parts) {
        const list = lists.of(id);
        if (!list) continue;
        const { locals, starts, positions } = list;
        for (let i = 0; i < locals.length; i++) {
          const local = newLocal[locals[i]];
          if (local >= 0) writer.add(local, positions.subarray(starts[i], starts[i + 1]));
        }
      }
    });
  }
  return writer.finish();
}
