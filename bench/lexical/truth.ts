// Computes the exact rankings from the plain definitions in float64. BM25 has several variants:
//   L  lengths are rounded to one byte, as in Lucene and in Sluice, instead of exact
//   F  k1 1.2 and b 0.75, which some engines cannot change, instead of our 0.9 and 0.4
//   I  the older idf without the 1 that keeps it above 0, instead of Lucene's
// An engine is compared with the variant that it agrees with best; the table shows its letters.

import { topK } from "../../src/support/numbers/topk.ts";
import { idf, termPart } from "../../src/weigh/bm25.ts";
import { CUTS, type Cut } from "../hybrid/measure.ts";
import { type BagSet, type Bags, countOf } from "./bags.ts";

export interface Truth {
  /** The letters in the tables. */
  readonly mark: string;
  /** The right answers by k and query. */
  readonly right: Readonly<Record<Cut, readonly RightAnswer[]>>;
}

interface RightAnswer {
  /** All right documents, including all that tie for the last rank. */
  readonly docs: ReadonlySet<number>;
  /** How many of them fit into an answer. */
  readonly size: number;
}

/** The document's part of a term's weight. */
type Part = (count: number, length: number, average: number) => number;

const OURS = { k1: 0.9, b: 0.4 };
const FIXED = { k1: 1.2, b: 0.75 };

/** The weight of a term, from the number of documents and the number of those that have the term. */
type Idf = (docs: number, frequency: number) => number;

const FORMS: readonly (readonly [mark: string, part: Part, idf: Idf])[] = [
  ["", exactLengths(OURS), idf],
  ["L", luceneLengths(OURS), idf],
  ["I", exactLengths(OURS), olderIdf],
  ["F", exactLengths(FIXED), idf],
  ["FL", luceneLengths(FIXED), idf],
  ["FI", exactLengths(FIXED), olderIdf],
];

/** Relative difference up to which two scores count as equal: sums in another order differ by less. */
const ROUNDING = 1e-12;

export function truthsOf(set: BagSet): Truth[] {
  const postings = toPostings(set);
  return definitionsOf(set).map(({ mark, parts, factor }) => {
    const right = Object.fromEntries(CUTS.map((k) => [k, [] as RightAnswer[]])) as Record<Cut, RightAnswer[]>;
    for (let query = 0; query < countOf(set.queries); query++) {
      const scores = new Float64Array(countOf(set.docs));
      for (let i = set.queries.starts[query]; i < set.queries.starts[query + 1]; i++) {
        const term = set.queries.terms[i];
        const weight = set.queries.weights[i] * factor(term);
        for (let at = postings.starts[term]; at < postings.starts[term + 1]; at++) {
          scores[postings.docs[at]] += weight * parts[postings.entries[at]];
        }
      }
      const best = topK(scores, Math.max(...CUTS), (doc) => scores[doc] > 0);
      for (const k of CUTS) right[k].push(answerOf(scores, best.subarray(0, k)));
    }
    return { mark, right };
  });
}

/** Returns the mean share of right documents in the results of the first queries. */
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

/** A way to score: the value of each entry of the documents' bags, and the factor of a query's weights. */
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

/** The posting lists: for each term, the documents that have it, and the positions of their entries in the bags. */
function toPostings({ docs, vocabulary }: BagSet) {
  const starts = new Uint32Array(vocabulary.length + 1);
  for (const term of docs.terms) starts[term + 1]++;
  for (let term = 0; term < vocabulary.length; term++) starts[term + 1] += starts[term];
  const ends = starts.slice();
  const numbers = new Uint32Array(docs.terms.length);
  const entries = new Uint32Array(docs.terms.length);
  for (let doc = 0; doc < countOf(docs); doc++) {
    for (let entry = docs.starts[doc]; entry < docs.starts[doc + 1]; entry++) {
      const at = ends[docs.terms[entry]]++;
      numbers[at] = doc;
      entries[at] = entry;
    }
  }
  return { starts, docs: numbers, entries };
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

/** The older idf, at least 1e-6, as in PISA and SQLite. */
function olderIdf(docs: number, frequency: number): number {
  return Math.max(1e-6, Math.log((docs - frequency + 0.5) / (frequency + 0.5)));
}
