// The rankings that count as right, from the plain definitions in float64. BM25 stands for several: lengths as they are,
// or rounded into one byte as Lucene and we keep them (L); k1 0.9 and b 0.4, which we ask for, or 1.2 and 0.75, which
// some engines are built with and cannot change (F); Lucene's idf, or the older one without the 1 that keeps it above
// 0 (I). An engine is held against the one it is nearest to, and the table says which.

import { idf, termPart, topK } from "../../src/index.ts";
import { CUTS, type Cut } from "../hybrid/measure.ts";
import { type BagSet, type Bags, countOf } from "./bags.ts";

export interface Truth {
  /** What the tables mark it with. */
  readonly mark: string;
  /** By cut and query. */
  readonly right: Readonly<Record<Cut, readonly RightAnswer[]>>;
}

interface RightAnswer {
  /** All that belong: those that share the last place are equally right. */
  readonly docs: ReadonlySet<number>;
  /** How many of them an answer can hold. */
  readonly size: number;
}

/** The document's part of a term's weight. */
type Part = (count: number, length: number, average: number) => number;

const OURS = { k1: 0.9, b: 0.4 };
const FIXED = { k1: 1.2, b: 0.75 };

/** The weight of a term in a query, by the documents there are and those that hold it. */
type Idf = (docs: number, frequency: number) => number;

const FORMS: readonly (readonly [mark: string, part: Part, idf: Idf])[] = [
  ["", exactLengths(OURS), idf],
  ["L", luceneLengths(OURS), idf],
  ["I", exactLengths(OURS), olderIdf],
  ["F", exactLengths(FIXED), idf],
  ["FL", luceneLengths(FIXED), idf],
  ["FI", exactLengths(FIXED), olderIdf],
];

/** Sums in another order differ by less than this, relatively. */
const ROUNDING = 1e-12;

export function truthsOf(set: BagSet): Truth[] {
  const postings = inverted(set);
  return definitionsOf(set).map(({ mark, parts, factor }) => {
    const right = Object.fromEntries(CUTS.map((k) => [k, [] as RightAnswer[]])) as Record<Cut, RightAnswer[]>;
    for (let query = 0; query < countOf(set.queries); query++) {
      const scores = new Float64Array(countOf(set.docs));
      for (let i = set.queries.starts[query]; i < set.queries.starts[query + 1]; i++) {
        const term = set.queries.terms[i];
        const weight = set.queries.weights[i] * factor(term);
        for (let at = postings.starts[term]; at < postings.starts[term + 1]; at++) {
          scores[postings.docs[at]] += weight * parts[postings.places[at]];
        }
      }
      const best = topK(scores, Math.max(...CUTS), (doc) => scores[doc] > 0);
      for (const k of CUTS) right[k].push(answerOf(scores, best.subarray(0, k)));
    }
    return { mark, right };
  });
}

/** The mean share of right documents in what was found for the first queries. */
export function agreement({ right }: Truth, found: readonly (readonly number[])[], k: Cut): number {
  let sum = 0;
  for (const [query, docs] of found.entries()) {
    const { docs: wanted, size } = right[k][query];
    const hits = new Set(docs.slice(0, k).filter((doc) => wanted.has(doc))).size;
    sum += size === 0 ? 1 : Math.min(hits, size) / size;
  }
  return sum / found.length;
}

function answerOf(scores: Float64Array, best: Uint32Array): RightAnswer {
  if (best.length === 0) return { docs: new Set(), size: 0 };
  const least = scores[best[best.length - 1]] * (1 - ROUNDING);
  const docs = new Set<number>();
  for (let doc = 0; doc < scores.length; doc++) if (scores[doc] >= least) docs.add(doc);
  return { docs, size: best.length };
}

/** A way to score: what each entry of the documents' bags counts, and by what a query's weights are multiplied. */
interface Definition {
  readonly mark: string;
  readonly parts: ArrayLike<number>;
  factor(term: number): number;
}

function definitionsOf({ kind, docs, vocabulary }: BagSet): Definition[] {
  if (kind === "weights") return [{ mark: "", parts: docs.weights, factor: () => 1 }];
  const lengths = lengthsOf(docs);
  const filled = lengths.filter((length) => length > 0).length;
  const average = lengths.reduce((sum, length) => sum + length, 0) / filled;
  const frequencies = new Uint32Array(vocabulary.length);
  for (const term of docs.terms) frequencies[term]++;
  return FORMS.map(([mark, part, idf]) => {
    const parts = new Float64Array(docs.terms.length);
    for (const [doc, length] of lengths.entries()) {
      for (let i = docs.starts[doc]; i < docs.starts[doc + 1]; i++) {
        parts[i] = part(docs.weights[i], length, average);
      }
    }
    return { mark, parts, factor: (term) => idf(filled, frequencies[term]) };
  });
}

/** By term, the documents that hold it, and where in the bags. */
function inverted({ docs, vocabulary }: BagSet) {
  const starts = new Uint32Array(vocabulary.length + 1);
  for (const term of docs.terms) starts[term + 1]++;
  for (let term = 0; term < vocabulary.length; term++) starts[term + 1] += starts[term];
  const ends = starts.slice();
  const numbers = new Uint32Array(docs.terms.length);
  const places = new Uint32Array(docs.terms.length);
  for (let doc = 0; doc < countOf(docs); doc++) {
    for (let place = docs.starts[doc]; place < docs.starts[doc + 1]; place++) {
      const at = ends[docs.terms[place]]++;
      numbers[at] = doc;
      places[at] = place;
    }
  }
  return { starts, docs: numbers, places };
}

function lengthsOf(docs: Bags): Float64Array {
  const lengths = new Float64Array(countOf(docs));
  for (let doc = 0; doc < lengths.length; doc++) {
    for (let i = docs.starts[doc]; i < docs.starts[doc + 1]; i++) lengths[doc] += docs.weights[i];
  }
  return lengths;
}

function exactLengths({ k1, b }: typeof OURS): Part {
  return (count, length, average) => count / (count + k1 * (1 - b + (b * length) / average));
}

function luceneLengths(parameters: typeof OURS): Part {
  return (count, length, average) => termPart(count, length, average, parameters);
}

/** Kept a little above 0, as PISA and SQLite do. */
function olderIdf(docs: number, frequency: number): number {
  return Math.max(1e-6, Math.log((docs - frequency + 0.5) / (frequency + 0.5)));
}
