// The vocabulary: a list of terms, each with its id. Two texts can be compared only if both were densified with the same
// list in the same order, so the list has a fingerprint.

import { compareBytes } from "../support/bytes/byte-order.ts";
import { Fingerprint } from "../support/bytes/hash.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { TermTable } from "./term-table.ts";

/**
 * Terms in the order of their ids: each by itself, many as a list in JSON and UTF-8 without a backslash, or a table, which the
 * vocabulary takes over.
 */
type Terms = Iterable<string | Uint8Array> | TermTable;

const QUOTE = 0x22;
/** A byte order mark at the beginning of a term belongs to it. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Vocabulary {
  readonly size: number;
  readonly fingerprint: string;
  /**
   * How many leading ids are markers, such as [PAD] and [unused0] at the front of every BERT vocabulary. No text contains
   * them, so slicing may discard them.
   */
  readonly markers: number;
  /** Shared with longer vocabularies that extend this one: ids from `size` on are theirs. */
  readonly #table: TermTable;
  readonly #state: Fingerprint;

  /** The terms of `begun`, then `terms`, in the order of their ids. Throws if a term appears twice. */
  constructor(terms: Iterable<string>, begun?: Vocabulary);
  /** @internal */
  constructor(terms: Terms, begun?: Vocabulary);
  constructor(terms: Terms, begun?: Vocabulary) {
    const known = begun?.size ?? 0;
    const isWhole = terms instanceof TermTable && known === 0;
    this.#table = isWhole ? terms : begun ? begun.#tableToExtend() : new TermTable();
    this.#state = begun ? begun.#state.copy() : new Fingerprint();
    if (!isWhole) this.#addAll(terms);
    this.#table.addTo(this.#state, known);
    this.size = this.#table.size;
    this.markers = this.#leadingMarkers();
    this.fingerprint = this.#state.toString();
  }

  /** Distinct terms with ids in UTF-8 byte order, the order in which Lucene enumerates a term dictionary. */
  static sorted(terms: Iterable<string>): Vocabulary {
    return new Vocabulary([...new Set(terms)].sort(compareBytes));
  }

  /** All terms in the order of their ids. Each call makes a new list. */
  get terms(): readonly string[] {
    return Array.from({ length: this.size }, (_, id) => this.#table.at(id));
  }

  /** The term of an id below `size`. */
  term(id: number): string {
    return this.#table.at(id);
  }

  /** The id of a term; undefined if it is not in the vocabulary. */
  findId(term: string): number | undefined {
    const id = this.#table.find(term);
    return id !== undefined && id < this.size ? id : undefined;
  }

  /** This vocabulary with more terms after it. The time depends only on the number of new terms. */
  extended(more: Iterable<string>): Vocabulary;
  /** @internal */
  extended(more: Terms): Vocabulary;
  extended(more: Terms): Vocabulary {
    const longer = new Vocabulary(more, this);
    return longer.size === this.size ? this : longer;
  }

  #addAll(terms: Terms): void {
    if (terms instanceof TermTable) for (let id = 0; id < terms.size; id++) this.#add(terms.at(id));
    else
      for (const given of terms) {
        if (typeof given === "string") this.#add(given);
        else this.#addList(given);
      }
  }

  #add(term: string): void {
    if (this.#table.add(term) === undefined)
      throw new SluiceError(`the vocabulary holds ${JSON.stringify(term)} twice`);
  }

  /** Adds the terms of a JSON list. Nothing is escaped, so every quotation mark begins or ends a term. */
  #addList(json: Uint8Array): void {
    for (let at = 0; at < json.length; at++) {
      if (json[at] !== QUOTE) continue;
      const start = at + 1;
      let [end, units] = [start, 0];
      while (end < json.length && json[end] !== QUOTE) units |= json[end++];
      const isAscii = units < 0x80;
      if (!isAscii || this.#table.addAscii(json, start, end) === undefined)
        this.#add(decoder.decode(json.subarray(start, end)));
      at = end;
    }
  }

  /** The table for a vocabulary that extends this one. It is a copy if another vocabulary already extends this one. */
  #tableToExtend(): TermTable {
    if (this.#table.size === this.size) return this.#table;
    const table = new TermTable();
    for (let id = 0; id < this.size; id++) table.add(this.#table.at(id));
    return table;
  }

  /** How many terms at the front are markers; 0 if all are. */
  #leadingMarkers(): number {
    for (let id = 0; id < this.size; id++) if (!/^\[.+\]$/.test(this.#table.at(id))) return id;
    return 0;
  }
}
