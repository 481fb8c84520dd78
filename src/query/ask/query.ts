// What a user asks: the type of a query, the form in which it is ranked, its check, and what an answer says about its terms.

import type { Row } from "../../densify/rows.ts";
import type { SlicingSettings } from "../../densify/slicing.ts";
import type { Bag } from "../../documents/bag.ts";
import { checkVector } from "../../documents/document.ts";
import { abridge, SluiceError } from "../../support/errors/sluice-error.ts";
import { FLOAT16_MAX } from "../../support/numbers/float16.ts";
import {
  isObject,
  type KnownOptions,
  unknownNameError,
  wrongValueError,
} from "../../support/options/options.ts";
import type { TermFactors } from "../../weigh/term-factors.ts";
import { checkDemands, checkQueryLength, DEMANDS, type Demands } from "./clause.ts";
import type { TextPiece } from "./text-piece.ts";

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
      /** What decides the cells of the row: `info().slicingSettings` of the index that it was densified for. */
      readonly slicingSettings?: SlicingSettings | undefined;
      readonly vector?: ArrayLike<number> | undefined;
      readonly like?: string | undefined;
    });

/** A query as an object. A query that is a text becomes `{ text }`. */
export type QueryParts = Exclude<Query, string>;

/** @internal A query that can be ranked: it has no demands, and it names no other document. */
export interface PlainQuery extends Omit<QueryParts, keyof Demands | "like"> {
  readonly must?: undefined;
  readonly mustNot?: undefined;
  readonly prefer?: undefined;
  readonly like?: undefined;
  /** The text in pieces, if some of its words count in one field alone, or are beginnings. An encoder reads the text as a whole. */
  readonly pieces?: readonly TextPiece[] | undefined;
}

/** @internal A query as an object: a text becomes `{ text }`. A search calls it once for each query, at its beginning. */
export function toQueryParts(query: Query): QueryParts {
  return typeof query === "string" ? { text: query } : query;
}

/** @internal The same query without its demands and preferences. Call `resolveLike` for one that names another document. */
export function withoutDemands(query: Query): PlainQuery {
  const { must: _must, mustNot: _mustNot, prefer: _prefer, like: _like, ...plain } = toQueryParts(query);
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
  /** The words of the query that this term stands for, as the user typed them: the options `prefix`, `typos` and `synonyms`. */
  readonly from?: string;
  /** How many edits the correction took; 0 for a completion. Absent for a synonym. */
  readonly edits?: number;
  /**
   * The terms that the word of this term was completed or corrected to. With `match: "all"`, a document needs one of them or this
   * term.
   */
  readonly alternatives?: readonly string[];
}

export const QUERY_PARTS: KnownOptions<QueryParts> = {
  text: true,
  weights: true,
  termFactors: true,
  row: true,
  slicingSettings: true,
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
  const { text, weights, termFactors, row, slicingSettings, vector, like } = query as QueryParts;
  if (like !== undefined) {
    if (typeof like !== "string") throw wrongValueError("the query's like", "the id of a document", like);
    if (Object.keys(query).length === 1) return;
    throw new SluiceError("the query has like and other parts", "like goes alone");
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
    throw new SluiceError("the query has termFactors, and no text or weights that they multiply");
  if (vector !== undefined) checkVector(vector, "the query's vector");
  if (slicingSettings !== undefined && row === undefined)
    throw new SluiceError("the query has slicingSettings, and no row that they belong to", "leave it out");
  if (row !== undefined) checkRow(row);
}

/** The error for a query that ranks no document: it is empty, or it only says what hits do not have or what is preferred. */
function nothingToRankError(query: object, expected: string): SluiceError {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return given.length === 0
    ? new SluiceError(`a query must be ${expected}, not an object without any of them`)
    : new SluiceError(
        `the query has ${given.join(" and ")}, and nothing that documents are found by`,
        "give it text, must, weights, row or vector as well",
      );
}

export function checkQueries(queries: unknown): asserts queries is readonly Query[] {
  if (!Array.isArray(queries)) throw wrongValueError("queries", "a list of queries", queries);
  if (queries.length === 1) return checkQuery(queries[0]);
  for (let i = 0; i < queries.length; i++) {
    try {
      checkQuery(queries[i]);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      throw new SluiceError(`queries[${i}]: ${error.problem}`, error.hint, error.code, error.option);
    }
  }
}

/** Throws if a weight or a factor of a term is not a number within its range. */
function checkTermNumbers(what: string, given: QueryParts["weights"] = {}): void {
  for (const [term, value] of given instanceof Map ? given : Object.entries(given))
    if (!(typeof value === "number" && value >= 0 && value <= MOST_QUERY_WEIGHT))
      throw new SluiceError(
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
