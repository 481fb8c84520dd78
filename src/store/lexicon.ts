// The words of an index that is being written: which there are, where they go, and how often they occur. A reader's
// words do not change; these grow with every document, and are given to readers by a commit.

import type { Analyzer } from "../analyze/analyzer.ts";
import { Slicing } from "../densify/slicing.ts";
import { TermTable } from "../densify/term-table.ts";
import { Vocabulary } from "../densify/vocabulary.ts";
import { type Document, textOf } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { flat } from "../support/flat.ts";
import { grown } from "../support/grown.ts";
import type { Bag } from "../weigh/bag.ts";
import type { Bm25Parameters, Statistics } from "../weigh/bm25.ts";
import { lengthOf, weightsOf } from "../weigh/terms.ts";
import type { Weighting } from "../weigh/weighting.ts";
import type { VocabularyKind } from "./model-record.ts";

/** The terms of a document, by id. */
export interface CountedTerms {
  readonly ids: number[];
  readonly weights: number[];
  readonly length: number;
  /** Terms that the vocabulary lacks. */
  readonly unknown: number;
}

/** Terms whose ids are found first. */
const MOST_FIRST = 8192;

export class Lexicon {
  readonly kind: Weighting["kind"];
  readonly analyzer: Analyzer;
  readonly vocabulary: VocabularyKind;
  readonly #parameters: Bm25Parameters | undefined;
  /** Whether terms that documents bring are added. */
  #isOpen: boolean;
  #slicing: Slicing;
  /** Terms that came since the slicing was made; their ids follow its own. */
  #arrived = new TermTable();
  /** Ids of the terms that came first, which are most of those that come: nothing finds them sooner than a small Map. */
  readonly #first = new Map<string, number>();
  #docs = 0;
  #length = 0;
  #frequencies: Uint32Array;
  /** By id: 1 + the place among the terms of the document that is being counted, else 0. */
  #places: Uint32Array = new Uint32Array(1024);

  /** `untaught` says that the slicing waits for the first documents. */
  constructor(weighting: Weighting, slicing: Slicing, vocabulary: VocabularyKind, untaught: boolean) {
    this.kind = weighting.kind;
    this.analyzer = weighting.analyzer;
    this.vocabulary = vocabulary;
    this.#isOpen = vocabulary === "open" || (vocabulary === "sealed" && untaught);
    this.#slicing = slicing;
    this.#frequencies = new Uint32Array(slicing.vocabulary.size);
    if (weighting.kind !== "bm25") return;
    this.#parameters = weighting.parameters;
    this.#docs = weighting.statistics.docs;
    this.#length = weighting.statistics.length;
    this.#frequencies.set(weighting.statistics.documentFrequencies);
  }

  /** Of the terms that are placed; `place` places the others. */
  get slicing(): Slicing {
    return this.#slicing;
  }

  /** Terms, those without a place included. */
  get size(): number {
    return this.#slicing.vocabulary.size + this.#arrived.size;
  }

  /** Takes a document in: its terms get ids, and are counted. Refuses all of it, or nothing. */
  add(document: Document, where: string): CountedTerms {
    const idFor = (term: string) => this.#idFor(term);
    if (this.kind === "weights") {
      const bag = weightsOf(document, where);
      this.#checkKnown(bag.keys(), where);
      return weighed(bag, idFor);
    }
    const terms = this.analyzer.terms(textOf(document, where));
    this.#checkKnown(terms, where);
    const counted = this.#counted(terms, idFor);
    this.#tally(counted, 1);
    return counted;
  }

  /** Takes a document out again. */
  remove(document: Document, where: string): void {
    this.#recount(document, where, -1);
  }

  /** Puts a document back that was taken out: its terms are known. */
  restore(document: Document, where: string): void {
    this.#recount(document, where, 1);
  }

  /** Gives the terms that came a place. `teach` makes the slicing where there was none to go on from. */
  place(teach?: (terms: readonly string[]) => Slicing): void {
    const arrived = Array.from({ length: this.#arrived.size }, (_, id) => this.#arrived.at(id));
    if (teach) this.#slicing = teach(arrived);
    else this.#slicing = this.#slicing.extended(this.#slicing.vocabulary.extended(arrived));
    this.#arrived = new TermTable();
  }

  /**
   * Makes the slicing of a strategy that must know all terms, in byte order, and takes no more. Returns the new id of
   * each term.
   */
  seal(): Uint32Array {
    const { strategy, dims, seed, discard } = this.#slicing.settings;
    const arrived = Array.from({ length: this.#arrived.size }, (_, id) => this.#arrived.at(id));
    const vocabulary = Vocabulary.sorted(arrived);
    const renumbered = Uint32Array.from(arrived, (term) => vocabulary.id(term)!);
    const frequencies = new Uint32Array(arrived.length);
    for (const [old, id] of renumbered.entries()) frequencies[id] = this.#frequencies[old] ?? 0;
    this.#frequencies = frequencies;
    this.#slicing = new Slicing(vocabulary, {
      strategy,
      dims,
      ...(seed !== undefined && { seed }),
      ...(discard > 0 && { discard }),
    });
    this.#arrived = new TermTable();
    this.#first.clear();
    this.#isOpen = false;
    return renumbered;
  }

  /** How words are weighed now; what is counted later does not change it. */
  weighting(): Weighting {
    const { analyzer } = this;
    if (!this.#parameters) return { kind: "weights", analyzer };
    const documentFrequencies = new Uint32Array(this.size);
    documentFrequencies.set(this.#frequencies.subarray(0, this.size));
    const statistics: Statistics = { docs: this.#docs, length: this.#length, documentFrequencies };
    return { kind: "bm25", analyzer, parameters: this.#parameters, statistics };
  }

  /** How often each term occurs: one look-up a word, and no table a document, for a build spends its time here. */
  #counted(terms: readonly string[], idOf: (term: string) => number | undefined): CountedTerms {
    const [ids, weights]: [number[], number[]] = [[], []];
    const unknown = new Set<string>();
    for (const term of terms) {
      const id = idOf(term);
      if (id === undefined) {
        unknown.add(term);
        continue;
      }
      if (id >= this.#places.length) this.#places = grown(this.#places, id + 1);
      const place = this.#places[id];
      if (place > 0) {
        weights[place - 1]++;
        continue;
      }
      ids.push(id);
      weights.push(1);
      this.#places[id] = ids.length;
    }
    for (const id of ids) this.#places[id] = 0;
    return { ids, weights, length: terms.length, unknown: unknown.size };
  }

  #recount(document: Document, where: string, sign: 1 | -1): void {
    if (this.kind === "weights") return; // nothing was counted
    const terms = this.analyzer.terms(textOf(document, where));
    this.#tally(
      this.#counted(terms, (term) => this.#idOf(term)),
      sign,
    );
  }

  #tally({ ids, length }: CountedTerms, sign: 1 | -1): void {
    if (length > 0) this.#docs += sign;
    this.#length += sign * length;
    this.#frequencies = grown(this.#frequencies, this.size);
    for (const id of ids) this.#frequencies[id] += sign;
  }

  #idOf(term: string): number | undefined {
    const first = this.#first.get(term);
    if (first !== undefined) return first;
    const id = this.#lookUp(term);
    if (id !== undefined && this.#first.size < MOST_FIRST) this.#first.set(flat(term), id);
    return id;
  }

  #lookUp(term: string): number | undefined {
    const { vocabulary } = this.#slicing;
    // A first build has no words from before: a look-up less for every word of every document.
    const known = vocabulary.size > 0 ? vocabulary.id(term) : undefined;
    if (known !== undefined) return known;
    const arrival = this.#arrived.find(term);
    return arrival === undefined ? undefined : vocabulary.size + arrival;
  }

  #idFor(term: string): number | undefined {
    let id = this.#idOf(term);
    if (id === undefined && this.#isOpen) {
      id = this.size;
      this.#arrived.add(term);
    }
    return id;
  }

  /** New terms have no place where the slicing is sealed. */
  #checkKnown(terms: Iterable<string>, where: string): void {
    if (this.vocabulary !== "sealed" || this.#isOpen) return;
    for (const term of terms) {
      if (this.#idOf(term) !== undefined) continue;
      throw new UsageError(
        `${where}: the term ${JSON.stringify(term)} is new, and ${this.#slicing.settings.strategy} slicing has no place for it`,
        "build the index with spread, hashed or full slicing, or with a vocabulary of its own",
      );
    }
  }
}

function weighed(bag: Bag, idOf: (term: string) => number | undefined): CountedTerms {
  const [ids, weights]: [number[], number[]] = [[], []];
  for (const [term, weight] of bag) {
    const id = idOf(term);
    if (id === undefined) continue;
    ids.push(id);
    weights.push(weight);
  }
  return { ids, weights, length: lengthOf(bag), unknown: bag.size - ids.length };
}
