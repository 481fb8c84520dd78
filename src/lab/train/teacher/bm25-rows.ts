// Computes BM25 weights of the texts of a training set, with the statistics of its own passages.

import { english } from "../../../analyze/analyzers/english.ts";
import { countTerms } from "../../../documents/bag.ts";
import { averageLength, BM25_DEFAULTS, idf, termPart } from "../../../weigh/bm25.ts";
import { SparseRows } from "./sparse-rows.ts";

export interface LexicalRows {
  readonly queries: SparseRows;
  readonly passages: SparseRows;
}

/** Returns rows of weights. The inner product of a query's row and a passage's row is Lucene's BM25. */
export function bm25Rows(texts: {
  readonly query: readonly string[];
  readonly passage: readonly string[];
}): LexicalRows {
  const numbers = new Map<string, number>();
  const frequencies: number[] = [];
  const counted = texts.passage.map((text) => {
    const bag = countTerms(english.terms(text));
    const ids = Array.from(bag.keys(), (term) => {
      const known = numbers.get(term);
      if (known !== undefined) return known;
      numbers.set(term, numbers.size);
      return numbers.size - 1;
    });
    for (const id of ids) frequencies[id] = (frequencies[id] ?? 0) + 1;
    const counts = [...bag.values()];
    return { ids, counts, length: counts.reduce((a, b) => a + b, 0) };
  });
  const held = counted.filter(({ length }) => length > 0).length;
  const length = counted.reduce((sum, { length }) => sum + length, 0);
  const average = averageLength({ docs: held, length });
  const passages = new SparseRows();
  for (const { ids, counts, length } of counted) {
    passages.add(
      ids,
      counts.map((tf) => termPart(tf, length, average, BM25_DEFAULTS)),
    );
  }
  const queries = new SparseRows();
  for (const text of texts.query) {
    const known = Array.from(countTerms(english.terms(text))).filter(([term]) => numbers.has(term));
    const ids = known.map(([term]) => numbers.get(term)!);
    queries.add(
      ids,
      known.map(([, times], i) => times * idf(held, frequencies[ids[i]])),
    );
  }
  return { queries, passages };
}
