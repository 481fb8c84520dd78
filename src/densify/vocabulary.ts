// The terms a lexical model knows, each with its id. Two texts can be compared only when both were densified with
// the same list in the same order, so the list has a fingerprint.

import { UsageError } from "../errors.ts";
import { byteOrder } from "../support/byte-order.ts";
import { Fingerprint } from "../support/hash.ts";
import { TermTable } from "./term-table.ts";

export class Vocabulary {
  readonly size: number;
  readonly fingerprint: string;
  /**
   * How many leading ids can never be a word of a text: [PAD], [unused0] and their like, at the front of every
   * BERT vocabulary. Slicing may throw these away.
   */
  readonly markers: number;
  /** Shared with vocabularies that go on from this one: ids from `size` on are theirs. */
  readonly #table: TermTable;
  readonly #state: Fingerprint;

  /** Terms in the order of their ids, behind those of `begun`; a term that stands twice is refused. */
  constructor(terms: Iterable<string>, begun?: Vocabulary) {
    this.#table = begun ? begun.#shared() : new TermTable();
    this.#state = begun ? begun.#state.copy() : new Fingerprint();
    for (const term of terms) {
      if (this.#table.add(term) === undefined) {
        throw new UsageError(`the vocabulary holds ${JSON.stringify(term)} twice`);
      }
      this.#state.add(term);
    }
    this.size = this.#table.size;
    this.markers = this.#leadingMarkers();
    this.fingerprint = this.#state.toString();
  }

  /** Distinct terms with ids in UTF-8 byte order, the order in which Lucene enumerates a term dictionary. */
  static sorted(terms: Iterable<string>): Vocabulary {
    return new Vocabulary([...new Set(terms)].sort(byteOrder));
  }

  /** All terms, in the order of their ids: a list that is made anew. */
  get terms(): string[] {
    return Array.from({ length: this.size }, (_, id) => this.#table.at(id));
  }

  /** The term of an id below `size`. */
  term(id: number): string {
    return this.#table.at(id);
  }

  id(term: string): number | undefined {
    const id = this.#table.find(term);
    return id !== undefined && id < this.size ? id : undefined;
  }

  /** This vocabulary and more terms behind it: in time proportional to those. */
  extended(more: Iterable<string>): Vocabulary {
    const longer = new Vocabulary(more, this);
    return longer.size === this.size ? this : longer;
  }

  /** The table, for a vocabulary that goes on from here; another where one has gone on already. */
  #shared(): TermTable {
    if (this.#table.size === this.size) return this.#table;
    const table = new TermTable();
    for (let id = 0; id < this.size; id++) table.add(this.#table.at(id));
    return table;
  }

  /** None where there is nothing but markers. */
  #leadingMarkers(): number {
    for (let id = 0; id < this.size; id++) if (!/^\[.+\]$/.test(this.#table.at(id))) return id;
    return 0;
  }
}
