// The terms of an index that is being written: their ids, their cells and how often they occur. They grow with every document. A
// commit gives them to readers.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import { type PositionedTerm, termPositions } from "../../analyze/term-positions.ts";
import { Slicing } from "../../densify/slicing.ts";
import { TermTable } from "../../densify/term-table.ts";
import { Vocabulary } from "../../densify/vocabulary.ts";
import type { Bag } from "../../documents/bag.ts";
import { type Document, indexedText } from "../../documents/document.ts";
import { readTextsByField, type TextField } from "../../documents/text-fields.ts";
import type { FieldCounts } from "../../segment/rows/field-lists.ts";
import type { Occurrences } from "../../segment/rows/position-lists.ts";
import type { VocabularyKind } from "../../store/record/analyzer-record.ts";
import { flatCopy } from "../../support/bytes/flat.ts";
import { UsageError } from "../../support/errors/usage-error.ts";
import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import type { Bm25Parameters, Statistics } from "../../weigh/bm25.ts";
import { combinedLength, combinedSum } from "../../weigh/combined-fields.ts";
import { checkFactors } from "../../weigh/term-factors.ts";
import { bagLength, givenWeights } from "../../weigh/terms.ts";
import { textFieldsIn, type Weighting } from "../../weigh/weighting.ts";

/** The terms of a document, by id. */
export interface CountedTerms {
  readonly ids: number[];
  /** How often each occurs; or its weight, if the document brings weights. */
  readonly counts: number[];
  /** What BM25's weight of each is multiplied by, rounded to float16; 1 for all by default. */
  readonly factors?: number[];
  readonly length: number;
  /** How many terms the vocabulary lacks. */
  readonly unknown: number;
  /** Where its known terms stand, if the index keeps positions. */
  readonly occurrences?: Occurrences;
  /** How often each text field has them, if the index has text fields. Then `counts` and `length` are sums over the fields. */
  readonly byField?: FieldCounts;
}

/** Positions between two texts of a document. It is more than any slop, so no phrase goes from one text to the next. */
const TEXT_GAP = 1000;

/** The most terms in the small Map that is searched first. */
const MOST_FIRST = 8192;

export class Lexicon {
  readonly kind: Weighting["kind"];
  readonly analyzer: Analyzer;
  readonly vocabularyKind: VocabularyKind;
  readonly #parameters: Bm25Parameters | undefined;
  readonly #keepsPositions: boolean;
  readonly #textFields: readonly TextField[] | undefined;
  /** Whether new terms are added. */
  #isOpen: boolean;
  #slicing: Slicing;
  /** Terms that came after the slicing was made. Their ids follow its own. */
  #arrived = new TermTable();
  /** Ids of the terms that came first. They are most of the terms of later texts, and nothing is faster than a small Map. */
  readonly #first = new Map<string, number>();
  #docs = 0;
  #length = 0;
  /** By text field: the terms of all documents together. */
  #fieldLengths: number[] = [];
  #frequencies: Uint32Array;
  /** By id: 1 + its entry among the distinct terms of the document that is being counted; 0 if it has none yet. */
  #entryInDocument: Uint32Array = new Uint32Array(1024);

  /** `isSlicingPending`: the slicing waits for the first documents. */
  constructor(
    weighting: Weighting,
    slicing: Slicing,
    vocabularyKind: VocabularyKind,
    isSlicingPending: boolean,
    keepsPositions = false,
  ) {
    this.#keepsPositions = keepsPositions;
    this.kind = weighting.kind;
    this.analyzer = weighting.analyzer;
    this.vocabularyKind = vocabularyKind;
    this.#textFields = textFieldsIn(weighting);
    this.#isOpen = vocabularyKind === "open" || (vocabularyKind === "sealed" && isSlicingPending);
    this.#slicing = slicing;
    this.#frequencies = new Uint32Array(slicing.vocabulary.size);
    if (weighting.kind !== "bm25") return;
    this.#parameters = weighting.parameters;
    this.#docs = weighting.statistics.docs;
    this.#length = weighting.statistics.length;
    this.#fieldLengths = [...(weighting.statistics.fieldLengths ?? [])];
    this.#frequencies.set(weighting.statistics.documentFrequencies);
  }

  /** The slicing of the terms that have a cell. `assignCells` gives one to the others. */
  get slicing(): Slicing {
    return this.#slicing;
  }

  /** How many terms there are, including those without a cell. */
  get size(): number {
    return this.#slicing.vocabulary.size + this.#arrived.size;
  }

  /** Gives ids to the terms of a document, and counts them. Throws before it changes anything. */
  add(document: Document, where: string): CountedTerms {
    const findOrAdd = (term: string) => this.#findOrAddId(term);
    if (this.kind === "weights") {
      if (document.termFactors) throw factorsWithoutBm25Error(where);
      const bag = givenWeights(document, where);
      this.#checkKnown(bag.keys(), where);
      return takeGivenWeights(bag, findOrAdd);
    }
    if (document.weights !== undefined) throw weightsWithBm25Error(where);
    const factors = document.termFactors && checkFactors(document.termFactors, where);
    if (this.#textFields) return this.#addByField(document, this.#textFields, where, factors);
    const text = indexedText(document, where);
    const placed = this.#keepsPositions ? termPositions(this.analyzer, text) : undefined;
    const terms = placed ? placed.map(({ term }) => term) : this.analyzer.terms(text);
    this.#checkKnown(terms, where);
    const counted = this.#countTerms(terms, findOrAdd, factors);
    this.#tally(counted, 1);
    return placed ? { ...counted, occurrences: this.#findOccurrences(placed) } : counted;
  }

  #addByField(
    document: Document,
    fields: readonly TextField[],
    where: string,
    factors: Bag | undefined,
  ): CountedTerms {
    const texts = readTextsByField(document, fields, where);
    const placed = this.#keepsPositions ? this.#placeByField(texts) : undefined;
    const terms = placed
      ? placed.map((own) => own.map(({ term }) => term))
      : texts.map((own) => own.flatMap((text) => this.analyzer.terms(text)));
    for (const own of terms) this.#checkKnown(own, where);
    const counted = this.#countByField(terms, fields, (term) => this.#findOrAddId(term), factors);
    this.#tally(counted, 1);
    return placed ? { ...counted, occurrences: this.#findOccurrences(placed.flat()) } : counted;
  }

  /** The terms of texts with their positions, which go on from one text to the next. */
  #placeByField(texts: readonly (readonly string[])[]): PositionedTerm[][] {
    let first = 0;
    return texts.map((own) =>
      own.flatMap((text) => {
        const placed = termPositions(this.analyzer, text).map(({ term, position }) => {
          return { term, position: first + position };
        });
        first = placed.reduce((most, { position }) => Math.max(most, position + 1), first) + TEXT_GAP;
        return placed;
      }),
    );
  }

  /** Stops counting a document. */
  remove(document: Document, where: string): void {
    this.#recount(document, where, -1);
  }

  /** Counts a removed document again. */
  restore(document: Document, where: string): void {
    this.#recount(document, where, 1);
  }

  /** Gives new terms a cell. `teach` makes the first slicing, if it waited for documents. */
  assignCells(teach?: (terms: readonly string[]) => Slicing): void {
    const arrived = Array.from({ length: this.#arrived.size }, (_, id) => this.#arrived.at(id));
    if (teach) this.#slicing = teach(arrived);
    else this.#slicing = this.#slicing.extended(this.#slicing.vocabulary.extended(arrived));
    this.#arrived = new TermTable();
  }

  /** Makes the slicing of a strategy that must know all terms, sorted by bytes. Adds no more terms. Returns the terms' new ids. */
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

  /** The current weighting. Later changes of the lexicon do not change it. */
  weighting(): Weighting {
    const { analyzer } = this;
    if (!this.#parameters) return { kind: "weights", analyzer };
    const documentFrequencies = new Uint32Array(this.size);
    documentFrequencies.set(this.#frequencies.subarray(0, this.size));
    const statistics: Statistics = { docs: this.#docs, length: this.#length, documentFrequencies };
    const textFields = this.#textFields;
    if (!textFields) return { kind: "bm25", analyzer, parameters: this.#parameters, statistics };
    const fieldLengths = [...this.#fieldLengths];
    const length = combinedSum(fieldLengths, weightsOfFields(textFields));
    return {
      ...{ kind: "bm25", analyzer, parameters: this.#parameters, textFields },
      statistics: { ...statistics, length, fieldLengths },
    };
  }

  /** Counts how often each term occurs. A build spends its time here: one look-up per term, and no Map per document. */
  #countTerms(
    terms: readonly string[],
    find: (term: string) => number | undefined,
    factorOf?: Bag,
  ): CountedTerms {
    const [ids, counts, factors]: [number[], number[], number[]] = [[], [], []];
    const unknown = new Set<string>();
    for (const term of terms) {
      const id = find(term);
      if (id === undefined) {
        unknown.add(term);
        continue;
      }
      if (id >= this.#entryInDocument.length)
        this.#entryInDocument = ensureCapacity(this.#entryInDocument, id + 1);
      const entry = this.#entryInDocument[id];
      if (entry > 0) {
        counts[entry - 1]++;
        continue;
      }
      ids.push(id);
      counts.push(1);
      if (factorOf) factors.push(roundToFloat16(factorOf.get(term) ?? 1));
      this.#entryInDocument[id] = ids.length;
    }
    for (const id of ids) this.#entryInDocument[id] = 0;
    return { ids, counts, ...(factorOf && { factors }), length: terms.length, unknown: unknown.size };
  }

  /** The same by text field. `terms` has the terms of each field. */
  #countByField(
    terms: readonly (readonly string[])[],
    fields: readonly TextField[],
    find: (term: string) => number | undefined,
    factorOf?: Bag,
  ): CountedTerms {
    const counted = this.#countTerms(terms.flat(), find, factorOf);
    const { ids } = counted;
    const entries = new Map(ids.map((id, i) => [id, i]));
    const counts = new Uint32Array(ids.length * fields.length);
    for (const [field, own] of terms.entries()) {
      for (const term of own) {
        const id = this.#findId(term);
        if (id !== undefined) counts[entries.get(id)! * fields.length + field]++;
      }
    }
    const lengths = terms.map((own) => own.length);
    const fieldWeights = weightsOfFields(fields);
    return {
      ...counted,
      counts: ids.map((_, i) => combinedSum(counts, fieldWeights, i * fields.length)),
      length: combinedLength(lengths, fieldWeights),
      byField: { counts, lengths },
    };
  }

  #findOccurrences(placed: readonly PositionedTerm[]): Occurrences {
    const known = placed.filter(({ term }) => this.#findId(term) !== undefined);
    return {
      ids: Uint32Array.from(known, ({ term }) => this.#findId(term)!),
      positions: Uint32Array.from(known, ({ position }) => position),
    };
  }

  #recount(document: Document, where: string, sign: 1 | -1): void {
    if (this.kind === "weights") return; // nothing was counted
    const find = (term: string) => this.#findId(term);
    const fields = this.#textFields;
    if (!fields) {
      this.#tally(this.#countTerms(this.analyzer.terms(indexedText(document, where)), find), sign);
      return;
    }
    const texts = readTextsByField(document, fields, where);
    const terms = texts.map((own) => own.flatMap((text) => this.analyzer.terms(text)));
    this.#tally(this.#countByField(terms, fields, find), sign);
  }

  #tally({ ids, length, byField }: CountedTerms, sign: 1 | -1): void {
    const terms = byField ? Array.from(byField.lengths) : [length];
    if (terms.some((count) => count > 0)) this.#docs += sign;
    if (byField) for (const [field, count] of terms.entries()) this.#fieldLengths[field] += sign * count;
    else this.#length += sign * length;
    this.#frequencies = ensureCapacity(this.#frequencies, this.size);
    for (const id of ids) this.#frequencies[id] += sign;
  }

  #findId(term: string): number | undefined {
    const first = this.#first.get(term);
    if (first !== undefined) return first;
    const id = this.#lookUpId(term);
    if (id !== undefined && this.#first.size < MOST_FIRST) this.#first.set(flatCopy(term), id);
    return id;
  }

  #lookUpId(term: string): number | undefined {
    const { vocabulary } = this.#slicing;
    // A first build has no earlier terms, so this saves a look-up for every term of every document.
    const known = vocabulary.size > 0 ? vocabulary.id(term) : undefined;
    if (known !== undefined) return known;
    const arrival = this.#arrived.find(term);
    return arrival === undefined ? undefined : vocabulary.size + arrival;
  }

  #findOrAddId(term: string): number | undefined {
    let id = this.#findId(term);
    if (id === undefined && this.#isOpen) {
      id = this.size;
      this.#arrived.add(term);
    }
    return id;
  }

  /** Throws if a term is new and the slicing is sealed. */
  #checkKnown(terms: Iterable<string>, where: string): void {
    if (this.vocabularyKind !== "sealed" || this.#isOpen) return;
    for (const term of terms) {
      if (this.#findId(term) !== undefined) continue;
      throw new UsageError(
        `${where}: the term ${JSON.stringify(term)} is new, and ${this.#slicing.settings.strategy} slicing has no cell for it`,
        "build the index with spread, hashed or full slicing, or with a vocabulary of its own",
      );
    }
  }
}

function weightsOfFields(fields: readonly TextField[]): number[] {
  return fields.map(({ weight }) => weight);
}

function weightsWithBm25Error(where: string): UsageError {
  return new UsageError(
    `${where}: it brings weights, and this index weights terms by BM25`,
    'leave them out; or build an index with lexical "weights", or whose first document has weights',
  );
}

function factorsWithoutBm25Error(where: string): UsageError {
  return new UsageError(
    `${where}: termFactors multiply BM25's weights, and this index takes the weights that documents bring`,
    'leave them out, or build the index with lexical "bm25"',
  );
}

function takeGivenWeights(bag: Bag, find: (term: string) => number | undefined): CountedTerms {
  const [ids, counts]: [number[], number[]] = [[], []];
  for (const [term, weight] of bag) {
    const id = find(term);
    if (id === undefined) continue;
    ids.push(id);
    counts.push(weight);
  }
  return { ids, counts, length: bagLength(bag), unknown: bag.size - ids.length };
}
