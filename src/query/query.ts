// A query → the row and the vector that are searched with, and what happened to each of its terms.

import type { Densifier } from "../densify/densify.ts";
import type { Row } from "../densify/rows.ts";
import { DISCARDED, requireSame, type Settings, type Slicing } from "../densify/slicing.ts";
import { checkedVector } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { roundToFloat16 } from "../support/float16.ts";
import { isObject, type KnownOptions, unknownName, wrong } from "../support/options.ts";
import { type Bag, checkedBag, count } from "../weigh/bag.ts";
import { idf } from "../weigh/bm25.ts";
import type { Weighting } from "../weigh/weighting.ts";

/**
 * A query is a text, or weighted terms, or a densified row with its settings. If the index has a semantic part, you can add
 * a vector to any of them, or give a vector alone. With BM25 a weight counts as that many occurrences of the term, and a row
 * is refused: rows of such an index hold only the document's part of a weight, without the idf.
 */
export type Query =
  | string
  | {
      readonly text?: string;
      readonly weights?: Bag | Readonly<Record<string, number>>;
      readonly row?: Row;
      readonly settings?: Settings;
      readonly vector?: ArrayLike<number>;
    };

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
  readonly weight: number;
  readonly fate: Fate;
  readonly by?: string;
  /** The encoder added it: the text of the query does not contain it. */
  readonly expanded?: true;
}

export interface EncodedQuery {
  readonly row: Row;
  readonly vector?: Float32Array;
  readonly terms: readonly QueryTerm[];
}

const QUERY_PARTS: KnownOptions<Exclude<Query, string>> = {
  text: true,
  weights: true,
  row: true,
  settings: true,
  vector: true,
};

/** Throws if the value is not a query. The length of its vector is checked later: only the index knows it. */
export function checkQuery(query: unknown): asserts query is Query {
  if (typeof query === "string") return;
  const expected = "a text, or an object with text, weights, row or vector";
  if (!isObject(query)) throw wrong("a query", expected, query);
  for (const name of Object.keys(query)) {
    if (!Object.hasOwn(QUERY_PARTS, name))
      throw unknownName(name, Object.keys(QUERY_PARTS), "a query has nothing called");
  }
  const { text, weights, row, settings, vector } = query as Exclude<Query, string>;
  if (text === undefined && weights === undefined && row === undefined && vector === undefined)
    throw new UsageError(`a query must be ${expected}, not an object without any of them`);
  if (text !== undefined && typeof text !== "string") throw wrong("the query's text", "a text", text);
  if (weights !== undefined && !isObject(weights))
    throw wrong("the query's weights", "a Map or an object with a number for each term", weights);
  if (vector !== undefined) checkedVector(vector, "the query's vector");
  if (settings !== undefined && row === undefined)
    throw new UsageError("the query has settings, and no row that they belong to", "leave them out");
  if (row !== undefined) checkRow(row);
}

export function checkQueries(queries: unknown): asserts queries is readonly Query[] {
  if (!Array.isArray(queries)) throw wrong("queries", "a list of queries", queries);
  for (const query of queries) checkQuery(query);
}

function checkRow(row: unknown): void {
  const { slices, indices, values } = (row ?? {}) as Partial<Row>;
  const lengths = [slices, indices, values].map((part) => (part as Uint32Array | undefined)?.length);
  if (typeof lengths[0] !== "number" || lengths.some((length) => length !== lengths[0]))
    throw wrong("the query's row", "an object with slices, indices and values of the same length", row);
}

/** @internal Turns queries into rows and vectors, with the statistics and the slicing of one snapshot. */
export class QueryDensifier {
  readonly #weighting: Weighting;
  readonly #densifier: Densifier;
  readonly #semanticDims: number;

  constructor(weighting: Weighting, densifier: Densifier, semanticDims: number) {
    this.#weighting = weighting;
    this.#densifier = densifier;
    this.#semanticDims = semanticDims;
  }

  encode(query: Query): EncodedQuery {
    const asked = typeof query === "string" ? { text: query } : query;
    const vector = this.#checkedVector(asked.vector);
    const lexical = asked.row
      ? this.#checkGivenRow(asked.row, asked.settings)
      : this.#densify(asked.text, asked.weights);
    return { ...lexical, ...(vector && { vector }) };
  }

  #checkGivenRow(row: Row, settings: Settings | undefined): EncodedQuery {
    if (!settings) throw new UsageError("a densified query needs the settings it was densified with");
    const { slicing } = this.#densifier;
    requireSame(slicing.settings, settings, "the query");
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
      if (settings.strategy === "hashed") return { term: `cell ${slice}:${index}`, weight, fate: "unknown" };
      throw new UsageError(`the query's slice ${slice} has no term at ${index}`);
    });
    return { row, terms };
  }

  #densify(text = "", weights?: Bag | Readonly<Record<string, number>>): EncodedQuery {
    const { slicing } = this.#densifier;
    const ids: number[] = [];
    const known: number[] = [];
    const terms: QueryTerm[] = [];
    for (const [term, weight] of this.#weighted(text, weights)) {
      const id = this.#idOf(term);
      if (id === undefined) {
        terms.push({ term, weight: 0, fate: "unknown" });
      } else {
        ids.push(id);
        known.push(weight(id));
      }
    }
    const { row } = this.#densifier.densify({ ids, weights: known });
    const slotOf = new Map(Array.from(row.slices, (slice, slot) => [slice, slot]));
    for (const [i, id] of ids.entries()) terms.push(fateOf(slicing, row, slotOf, id, known[i]));
    return { row, terms };
  }

  /** The terms of the query. Each has a function that gives its weight, since BM25's depends on the id. */
  *#weighted(
    text: string,
    weights: Bag | Readonly<Record<string, number>> | undefined,
  ): Generator<[string, (id: number) => number]> {
    const weighting = this.#weighting;
    const bag = weights
      ? checkedBag(weights instanceof Map ? weights : Object.entries(weights), "the query")
      : count(weighting.analyzer.terms(text));
    for (const [term, weight] of bag) {
      if (weighting.kind === "weights") yield [term, () => weight];
      else {
        const { docs, documentFrequencies } = weighting.statistics;
        yield [term, (id) => weight * idf(docs, documentFrequencies[id])];
      }
    }
  }

  /** The id of a term that documents contain. Other terms of a fixed vocabulary must not take their slots. */
  #idOf(term: string): number | undefined {
    const id = this.#densifier.slicing.vocabulary.id(term);
    if (id === undefined || this.#weighting.kind === "weights") return id;
    return this.#weighting.statistics.documentFrequencies[id] > 0 ? id : undefined;
  }

  #checkedVector(vector: ArrayLike<number> | undefined): Float32Array | undefined {
    if (vector === undefined) return undefined;
    if (vector.length !== this.#semanticDims) {
      throw new UsageError(
        `the query's vector has ${vector.length} dims, the index has ${this.#semanticDims}`,
        "encode queries with the model the documents were encoded with",
      );
    }
    // Rounded to float16, like the documents' vectors; θ is compared with the rounded values (SPEC 2.3).
    const rounded = checkedVector(vector, "the query's vector");
    for (let i = 0; i < rounded.length; i++) rounded[i] = roundToFloat16(rounded[i]);
    return rounded;
  }
}

function fateOf(
  slicing: Slicing,
  row: Row,
  slotOf: ReadonlyMap<number, number>,
  id: number,
  weight: number,
): QueryTerm {
  const term = slicing.vocabulary.term(id);
  const slice = slicing.slices[id];
  if (slice === DISCARDED) return { term, weight, fate: "discarded" };
  if (roundToFloat16(weight) === 0) return { term, weight, fate: "weightless" };
  const slot = slotOf.get(slice)!;
  // Two hashed terms may share a cell; then the heavier has it.
  const kept = row.indices[slot] === slicing.indices[id] && row.values[slot] === roundToFloat16(weight);
  if (kept) return { term, weight, fate: "kept" };
  return { term, weight, fate: "outweighed", by: slicing.termAt(slice, row.indices[slot])! };
}
