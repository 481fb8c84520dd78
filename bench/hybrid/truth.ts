// Computes the exact rankings from the plain definitions in float64: BM25, the inner product, and their sum
// lexical + λ · semantic. BM25 gives two rankings: with exact lengths, and with lengths rounded to one byte as in Lucene.
// Sluice rounds like Lucene, most peers do not; both are valid.

import { topK } from "../../src/support/numbers/topk.ts";
import { BM25_DEFAULTS, idf, termPart } from "../../src/weigh/bm25.ts";
import { type DataSet, DEPTH, NO_DOC, type Rankings } from "./contract/dataset.ts";

interface Posting {
  readonly doc: number;
  readonly count: number;
}

/** The document's part of a term's weight. */
type Part = (count: number, length: number, average: number) => number;

/** The lengths that BM25's rankings use, in the order of the rankings. */
export const LENGTHS = ["exact", "Lucene's"] as const;
const { k1, b } = BM25_DEFAULTS;
const PARTS: Readonly<Record<(typeof LENGTHS)[number], Part>> = {
  exact: (count, length, average) => count / (count + k1 * (1 - b + (b * length) / average)),
  "Lucene's": (count, length, average) => termPart(count, length, average, BM25_DEFAULTS),
};

export function exactRankings(set: DataSet): Rankings {
  const bm25 = bm25Scorer(set.passages.map(({ text }) => termsOf(text)));
  const empty = () => new Uint32Array(set.queries.length * DEPTH).fill(NO_DOC);
  const rankings = { lexical: LENGTHS.map(empty), dense: [empty()], hybrid: LENGTHS.map(empty) };
  for (const [query, text] of set.queries.entries()) {
    const at = query * DEPTH;
    const dense = innerProducts(set, query);
    rankings.dense[0].set(topK(dense, DEPTH), at);
    for (const [i, lengths] of LENGTHS.entries()) {
      const lexical = bm25(termsOf(text), PARTS[lengths]);
      const hybrid = lexical.map((score, doc) => score + set.lambda * dense[doc]);
      rankings.lexical[i].set(
        topK(lexical, DEPTH, (doc) => lexical[doc] > 0),
        at,
      );
      rankings.hybrid[i].set(topK(hybrid, DEPTH), at);
    }
  }
  return rankings;
}

/** Returns the share of the exact first k that are among the first k of a result. */
export function overlap(ranking: Uint32Array, query: number, found: readonly number[], k: number): number {
  const right = ranking.subarray(query * DEPTH, query * DEPTH + k).filter((doc) => doc !== NO_DOC);
  if (right.length === 0) return 1;
  const given = new Set(found.slice(0, k));
  return right.reduce((sum, doc) => sum + (given.has(doc) ? 1 : 0), 0) / right.length;
}

function termsOf(text: string): string[] {
  return text.split(" ").filter((term) => term !== "");
}

function bm25Scorer(documents: readonly string[][]): (query: readonly string[], part: Part) => Float64Array {
  const postings = new Map<string, Posting[]>();
  for (const [doc, terms] of documents.entries()) {
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const list = postings.get(term);
      if (list) list.push({ doc, count });
      else postings.set(term, [{ doc, count }]);
    }
  }
  const lengths = documents.map((terms) => terms.length);
  const filled = lengths.filter((length) => length > 0).length;
  const average = lengths.reduce((sum, length) => sum + length, 0) / filled;
  return (query, part) => {
    const scores = new Float64Array(documents.length);
    for (const term of query) {
      const list = postings.get(term) ?? [];
      const weight = idf(filled, list.length);
      for (const { doc, count } of list) scores[doc] += weight * part(count, lengths[doc], average);
    }
    return scores;
  };
}

function innerProducts({ dims, vectors, queryVectors, passages }: DataSet, query: number): Float64Array {
  const vector = Float64Array.from(queryVectors.subarray(query * dims, (query + 1) * dims));
  const products = new Float64Array(passages.length);
  for (let doc = 0, at = 0; doc < products.length; doc++) {
    let sum = 0;
    for (let i = 0; i < dims; i++) sum += vector[i] * vectors[at++];
    products[doc] = sum;
  }
  return products;
}
