// A query → the row and the vector that are searched with, and what happened to each of its terms.

import type { Densifier } from "../densify/densify.ts";
import type { Row } from "../densify/rows.ts";
import { DISCARDED, requireSameSlicing, type Slicing, type SlicingSettings } from "../densify/slicing.ts";
import { type Bag, checkBag, countTerms } from "../documents/bag.ts";
import { checkVector } from "../documents/document.ts";
import { abridge, UsageError } from "../support/errors/usage-error.ts";
import { FLOAT16_MAX, roundToFloat16 } from "../support/numbers/float16.ts";
import {
  isObject,
  type KnownOptions,
  unknownNameError,
  wrongValueError,
} from "../support/options/options.ts";
import type { Writable } from "../support/options/writable.ts";
import { idf } from "../weigh/bm25.ts";
import { checkFactors, type TermFactors } from "../weigh/term-factors.ts";
import { hasWords, type Weighting } from "../weigh/weighting.ts";
import { checkDemands, checkQueryLength, DEMANDS, type Demands } from "./clause.ts";
import { KnownTerms } from "./known-terms.ts";
import type { Notice } from "./notice.ts";
import type { TextPiece } from "./text-piece.ts";
import { expandWords } from "./words/expand-words.ts";
import { describeCutBeginnings, type ExpandedText } from "./words/expansion.ts";
import { Speller } from "./words/speller.ts";
import { findSynonyms } from "./words/synonyms.ts";
import { beginningRules, type WordRules } from "./words/word-options.ts";

/**
 * A query is a text, or weighted terms, or a densified row with the slicing that it was made with. If the index has a semantic
 * part, you can add a vector to any of them, or give a vector alone. With BM25 a weight counts as that many occurrences of the
 * term, and a row is refused: rows of such an index hold only the document's part of a weight, without the idf. `termFactors`
 * multiply BM25's weights of the query's terms; encoders of the kind "anchored" give them. `like`, alone, is the id of a document:
 * it finds documents like that one, by its vector and its 25 heaviest terms. `must` and `mustNot` are words and phrases that
 * hits have and do not have; `prefer` are phrases that add to their scores.
 */
export type Query =
  | string
  | (Demands & {
      readonly text?: string | undefined;
      readonly weights?: Bag | Readonly<Record<string, number>> | undefined;
      readonly termFactors?: TermFactors | undefined;
      readonly row?: Row | undefined;
      /** What decides the cells of the row: `info().slicing` of the index that it was densified for. */
      readonly slicing?: SlicingSettings | undefined;
      readonly vector?: ArrayLike<number> | undefined;
      readonly like?: string | undefined;
    });

/** A query as an object. One that is a text alone becomes `{ text }`. */
export type QueryParts = Exclude<Query, string>;

/** @internal A query as it is ranked: its demands were taken out, or it had none. */
export type PlainQuery = string | PlainQueryParts;

/** @internal The parts of such a query. */
export interface PlainQueryParts extends Omit<QueryParts, keyof Demands> {
  readonly must?: undefined;
  readonly mustNot?: undefined;
  readonly prefer?: undefined;
  /** The text in pieces, if some of its words count in one field alone, or are beginnings. An encoder reads the text as a whole. */
  readonly pieces?: readonly TextPiece[] | undefined;
}

/** @internal */
export function toQueryParts(query: PlainQuery): PlainQueryParts;
export function toQueryParts(query: Query): QueryParts;
export function toQueryParts(query: Query): QueryParts {
  return typeof query === "string" ? { text: query } : query;
}

/** @internal The same query, but what it demands and prefers. */
export function withoutDemands(query: Query): PlainQueryParts {
  const { must: _must, mustNot: _mustNot, prefer: _prefer, ...plain } = toQueryParts(query);
  return plain;
}

/**
 * What happened to a term of the query:
 * - `kept`: it has a slot in the query's row
 * - `outweighed`: a heavier term of the query (`by`) has its slot
 * - `discarded`: the slicing discards its vocabulary id
 * - `unknown`: no document contains it
 * - `weightless`: its weight is 0
 */
export type Fate = "kept" | "outweighed" | "discarded" | "unknown" | "weightless";

export interface QueryTerm {
  readonly term: string;
  /** The only text field that it counts in. Absent if it counts in all texts of a document. */
  readonly field?: string;
  readonly weight: number;
  readonly fate: Fate;
  readonly by?: string;
  /** What BM25's weight was multiplied by; `weight` is the product. Absent if the query has no factors. */
  readonly factor?: number;
  /** The encoder added it: the text of the query does not contain it. */
  readonly expanded?: true;
  /** The words of the query that this term stands for, as they were typed: the options `prefix`, `typos` and `synonyms`. */
  readonly from?: string;
  /** How many edits the correction took; 0 for a completion. Absent for a synonym. */
  readonly edits?: number;
  /**
   * The terms that the word of this term was completed or corrected to. With `match: "all"`, a document needs one of them or this
   * term.
   */
  readonly alternatives?: readonly string[];
}

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

/** A term of a query that has a slot, with its weight as float16. One that counts in two ways is there twice. */
interface FieldTerm {
  readonly id: number;
  readonly weight: number;
  /** Left out: it counts in all texts of a document. */
  readonly field?: string | undefined;
}

export const QUERY_PARTS: KnownOptions<QueryParts> = {
  text: true,
  weights: true,
  termFactors: true,
  row: true,
  slicing: true,
  vector: true,
  like: true,
  ...DEMANDS,
};

/** What a query may be, for errors. `more` are parts that JSON does not have. */
export function expectedQuery(...more: readonly string[]): string {
  const parts = ["text", "must", "mustNot", "prefer", "weights", "termFactors", "vector", ...more];
  return `a text, or an object with ${parts.join(", ")} or like`;
}

/** The largest weight and factor of a query's term. Products with the idf of the term must fit into a float16, too. */
export const MOST_QUERY_WEIGHT = FLOAT16_MAX;

/** Throws if the value is not a query. The length of its vector is checked later: only the index knows it. */
export function checkQuery(query: unknown): asserts query is Query {
  if (typeof query === "string") {
    checkQueryLength("the query", query);
    return;
  }
  const expected = expectedQuery("row");
  if (!isObject(query)) throw wrongValueError("a query", expected, query);
  for (const name of Object.keys(query)) {
    if (!Object.hasOwn(QUERY_PARTS, name))
      throw unknownNameError(name, Object.keys(QUERY_PARTS), "a query has nothing called");
  }
  const { text, weights, termFactors, row, slicing, vector, like } = query as QueryParts;
  if (like !== undefined) {
    if (typeof like !== "string") throw wrongValueError("the query's like", "the id of a document", like);
    if (Object.keys(query).length === 1) return;
    throw new UsageError("the query has like and other parts", "like goes alone");
  }
  checkDemands(query as QueryParts);
  const parts = [text, weights, row, vector, (query as QueryParts).must];
  if (parts.every((part) => part === undefined)) throw nothingToRankError(query, expected);
  if (text !== undefined && typeof text !== "string")
    throw wrongValueError("the query's text", "a text", text);
  checkQueryLength("the query's text", text ?? "");
  if (weights !== undefined && !isObject(weights))
    throw wrongValueError("the query's weights", "a Map or an object with a number for each term", weights);
  if (termFactors !== undefined && !isObject(termFactors))
    throw wrongValueError(
      "the query's termFactors",
      "a Map or an object with a number for each term",
      termFactors,
    );
  checkTermNumbers("weight", weights);
  checkTermNumbers("factor", termFactors);
  if (termFactors !== undefined && text === undefined && weights === undefined)
    throw new UsageError("the query has termFactors, and no text or weights that they multiply");
  if (vector !== undefined) checkVector(vector, "the query's vector");
  if (slicing !== undefined && row === undefined)
    throw new UsageError("the query has a slicing, and no row that it belongs to", "leave it out");
  if (row !== undefined) checkRow(row);
}

/** The error for a query that ranks no document: it is empty, or it only says what hits do not have or what is preferred. */
function nothingToRankError(query: object, expected: string): UsageError {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return given.length === 0
    ? new UsageError(`a query must be ${expected}, not an object without any of them`)
    : new UsageError(
        `the query has ${given.join(" and ")}, and nothing that documents are found by`,
        "give it text, must, weights, row or vector as well",
      );
}

export function checkQueries(queries: unknown): asserts queries is readonly Query[] {
  if (!Array.isArray(queries)) throw wrongValueError("queries", "a list of queries", queries);
  for (const query of queries) checkQuery(query);
}

/** Throws if a weight or a factor of a term is not a number within its range. */
function checkTermNumbers(what: string, given: QueryParts["weights"] = {}): void {
  for (const [term, value] of given instanceof Map ? given : Object.entries(given))
    if (!(typeof value === "number" && value >= 0 && value <= MOST_QUERY_WEIGHT))
      throw new UsageError(
        `the query: the ${what} of ${JSON.stringify(term)} is ${abridge(String(value))}, expected a number from 0 to ${MOST_QUERY_WEIGHT}`,
      );
}

function checkRow(row: unknown): void {
  const { slices, indices, values } = (row ?? {}) as Partial<Row>;
  const lengths = [slices, indices, values].map((part) => (part as Uint32Array | undefined)?.length);
  if (typeof lengths[0] !== "number" || lengths.some((length) => length !== lengths[0]))
    throw wrongValueError(
      "the query's row",
      "an object with slices, indices and values of the same length",
      row,
    );
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
  densify(query: PlainQueryParts, rules?: WordRules): DensifiedQuery {
    const { text = "", weights, termFactors, row, slicing } = query;
    const vector = this.#roundedVector(query.vector);
    if (rules && (row || weights)) this.#bm25OfWords("typos, prefix and synonyms");
    const lexical = row
      ? this.#checkGivenRow(row, slicing)
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
      throw new UsageError(
        "a densified query needs the slicing that it was densified with",
        "give it: { row, slicing: index.info().slicing }",
      );
    const { slicing } = this.#densifier;
    requireSameSlicing(slicing.settings, given, "the query");
    if (this.#weighting.kind === "bm25") {
      throw new UsageError(
        "a densified query lacks the idf that BM25 needs",
        "give a text or weights instead",
      );
    }
    const terms = Array.from(row.slices, (slice, i): QueryTerm => {
      const [index, weight] = [row.indices[i], row.values[i]];
      if (!Number.isFinite(weight)) throw new UsageError(`the query's weight in slice ${slice} is ${weight}`);
      const term = slicing.termAt(slice, index);
      if (term !== undefined) return { term, weight, fate: "kept" };
      if (given.strategy === "hashed") return { term: `cell ${slice}:${index}`, weight, fate: "unknown" };
      throw new UsageError(`the query's slice ${slice} has no term at ${index}`);
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
    return checkBag(weights instanceof Map ? weights : Object.entries(weights), "the query");
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
    throw new UsageError(
      "this index has no words to correct or complete: its terms are pieces of words, or came with weights",
      `leave out ${options}, or use an index with BM25 and whole words`,
    );
  }

  #checkedFactors(factors: TermFactors): Bag {
    if (this.#weighting.kind === "bm25") return checkFactors(factors, "the query");
    throw new UsageError(
      "the query has termFactors, which multiply BM25's weights, and this index takes weights as they are given",
      "multiply the weights, and leave the factors out",
    );
  }

  /** The id of a term that documents contain. One of a fixed vocabulary that none contains must not take the slot of another. */
  #idOf(term: string): number | undefined {
    const id = this.#densifier.slicing.vocabulary.findId(term);
    if (id === undefined || this.#weighting.kind === "weights") return id;
    return this.#weighting.statistics.documentFrequencies[id] > 0 ? id : undefined;
  }

  /** `checkQuery` has checked the entries of a caller's vector, and the preparer those of an encoder's. */
  #roundedVector(vector: ArrayLike<number> | undefined): Float32Array | undefined {
    if (vector === undefined) return undefined;
    if (vector.length !== this.#semanticDims) {
      throw new UsageError(
        `the query's vector has ${vector.length} dims, the index has ${this.#semanticDims}`,
        "encode queries with the encoder of the documents",
      );
    }
    // Rounded to float16, like the documents' vectors; θ is compared with the rounded values (specification.md, 2.3).
    const rounded = new Float32Array(vector);
    for (let i = 0; i < rounded.length; i++) rounded[i] = roundToFloat16(rounded[i]);
    return rounded;
  }
}

/** What an answer says about a term. Its weight and its fate follow if the index has the term. */
function newAnswerTerm(
  term: string,
  field: string | undefined,
  factor: number | undefined,
): Writable<QueryTerm> {
  // Properties are set one by one: a spread for each takes longer than a short search has.
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
  const kept = row.indices[slot] === slicing.indices[id] && row.values[slot] === rounded;
  if (kept) return { fate: "kept" };
  return { fate: "outweighed", by: slicing.termAt(slice, row.indices[slot])! };
}
