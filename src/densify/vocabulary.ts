// The terms a lexical model knows, each with its id. Two texts can be compared only when both were densified with
// the same list in the same order, so the list has a fingerprint.

import { UsageError } from "../errors.ts";
import { byteOrder } from "../text/byte-order.ts";
import { Fingerprint } from "./hash.ts";

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
  readonly #ids: Map<string, number>;
  readonly #state: Fingerprint;

  /** `terms` in the order of their ids; a term that stands twice is refused. */
  constructor(terms: readonly string[], begun?: Vocabulary) {
    this.terms = terms;
    this.#ids = begun ? begun.#shared() : new Map();
    this.#state = begun ? begun.#state.copy() : new Fingerprint();
    for (let id = begun?.size ?? 0; id < terms.length; id++) {
      const term = terms[id];
      if (this.#ids.has(term)) {
        throw new UsageError(`the vocabulary holds ${JSON.stringify(term)} twice`);
      }
      this.#ids.set(term, id);
      this.#state.add(term);
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
    const id = this.#ids.get(term);
    return id !== undefined && id < this.size ? id : undefined;
  }

  /** This vocabulary and more terms behind it: in time proportional to those, but for the list itself. */
  extended(more: readonly string[]): Vocabulary {
    return more.length === 0 ? this : new Vocabulary([...this.terms, ...more], this);
  }

  /** The map, for a vocabulary that goes on from here; a copy where another one has gone on already. */
  #shared(): Map<string, number> {
    if (this.#ids.size === this.size) return this.#ids;
    return new Map(this.terms.map((term, id) => [term, id]));
  }
}
