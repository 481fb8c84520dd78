// A query → the row and the vector that are searched with, and what happened to each of its terms.

import type { Densifier } from "../../densify/densify.ts";
import type { Row } from "../../densify/rows.ts";
import { DISCARDED, requireSameSlicing, type Slicing, type SlicingSettings } from "../../densify/slicing.ts";
import { type Bag, checkBag, countTerms, weightEntries } from "../../documents/bag.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { FLOAT16_MAX, replaceByFloat16s, roundToFloat16 } from "../../support/numbers/float16.ts";
import type { Writable } from "../../support/options/writable.ts";
import { idf } from "../../weigh/bm25.ts";
import { checkFactors, type TermFactors } from "../../weigh/term-factors.ts";
import { hasWords, type Weighting } from "../../weigh/weighting.ts";
import type { Notice } from "../ask/notice.ts";
import type { Fate, PlainQuery, QueryParts, QueryTerm } from "../ask/query.ts";
import type { TextPiece } from "../ask/text-piece.ts";
import { expandWords } from "../words/expand-words.ts";
import { describeCutBeginnings, type ExpandedText } from "../words/expansion.ts";
import { Speller } from "../words/speller.ts";
import { findSynonyms } from "../words/synonyms.ts";
import { beginningRules, type WordRules } from "../words/word-options.ts";
import { KnownTerms } from "./known-terms.ts";

/** A query as a row and a vector, and what happened to each of its terms. */
export interface DensifiedQuery {
  readonly row: Row;
  readonly vector?: Float32Array | undefined;
  readonly terms: readonly QueryTerm[];
  /** The terms of the row with their fields, if one of them counts in one text field alone. */
  readonly fieldTerms?: readonly FieldTerm[] | undefined;
  /** Say which beginnings have more completions than were taken. */
  readonly cutNotices?: readonly Notice[] | undefined;
}

/** A term of a query that has a slot, with its weight as float16. A term that counts in two fields is there twice. */
interface FieldTerm {
  readonly id: number;
  readonly weight: number;
  /** Left out: it counts in all texts of a document. */
  readonly field?: string | undefined;
}

/** What completions and corrections add to a query whose words are taken as they are: nothing. */
const NO_EXPANSION: ExpandedText = { expansions: [], alternatives: new Map() };

/** A piece of a query, or its weights, with what is added to it. */
interface WeighedPiece extends ExpandedText, Partial<Pick<TextPiece, "text" | "field">> {
  readonly weights?: QueryParts["weights"];
}

/** @internal Densifies queries with the statistics and the slicing of one snapshot. */
export class QueryDensifier {
  readonly #weighting: Weighting;
  readonly #densifier: Densifier;
  readonly #semanticDims: number;
  #speller: Speller | undefined;

  constructor(weighting: Weighting, densifier: Densifier, semanticDims: number) {
    this.#weighting = weighting;
    this.#densifier = densifier;
    this.#semanticDims = semanticDims;
  }

  /** `rules` say which words of a text are completed and corrected. */
  densify(query: PlainQuery, rules?: WordRules): DensifiedQuery {
    const { text = "", weights, termFactors, row, slicingSettings } = query;
    const vector = this.#roundedVector(query.vector);
    if (rules && (row || weights)) this.#bm25OfWords("typos, prefix and synonyms");
    const lexical = row
      ? this.#checkGivenRow(row, slicingSettings)
      : weights
        ? this.#densifyTerms([{ weights, ...NO_EXPANSION }], termFactors)
        : this.#densifyTerms(this.#expandedPieces(query.pieces ?? [{ text }], rules), termFactors);
    return vector ? { ...lexical, vector } : lexical;
  }

  /** Completes and corrects the words of each piece. Only the last word of the last piece may still be typed. */
  #expandedPieces(pieces: readonly TextPiece[], rules: WordRules | undefined): WeighedPiece[] {
    const ofBeginnings = new Map<string, ExpandedText>();
    return pieces.map((piece, i) => {
      const pieceRules = piece.isBeginning ? beginningRules(rules) : rules;
      const isLast = piece.isBeginning || i === pieces.length - 1;
      const used = pieceRules && !isLast ? { ...pieceRules, completesLast: false } : pieceRules;
      if (!used || !piece.text) return { text: piece.text, field: piece.field, ...NO_EXPANSION };
      const expandedBefore = piece.isBeginning ? ofBeginnings.get(piece.text) : undefined;
      const expanded = expandedBefore ?? this.#expanded(piece.text, used);
      if (piece.isBeginning) ofBeginnings.set(piece.text, expanded);
      return { ...piece, ...expanded };
    });
  }

  #checkGivenRow(row: Row, given: SlicingSettings | undefined): DensifiedQuery {
    if (!given)
      throw new SluiceError(
        "a densified query needs the slicing that it was densified with",
        "give its settings: { row, slicingSettings: index.info().slicingSettings }",
      );
    const { slicing } = this.#densifier;
    requireSameSlicing(slicing.settings, given, "the query");
    if (this.#weighting.kind === "bm25") {
      throw new SluiceError(
        "a densified query lacks the idf that BM25 needs",
        "give a text or weights instead",
      );
    }
    const terms = Array.from(row.slices, (slice, i): QueryTerm => {
      const [index, weight] = [row.indices[i], row.values[i]];
      if (!Number.isFinite(weight))
        throw new SluiceError(`the query's weight in slice ${slice} is ${weight}`);
      const term = slicing.termAt(slice, index);
      if (term !== undefined) return { term, weight, fate: "kept" };
      if (given.strategy === "hashed") return { term: `cell ${slice}:${index}`, weight, fate: "unknown" };
      throw new SluiceError(`the query's slice ${slice} has no term at ${index}`);
    });
    return { row, terms };
  }

  #densifyTerms(pieces: readonly WeighedPiece[], termFactors: TermFactors | undefined): DensifiedQuery {
    const factors = termFactors && this.#checkedFactors(termFactors);
    const { slicing } = this.#densifier;
    const { vocabulary } = slicing;
    const terms: QueryTerm[] = [];
    const known = new KnownTerms<Writable<QueryTerm>>();
    for (const { text = "", weights, field, expansions, alternatives } of pieces) {
      // If a text repeats a word 100,000 times, its weight is the largest float16. A caller's weight that is larger is refused.
      const most = weights ? Number.POSITIVE_INFINITY : FLOAT16_MAX;
      for (const [term, given] of this.#bagOf(text, weights)) {
        const factor = factors && (factors.get(term) ?? 1);
        const answerTerm = newAnswerTerm(term, field, factor);
        const alternativeIds = alternatives.get(term);
        if (alternativeIds) answerTerm.alternatives = alternativeIds.map((each) => vocabulary.term(each));
        const id = this.#idOf(term);
        if (id === undefined) terms.push(answerTerm);
        else {
          const weight = Math.min(this.#weightOf(given, id) * (factor ?? 1), most);
          known.add({ id, weight, most, answerTerm });
        }
      }
      for (const { id, weight, from, edits } of expansions) {
        const term = vocabulary.term(id);
        const answerTerm = newAnswerTerm(term, field, factors && (factors.get(term) ?? 1));
        answerTerm.from = from;
        if (edits !== undefined) answerTerm.edits = edits;
        known.addExpansion({ id, weight, most, answerTerm });
      }
    }
    const { ids, weights } = known.ofRow();
    const { row } = this.#densifier.densify({ ids, weights });
    const slotOf = new Map<number, number>();
    for (let slot = 0; slot < row.slices.length; slot++) slotOf.set(row.slices[slot], slot);
    const weightOf = new Map<number, number>();
    for (let i = 0; i < ids.length; i++) weightOf.set(ids[i], weights[i]);
    const hasFields = pieces.some(({ field }) => field !== undefined);
    const fieldTerms: FieldTerm[] = [];
    for (const { id, weight, answerTerm } of known.all) {
      const { fate, by } = describeTerm(slicing, row, slotOf, id, weightOf.get(id)!);
      answerTerm.weight = weight;
      answerTerm.fate = fate;
      if (by !== undefined) answerTerm.by = by;
      terms.push(answerTerm);
      if (hasFields && fate === "kept")
        fieldTerms.push({ id, weight: roundToFloat16(weight), field: answerTerm.field });
    }
    const messages = describeCutBeginnings(pieces);
    if (!hasFields && messages === undefined) return { row, terms };
    const cutNotices = messages?.map((message): Notice => ({ code: "cut_beginning", message }));
    return { row, terms, ...(hasFields && { fieldTerms }), ...(cutNotices && { cutNotices }) };
  }

  /** The terms of a text with their counts, or the weights that a caller gives. */
  #bagOf(text: string, weights: QueryParts["weights"]): Bag {
    if (!weights) return countTerms(this.#weighting.analyzer.terms(text));
    return checkBag(weightEntries(weights, "the query, its weights"), "the query");
  }

  /** The weight of a term that is in a bag. BM25's depends on the documents that have the term. */
  #weightOf(given: number, id: number): number {
    if (this.#weighting.kind === "weights") return given;
    const { docs, documentFrequencies } = this.#weighting.statistics;
    return given * idf(docs, documentFrequencies[id]);
  }

  /** What the words of a text are completed and corrected to. */
  #expanded(text: string, rules: WordRules): ExpandedText {
    const spelled = rules.spells ? expandWords(this.speller, text, rules) : NO_EXPANSION;
    if (!rules.synonyms) return spelled;
    const { analyzer, statistics } = this.#bm25OfWords("synonyms");
    const { vocabulary } = this.#densifier.slicing;
    const synonyms = findSynonyms(analyzer, vocabulary, statistics, text, rules.synonyms);
    return { ...spelled, expansions: [...spelled.expansions, ...synonyms] };
  }

  /** What completes and corrects words. Throws if the terms of the index are not words. */
  get speller(): Speller {
    const { analyzer, statistics } = this.#bm25OfWords("typos and prefix");
    this.#speller ??= new Speller(analyzer, this.#densifier.slicing.vocabulary, statistics);
    return this.#speller;
  }

  #bm25OfWords(options: string): Extract<Weighting, { kind: "bm25" }> {
    const weighting = this.#weighting;
    if (hasWords(weighting)) return weighting;
    throw new SluiceError(
      "this index has no words to correct or complete: its terms are pieces of words, or came with weights",
      `leave out ${options}, or use an index with BM25 and whole words`,
    );
  }

  #checkedFactors(factors: TermFactors): Bag {
    if (this.#weighting.kind === "bm25") return checkFactors(factors, "the query");
    throw new SluiceError(
      "the query has termFactors, which multiply BM25's weights, and this index takes weights as they are given",
      "multiply the weights, and leave the factors out",
    );
  }

  /** The id of a term that documents contain. A term of a fixed vocabulary that no document contains must not take a slot. */
  #idOf(term: string): number | undefined {
    const id = this.#densifier.slicing.vocabulary.findId(term);
    if (id === undefined || this.#weighting.kind === "weights") return id;
    return this.#weighting.statistics.documentFrequencies[id] > 0 ? id : undefined;
  }

  /** `checkQuery` has checked the entries of a caller's vector, and the preparer has checked an encoder's. */
  #roundedVector(vector: ArrayLike<number> | undefined): Float32Array | undefined {
    if (vector === undefined) return undefined;
    if (vector.length !== this.#semanticDims) {
      throw new SluiceError(
        `the query's vector has ${vector.length} dims, the index has ${this.#semanticDims}`,
        "encode queries with the encoder of the documents",
      );
    }
    // Rounded to float16, like the documents' vectors; θ is compared with the rounded values (specification.md, 2.3).
    const rounded = new Float32Array(vector);
    replaceByFloat16s(rounded);
    return rounded;
  }
}

/** What an answer says about a term. Its weight and its fate follow if the index has the term. */
function newAnswerTerm(
  term: string,
  field: string | undefined,
  factor: number | undefined,
): Writable<QueryTerm> {
  // Hot path: an object spread is measurable in a short search.
  const answerTerm: Writable<QueryTerm> = { term, weight: 0, fate: "unknown" };
  if (field !== undefined) answerTerm.field = field;
  if (factor !== undefined) answerTerm.factor = factor;
  return answerTerm;
}

/** What happened to a term that the index has, and the term that has its slot if that is another one. */
function describeTerm(
  slicing: Slicing,
  row: Row,
  slotOf: ReadonlyMap<number, number>,
  id: number,
  weight: number,
): { readonly fate: Fate; readonly by?: string } {
  const slice = slicing.slices[id];
  if (slice === DISCARDED) return { fate: "discarded" };
  const rounded = roundToFloat16(weight);
  if (rounded === 0) return { fate: "weightless" };
  const slot = slotOf.get(slice)!;
  // Two hashed terms may share a cell; then the heavier has it.
  const isKept = row.indices[slot] === slicing.indices[id] && row.values[slot] === rounded;
  if (isKept) return { fate: "kept" };
  return { fate: "outweighed", by: slicing.termAt(slice, row.indices[slot])! };
}
