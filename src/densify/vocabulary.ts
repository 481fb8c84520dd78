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
  readonly #ids: Map<string, number>;

  /** `terms` in the order of their ids; a term that stands twice is refused. */
  constructor(terms: readonly string[]) {
    this.terms = terms;
    this.#ids = new Map(terms.map((term, id) => [term, id]));
    if (this.#ids.size !== terms.length) {
      const twice = terms.find((term, id) => this.#ids.get(term) !== id);
      throw new UsageError(`the vocabulary holds ${JSON.stringify(twice)} twice`);
    }
    const firstWord = terms.findIndex((term) => !/^\[.+\]$/.test(term));
    this.markers = Math.max(0, firstWord);
    const fingerprint = new Fingerprint();
    for (const term of terms) fingerprint.add(term);
    this.fingerprint = fingerprint.toString();
  }

  /** Distinct terms with ids in UTF-8 byte order, the order in which Lucene enumerates a term dictionary. */
  static sorted(terms: Iterable<string>): Vocabulary {
    return new Vocabulary([...new Set(terms)].sort(byteOrder));
  }

  get size(): number {
    return this.terms.length;
  }

  id(term: string): number | undefined {
    return this.#ids.get(term);
  }
}
