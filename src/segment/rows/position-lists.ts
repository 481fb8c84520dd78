// Where the terms of a segment's documents stand in their texts: for each term, its documents, and its positions in each of
// them. Phrases are found with it. A segment has it if its index keeps positions.
//
//   list        for each of its documents, ascending: 2 · (local − the local before) + (1 if it has several positions),
//               how many positions if there are several, and the positions, each minus the one before
//
// All numbers are varints. What is before the first is −1 for locals, and 0 for positions. A term that a dictionary and a pair of
// characters both give has the same position twice. It is written twice if the index has text fields, so that there are as
// many positions as the fields have of the term (field-lists.ts), and once otherwise. term-lists.ts has the directory.

import type { ByteWriter } from "./byte-stream.ts";
import { groupByTerm, type JoinedLists, mergeTerms, TermLists, TermListsWriter } from "./term-lists.ts";

/** Where one term stands. The positions of locals[i] are positions[starts[i]] … positions[starts[i + 1] − 1], ascending. */
export interface TermPositions {
  readonly locals: Uint32Array;
  readonly starts: Uint32Array;
  readonly positions: Uint32Array;
}

export class PositionLists extends TermLists {
  /** Where a term stands, each position once; undefined if no document of the segment has it. */
  of(id: number): TermPositions | undefined {
    return this.#read(id, false);
  }

  /** Where a term stands. A position that gave the term twice (see above) is there twice. */
  occurrences(id: number): TermPositions | undefined {
    return this.#read(id, true);
  }

  #read(id: number, hasRepeats: boolean): TermPositions | undefined {
    const list = this.listOf(id);
    if (!list) return undefined;
    const { reader, bytes } = list;
    // Each number takes at least a byte, so this is room enough.
    const locals = new Uint32Array(bytes);
    const starts = new Uint32Array(bytes + 1);
    const positions = new Uint32Array(bytes);
    let [docs, count, local] = [0, 0, -1];
    while (!reader.isDone) {
      const head = reader.number();
      local += head >>> 1;
      locals[docs++] = local;
      let position = 0;
      for (let left = head & 1 ? reader.number() : 1; left > 0; left--) {
        const step = reader.number();
        position += step;
        if (step > 0 || hasRepeats || count === starts[docs - 1]) positions[count++] = position;
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

/** Writes the list of one term, document by document. */
class PositionWriter {
  readonly #list: ByteWriter;
  #lastLocal = -1;

  constructor(list: ByteWriter) {
    this.#list = list;
  }

  /** The next document. Positions ascend. */
  add(local: number, positions: ArrayLike<number>): void {
    const isSeveral = positions.length > 1;
    this.#list.writeNumber(2 * (local - this.#lastLocal) + Number(isSeveral));
    if (isSeveral) this.#list.writeNumber(positions.length);
    for (let i = 0; i < positions.length; i++)
      this.#list.writeNumber(i === 0 ? positions[0] : positions[i] - positions[i - 1]);
    this.#lastLocal = local;
  }
}

/** Places of terms after which other work may run: about a millisecond. */
const YIELDING_PLACES = 1 << 14;

/** The occurrences of terms in a document: a term's id, and its position. */
export interface Occurrences {
  readonly ids: ArrayLike<number>;
  readonly positions: ArrayLike<number>;
}

/**
 * The lists of a segment. `documents` are its documents in order. `hasRepeats`: the index has text fields. Yields now and
 * then.
 */
export function* buildPositionLists(
  documents: readonly Occurrences[],
  hasRepeats: boolean,
): Generator<undefined, PositionLists> {
  const { starts, places } = groupByTerm(documents.map(({ ids }) => ids));
  yield;
  const [localAt, positionAt] = [new Uint32Array(places.length), new Uint32Array(places.length)];
  let place = 0;
  for (const [local, { positions }] of documents.entries()) {
    localAt.fill(local, place, place + positions.length);
    positionAt.set(positions, place);
    place += positions.length;
  }
  const writer = new TermListsWriter();
  let yielded = 0;
  for (let id = 0; id < starts.length - 1; id++) {
    if (starts[id] - yielded >= YIELDING_PLACES) {
      yield;
      yielded = starts[id];
    }
    writer.writeTerm(id, (list) => {
      const documents = new PositionWriter(list);
      for (let from = starts[id]; from < starts[id + 1]; ) {
        const local = localAt[places[from]];
        let to = from + 1;
        while (to < starts[id + 1] && localAt[places[to]] === local) to++;
        const positions = ascendingPositions(places, from, to, positionAt);
        documents.add(local, hasRepeats ? positions : distinct(positions));
        from = to;
      }
    });
  }
  return new PositionLists(...writer.finish());
}

/** The positions of places[from] … places[to − 1], sorted. Most are in order already. */
function ascendingPositions(
  places: Uint32Array,
  from: number,
  to: number,
  positionAt: Uint32Array,
): Uint32Array {
  const positions = new Uint32Array(to - from);
  let isSorted = true;
  for (let i = 0; i < positions.length; i++) {
    positions[i] = positionAt[places[from + i]];
    if (i > 0 && positions[i] < positions[i - 1]) isSorted = false;
  }
  return isSorted ? positions : positions.sort();
}

/** Each position once. A dictionary may give a word that is also a pair of characters. */
function distinct(positions: Uint32Array): Uint32Array {
  for (let i = 1; i < positions.length; i++) {
    if (positions[i] === positions[i - 1])
      return positions.filter((position, at) => at === 0 || position !== positions[at - 1]);
  }
  return positions;
}

/** The lists of segments that are joined. */
export function joinPositionLists(parts: readonly JoinedLists<PositionLists>[]): PositionLists {
  const writer = new TermListsWriter();
  for (const id of mergeTerms(parts)) {
    writer.writeTerm(id, (list) => {
      const documents = new PositionWriter(list);
      for (const { lists, newLocal } of parts) {
        const { locals, starts, positions } = lists.occurrences(id) ?? NOWHERE;
        for (let i = 0; i < locals.length; i++) {
          const local = newLocal[locals[i]];
          if (local >= 0) documents.add(local, positions.subarray(starts[i], starts[i + 1]));
        }
      }
    });
  }
  return new PositionLists(...writer.finish());
}

const NOTHING = new Uint32Array(0);
const NOWHERE: TermPositions = { locals: NOTHING, starts: NOTHING, positions: NOTHING };
