// How often each text field of a segment's documents has each term, and how many terms each field has. Searches with other
// weights of fields read it, and explanations. A segment has it if its index has text fields.
//
//   list        for each of its documents, ascending: 2 · (local − the local before) + (1 if it has a factor), the factor as
//               float16 bits, then for each field that has the term: 2 · (fields · (count − 1) + field) + (1 if another follows)
//   lengths     for each document, for each field: how many terms it has
//
// All numbers are varints. The local before the first one counts as −1. term-lists.ts has the directory. BM25's weight is
// multiplied by the factor (factor-lists.ts has all factors of a document, but not by term).

import { packVarints, unpackVarints } from "../../support/bytes/varints.ts";
import { FLOAT16, toFloat16 } from "../../support/numbers/float16.ts";
import type { ByteWriter } from "./byte-stream.ts";
import { groupByTerm, type JoinedLists, mergeTerms, TermLists, TermListsWriter } from "./term-lists.ts";

/** The documents that have one term. counts[fields · i + field] says how often a field of locals[i] has it. */
interface FieldTermCounts {
  readonly locals: Uint32Array;
  readonly counts: Uint32Array;
  /** What BM25's weight is multiplied by. */
  readonly factors: Float32Array;
}

export class FieldLists extends TermLists {
  /** How many text fields there are. */
  readonly fields: number;
  /** lengths[fields · local + field] says how many terms a field of a document has. */
  readonly lengths: Uint32Array;

  constructor(directory: Uint8Array, lists: Uint8Array, lengths: Uint32Array, docs: number) {
    super(directory, lists);
    this.lengths = lengths;
    this.fields = lengths.length / docs;
  }

  static unpack(directory: Uint8Array, lists: Uint8Array, lengths: Uint8Array, docs: number): FieldLists {
    const numbers = new Uint32Array(lengths.reduce((sum, byte) => sum + Number(byte < 0x80), 0));
    unpackVarints(lengths, numbers);
    return new FieldLists(directory, lists, numbers, docs);
  }

  packedLengths(): Uint8Array {
    return packVarints(this.lengths);
  }

  /** The documents that have a term; undefined if there are none. */
  of(id: number): FieldTermCounts | undefined {
    const list = this.listOf(id);
    if (!list) return undefined;
    const { reader, bytes } = list;
    const { fields } = this;
    // A document takes at least two bytes, so this is room enough.
    const most = bytes >>> 1;
    const locals = new Uint32Array(most);
    const counts = new Uint32Array(most * fields);
    const factors = new Float32Array(most).fill(1);
    let [docs, local] = [0, -1];
    while (!reader.isDone) {
      const head = reader.number();
      local += head >>> 1;
      locals[docs] = local;
      if (head & 1) factors[docs] = FLOAT16[reader.number()];
      for (let follows = 1; follows; ) {
        const pair = reader.number();
        follows = pair & 1;
        const [count, field] = [Math.floor((pair >>> 1) / fields) + 1, (pair >>> 1) % fields];
        counts[docs * fields + field] = count;
      }
      docs++;
    }
    return {
      locals: locals.subarray(0, docs),
      counts: counts.subarray(0, docs * fields),
      factors: factors.subarray(0, docs),
    };
  }
}

/** Writes the list of one term, document by document. */
class CountWriter {
  readonly #list: ByteWriter;
  readonly #fields: number;
  #lastLocal = -1;

  constructor(list: ByteWriter, fields: number) {
    this.#list = list;
    this.#fields = fields;
  }

  /** The next document: counts[at] … are its counts by field. */
  add(local: number, counts: ArrayLike<number>, at: number, factor: number): void {
    const list = this.#list;
    list.writeNumber(2 * (local - this.#lastLocal) + Number(factor !== 1));
    if (factor !== 1) list.writeNumber(toFloat16(factor));
    let last = this.#fields - 1;
    while (counts[at + last] === 0) last--;
    for (let field = 0; field <= last; field++) {
      const count = counts[at + field];
      if (count > 0) list.writeNumber(2 * (this.#fields * (count - 1) + field) + Number(field < last));
    }
    this.#lastLocal = local;
  }
}

/** The counts of a document's terms: counts[fields · i + field] is of the term ids[i]. */
export interface FieldCounts {
  readonly counts: ArrayLike<number>;
  /** By field: how many terms it has. */
  readonly lengths: ArrayLike<number>;
}

/** A document of a segment. */
interface CountedDocument extends FieldCounts {
  readonly ids: ArrayLike<number>;
  readonly factors?: ArrayLike<number> | undefined;
}

/** The lists of a segment. `documents` are its documents in order, at least one. */
export function buildFieldLists(documents: readonly CountedDocument[]): FieldLists {
  const fields = documents[0].lengths.length;
  const { starts, places } = groupByTerm(documents.map(({ ids }) => ids));
  const localAt = new Uint32Array(places.length);
  const firstPlace = new Uint32Array(documents.length);
  const lengths = new Uint32Array(documents.length * fields);
  let place = 0;
  for (const [local, { ids, lengths: own }] of documents.entries()) {
    localAt.fill(local, place, place + ids.length);
    firstPlace[local] = place;
    lengths.set(own, local * fields);
    place += ids.length;
  }
  const writer = new TermListsWriter();
  for (let id = 0; id < starts.length - 1; id++) {
    writer.writeTerm(id, (list) => {
      const postings = new CountWriter(list, fields);
      for (let i = starts[id]; i < starts[id + 1]; i++) {
        const local = localAt[places[i]];
        const { counts, factors } = documents[local];
        const at = places[i] - firstPlace[local];
        postings.add(local, counts, at * fields, factors?.[at] ?? 1);
      }
    });
  }
  return new FieldLists(...writer.finish(), lengths, documents.length);
}

/** The lists of segments that are joined. At least one document is left. */
export function joinFieldLists(parts: readonly JoinedLists<FieldLists>[]): FieldLists {
  const { fields } = parts[0].lists;
  const writer = new TermListsWriter();
  for (const id of mergeTerms(parts)) {
    writer.writeTerm(id, (list) => {
      const postings = new CountWriter(list, fields);
      for (const { lists, newLocal } of parts) {
        const found = lists.of(id);
        found?.locals.forEach((old, i) => {
          if (newLocal[old] >= 0) postings.add(newLocal[old], found.counts, i * fields, found.factors[i]);
        });
      }
    });
  }
  const docs = parts.reduce((sum, { newLocal }) => sum + newLocal.filter((local) => local >= 0).length, 0);
  const lengths = new Uint32Array(docs * fields);
  for (const { lists, newLocal } of parts) {
    newLocal.forEach((local, old) => {
      if (local >= 0) lengths.set(lists.lengths.subarray(old * fields, (old + 1) * fields), local * fields);
    });
  }
  return new FieldLists(...writer.finish(), lengths, docs);
}
