// The terms of an index that is being written: their ids, their cells and how often they occur. They grow with every document. A
// commit gives them to readers.

import type { Analyzer, WordTerms } from "../../analyze/contract/analyzer.ts";
import { analyzedPieces, termsInPieces, wordTerms } from "../../analyze/term-positions.ts";
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
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import { runToEnd } from "../../support/work/turns.ts";
import type { Bm25Parameters, Statistics } from "../../weigh/bm25.ts";
import { combinedLength, combinedSum } from "../../weigh/combined-fields.ts";
import { checkFactors } from "../../weigh/term-factors.ts";
import { bagLength, givenWeights } from "../../weigh/terms.ts";
import { textFieldsIn, type Weighting } from "../../weigh/weighting.ts";
import { TermCounter } from "./term-counter.ts";
import { NO_TERM, UNSEEN, WordIds } from "./word-ids.ts";

/** The terms of a document, by id. They are valid until the next document is added. */
export interface CountedTerms {
  readonly ids: Uint32Array;
  /** How often each occurs; or its weight, if the document brings weights. */
  readonly counts: ArrayLike<number>;
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

/** Terms of a piece after which other work may run, in the steps after the analysis. Pieces of a short text have fewer. */
const YIELDING_TERMS = 512;

/** The most terms in the small Map that is searched first. A larger Map is slower. */
const MOST_FIRST_IDS = 8192;

const NO_POSITIONS = new Uint32Array(0);

/** The terms of a text, or of a piece of a long one. */
interface TermsPiece {
  readonly terms: readonly string[];
  /** Empty if the index keeps none. */
  readonly positions: Uint32Array;
}

interface AnalyzedField {
  readonly pieces: readonly TermsPiece[];
}

/** What is noted of the terms of a document, besides how often it has each. */
interface Noted {
  readonly factors: number[];
  readonly unknown: Set<string>;
}

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
  readonly #firstIds = new Map<string, number>();
  #docs = 0;
  #length = 0;
  /** By text field: the terms of all documents together. */
  #fieldLengths: number[] = [];
  #frequencies: Uint32Array;
  /** Counts the terms of one document after another. What it counted is valid until the next document. */
  readonly #counter = new TermCounter();
  /** The same for documents that are taken out or put back: what was counted of the one that replaces them stays valid. */
  readonly #recounter = new TermCounter();
  /** How the analyzer makes terms of words, if documents are counted word by word. */
  readonly #wordTerms: WordTerms | undefined;
  readonly #wordIds = new WordIds();

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
    if (!keepsPositions && !this.#textFields) this.#wordTerms = wordTerms(this.analyzer);
    this.#slicing = slicing;
    this.#frequencies = new Uint32Array(slicing.vocabulary.size);
    if (weighting.kind !== "bm25") return;
    this.#parameters = weighting.parameters;
    this.#docs = weighting.statistics.docs;
    this.#length = weighting.statistics.length;
    this.#fieldLengths = [...(weighting.statistics.fieldLengths ?? [])];
    this.#frequencies.set(weighting.statistics.documentFrequencies);
  }

  /** The slicing of the terms that have a cell. `assignArrived` gives one to the others. */
  get slicing(): Slicing {
    return this.#slicing;
  }

  /** How many terms there are, including those without a cell. */
  get size(): number {
    return this.#slicing.vocabulary.size + this.#arrived.size;
  }

  /** Gives ids to the terms of a document, and counts them. Throws before it changes anything. */
  add(document: Document, where: string): CountedTerms {
    return runToEnd(this.addInSteps(document, where));
  }

  /**
   * `add` in steps: it yields after each piece of a long text, so that other work can run. Nothing else may use the lexicon
   * meanwhile.
   */
  *addInSteps(document: Document, where: string): Generator<undefined, CountedTerms> {
    if (this.kind === "weights") {
      if (document.termFactors) throw factorsWithoutBm25Error(where);
      const bag = givenWeights(document, where);
      this.#checkKnown(bag.keys(), where);
      return takeGivenWeights(bag, (term) => this.#findOrAddId(term));
    }
    if (document.weights !== undefined) throw weightsWithBm25Error(where);
    const { termFactors } = document;
    const factors = termFactors === undefined ? undefined : checkFactors(termFactors, where);
    if (this.#wordTerms && this.#isOpen && !factors) {
      const counted = yield* this.#countedWords(indexedText(document, where), this.#wordTerms);
      this.#tally(counted, 1);
      return counted;
    }
    const fields = yield* this.#analyzed(document, where, this.#keepsPositions);
    for (const { pieces } of fields) for (const { terms } of pieces) this.#checkKnown(terms, where);
    const counted = yield* this.#counted(fields, this.#counter, (term) => this.#findOrAddId(term), factors);
    this.#tally(counted, 1);
    return this.#keepsPositions ? { ...counted, occurrences: yield* this.#occurrences(fields) } : counted;
  }

  /** The terms of a document by text field; one for all without text fields. Positions go on from one text to the next. */
  *#analyzed(
    document: Document,
    where: string,
    needsPositions: boolean,
  ): Generator<undefined, readonly AnalyzedField[]> {
    const fields = this.#textFields;
    const texts = fields ? readTextsByField(document, fields, where) : [[indexedText(document, where)]];
    const analyzed: AnalyzedField[] = [];
    let first = 0;
    for (const own of texts) {
      const pieces: TermsPiece[] = [];
      for (const text of own) {
        let next = first;
        let isLater = false;
        for (const { terms, positions = [] } of termsInPieces(this.analyzer, text, needsPositions)) {
          if (isLater) yield;
          isLater = true;
          const placed = positions.length === 0 ? NO_POSITIONS : new Uint32Array(positions.length);
          for (const [i, position] of positions.entries()) {
            placed[i] = first + position;
            if (placed[i] >= next) next = placed[i] + 1;
          }
          pieces.push({ terms, positions: placed });
        }
        first = next + TEXT_GAP;
      }
      analyzed.push({ pieces });
    }
    return analyzed;
  }

  /** Stops counting a document. */
  remove(document: Document, where: string): void {
    runToEnd(this.removeInSteps(document, where));
  }

  /** `remove` in steps, as `addInSteps` has them. */
  removeInSteps(document: Document, where: string): Generator<undefined, void> {
    return this.#recount(document, where, -1);
  }

  /** Counts a removed document again. */
  restore(document: Document, where: string): void {
    runToEnd(this.restoreInSteps(document, where));
  }

  /** `restore` in steps, as `addInSteps` has them. */
  restoreInSteps(document: Document, where: string): Generator<undefined, void> {
    return this.#recount(document, where, 1);
  }

  /** Gives new terms a cell. `teach` makes the first slicing, if it waited for documents. */
  assignArrived(teach?: (terms: readonly string[]) => Slicing): void {
    const arrived = this.#arrived;
    if (teach) this.#slicing = teach(Array.from({ length: arrived.size }, (_, id) => arrived.at(id)));
    else this.#slicing = this.#slicing.extended(this.#slicing.vocabulary.extended(arrived));
    this.#arrived = new TermTable();
  }

  /** Sorts the terms by bytes, and makes a slicing that must know all terms. No term is added later. Returns the terms' new ids. */
  closeVocabulary(): Uint32Array {
    const { strategy, dims, seed, discard } = this.#slicing.settings;
    const arrived = Array.from({ length: this.#arrived.size }, (_, id) => this.#arrived.at(id));
    const vocabulary = Vocabulary.sorted(arrived);
    const renumbered = Uint32Array.from(arrived, (term) => vocabulary.findId(term)!);
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
    this.#firstIds.clear();
    this.#wordIds.clear();
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
      kind: "bm25",
      analyzer,
      parameters: this.#parameters,
      textFields,
      statistics: { ...statistics, length, fieldLengths },
    };
  }

  /** Counts how often each term of a text occurs, word by word: most builds spend their time here. New terms are added. */
  *#countedWords(text: string, rules: WordTerms): Generator<undefined, CountedTerms> {
    let [length, isLater] = [0, false];
    this.#counter.clear();
    for (const piece of analyzedPieces(this.analyzer, text)) {
      if (isLater) yield;
      isLater = true;
      length += this.#countWords(this.analyzer.prepare?.(piece) ?? piece, rules);
    }
    const counted = this.#counter.counted();
    return { ...counted, length, unknown: 0 };
  }

  /** Counts the terms of a piece. Returns how many it has, repetitions included. */
  #countWords(text: string, { eachWord, termOf }: WordTerms): number {
    const [counter, wordIds] = [this.#counter, this.#wordIds];
    let length = 0;
    const word = (start: number, end: number) => {
      let id = wordIds.find(text, start, end);
      if (id === UNSEEN) {
        const term = termOf(text.slice(start, end));
        id = term === "" ? NO_TERM : (this.#lookUpId(term) ?? this.#addTerm(term));
        wordIds.set(text, start, end, id);
      }
      if (id === NO_TERM) return;
      counter.add(id);
      length++;
    };
    eachWord(text, word, (term) => {
      counter.add(this.#findOrAddId(term)!);
      length++;
    });
    return length;
  }

  /** Counts how often each term occurs: one look-up per term, and no Map per document. */
  *#counted(
    fields: readonly AnalyzedField[],
    counter: TermCounter,
    find: (term: string) => number | undefined,
    factorOf?: Bag,
  ): Generator<undefined, CountedTerms> {
    const noted: Noted = { factors: [], unknown: new Set() };
    counter.clear();
    let [length, isLater] = [0, false];
    for (const { pieces } of fields) {
      for (const { terms } of pieces) {
        if (isLater && terms.length > YIELDING_TERMS) yield;
        isLater = true;
        this.#count(terms, counter, find, noted, factorOf);
        length += terms.length;
      }
    }
    const { ids, counts } = counter.counted();
    const textFields = this.#textFields;
    const byField = textFields && (yield* this.#countedByField(fields, counter, ids));
    const { factors, unknown } = noted;
    const counted = { ids, counts, ...(factorOf && { factors }), length, unknown: unknown.size };
    if (!byField) return counted;
    const fieldWeights = weightsOfFields(textFields);
    return {
      ...counted,
      counts: Float64Array.from(ids, (_, i) => combinedSum(byField.counts, fieldWeights, i * fields.length)),
      length: combinedLength(byField.lengths, fieldWeights),
      byField,
    };
  }

  /** Counts the terms of a piece. A function of its own: loops in generators are slower. */
  #count(
    terms: readonly string[],
    counter: TermCounter,
    find: (term: string) => number | undefined,
    { factors, unknown }: Noted,
    factorOf: Bag | undefined,
  ): void {
    for (const term of terms) {
      const id = find(term);
      if (id === undefined) {
        unknown.add(term);
        continue;
      }
      const isNew = counter.add(id);
      if (isNew && factorOf) factors.push(roundToFloat16(factorOf.get(term) ?? 1));
    }
  }

  /** How often each text field has the terms of the document that is being counted. */
  *#countedByField(
    fields: readonly AnalyzedField[],
    counter: TermCounter,
    ids: Uint32Array,
  ): Generator<undefined, FieldCounts & { lengths: number[] }> {
    const counts = new Uint32Array(ids.length * fields.length);
    const lengths = fields.map(() => 0);
    for (const [field, { pieces }] of fields.entries()) {
      for (const { terms } of pieces) {
        if (lengths[field] > 0 && terms.length > YIELDING_TERMS) yield;
        lengths[field] += terms.length;
        for (const term of terms) {
          const id = this.#findId(term);
          if (id !== undefined) counts[counter.indexOf(id) * fields.length + field]++;
        }
      }
    }
    return { counts, lengths };
  }

  /** Where the known terms of a document stand. */
  *#occurrences(fields: readonly AnalyzedField[]): Generator<undefined, Occurrences> {
    const pieces = fields.flatMap((field) => field.pieces);
    const all = pieces.reduce((sum, { terms }) => sum + terms.length, 0);
    const [ids, positions] = [new Uint32Array(all), new Uint32Array(all)];
    let known = 0;
    for (const { terms, positions: own } of pieces) {
      if (known > 0 && terms.length > YIELDING_TERMS) yield;
      for (const [i, term] of terms.entries()) {
        const id = this.#findId(term);
        if (id === undefined) continue;
        ids[known] = id;
        positions[known++] = own[i];
      }
    }
    return { ids: ids.slice(0, known), positions: positions.slice(0, known) };
  }

  *#recount(document: Document, where: string, sign: 1 | -1): Generator<undefined, void> {
    if (this.kind === "weights") return; // nothing was counted
    const fields = yield* this.#analyzed(document, where, false);
    this.#tally(yield* this.#counted(fields, this.#recounter, (term) => this.#findId(term)), sign);
  }

  #tally({ ids, length, byField }: CountedTerms, sign: 1 | -1): void {
    const lengths = byField ? Array.from(byField.lengths) : [length];
    if (lengths.some((count) => count > 0)) this.#docs += sign;
    if (byField) for (const [field, count] of lengths.entries()) this.#fieldLengths[field] += sign * count;
    else this.#length += sign * length;
    this.#frequencies = ensureCapacity(this.#frequencies, this.size);
    const frequencies = this.#frequencies;
    for (let i = 0; i < ids.length; i++) frequencies[ids[i]] += sign;
  }

  #findId(term: string): number | undefined {
    const first = this.#firstIds.get(term);
    if (first !== undefined) return first;
    const id = this.#lookUpId(term);
    if (id !== undefined && this.#firstIds.size < MOST_FIRST_IDS) this.#firstIds.set(flatCopy(term), id);
    return id;
  }

  #lookUpId(term: string): number | undefined {
    const { vocabulary } = this.#slicing;
    // A first build has no earlier terms, so this saves a look-up for every term of every document.
    const known = vocabulary.size > 0 ? vocabulary.findId(term) : undefined;
    if (known !== undefined) return known;
    const arrival = this.#arrived.find(term);
    return arrival === undefined ? undefined : vocabulary.size + arrival;
  }

  #findOrAddId(term: string): number | undefined {
    return this.#findId(term) ?? (this.#isOpen ? this.#addTerm(term) : undefined);
  }

  /** Gives a new term the next id. */
  #addTerm(term: string): number {
    const id = this.size;
    this.#arrived.add(term);
    return id;
  }

  /** Throws if a term is new and the slicing is sealed. */
  #checkKnown(terms: Iterable<string>, where: string): void {
    if (this.vocabularyKind !== "sealed" || this.#isOpen) return;
    for (const term of terms) {
      if (this.#findId(term) !== undefined) continue;
      throw new SluiceError(
        `${where}: the term ${JSON.stringify(term)} is new, and ${this.#slicing.settings.strategy} slicing has no cell for it`,
        "build the index with spread, hashed or full slicing, or with a vocabulary of its own",
      );
    }
  }
}

function weightsOfFields(fields: readonly TextField[]): number[] {
  return fields.map(({ weight }) => weight);
}

function weightsWithBm25Error(where: string): SluiceError {
  return new SluiceError(
    `${where}: it brings weights, and this index weights terms by BM25`,
    'leave them out; or build an index with lexical "weights", or whose first document has weights',
  );
}

function factorsWithoutBm25Error(where: string): SluiceError {
  return new SluiceError(
    `${where}: termFactors multiply BM25's weights, and this index takes the weights that documents bring`,
    'leave them out, or build the index with lexical "bm25"',
  );
}

function takeGivenWeights(bag: Bag, find: (term: string) => number | undefined): CountedTerms {
  const [ids, weights]: [number[], number[]] = [[], []];
  for (const [term, weight] of bag) {
    const id = find(term);
    if (id === undefined) continue;
    ids.push(id);
    weights.push(weight);
  }
  return {
    ids: Uint32Array.from(ids),
    counts: weights,
    length: bagLength(bag),
    unknown: bag.size - ids.length,
  };
}
