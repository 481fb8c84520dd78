// The terms a lexical model knows, each with its id. Two texts can be compared only when both were densified with
// the same list in the same order, so the list has a fingerprint.

import { UsageError } from "../errors.ts";
import { byteOrder } from "../text/byte-order.ts";
import { Fingerprint } from "./hash.ts";
import { TermTable } from "./term-table.ts";

export class Vocabulary {
  /** Term of each id. */
  readonly terms: readonly string[];
  readonly fingerprint: string;
  /**
   * How many leading ids can never be a word of a text: [PAD], [unused0] and their like, at the front of every
   * BERT vocabulary. Slicing may throw these away.
   */
  readonly markers: number;
  /** Shared with vocabularies that go on from this one: ids from `size` on are theirs. */
  readonly #ids: TermTable;
  readonly #state: Fingerprint;

  /** `terms` in the order of their ids; a term that stands twice is refused. */
  constructor(terms: readonly string[], begun?: Vocabulary) {
    this.terms = terms;
    this.#ids = begun ? begun.#shared() : new TermTable();
    this.#state = begun ? begun.#state.copy() : new Fingerprint();
    for (let id = begun?.size ?? 0; id < terms.length; id++) {
      if (!this.#ids.add(terms)) {
        throw new UsageError(`the vocabulary holds ${JSON.stringify(terms[id])} twice`);
      }
      this.#state.add(terms[id]);
    }
    const firstWord = terms.findIndex((term) => !/^\[.+\]$/.test(term));
    this.markers = Math.max(0, firstWord);
    this.fingerprint = this.#state.toString();
  }

  /** Distinct terms with ids in UTF-8 byte order, the order in which Lucene enumerates a term dictionary. */
  static sorted(terms: Iterable<string>): Vocabulary {
    return new Vocabulary([...new Set(terms)].sort(byteOrder));
  }

  get size(): number {
    return this.terms.length;
  }

  id(term: string): number | undefined {
    return this.#ids.find(this.terms, term);
  }

  /** This vocabulary and more terms behind it: in time proportional to those, but for the list itself. */
  extended(more: readonly string[]): Vocabulary {
    return more.length === 0 ? this : new Vocabulary([...this.terms, ...more], this);
  }

  /** The table, for a vocabulary that goes on from here; another where one has gone on already. */
  #shared(): TermTable {
    if (this.#ids.size === this.size) return this.#ids;
    const table = new TermTable();
    for (let id = 0; id < this.size; id++) table.add(this.terms);
    return table;
  }
}
