// A query's row and vector → a search of OpenSearch whose score is `lexical + semantic + a constant`, and how far rounding can
// move it.
//
// Words: one `term` clause for each cell. The similarity is boost × frequency, the boost is the query's weight divided by the
// scale, and the frequency is the document's weight times the scale. No statistics of the cluster take part, so all shards agree.
//
// Vectors: `knn_score` with the inner product, over every document. It gives 1 + x for x ≥ 0 and something else below, and a
// clause must not be negative. So vectors have one more dimension: documents have 1 there, and the query has C, which is
// larger than the magnitude of any negative inner product. The clause is then C + 1 + the semantic part, for all documents.

import type { QueryRow } from "../../densify/rows.ts";
import type { Slicing } from "../../densify/slicing.ts";
import type { ClusterRecord } from "../commit/cluster-record.ts";
import { createCellTokens } from "../rows/cell-tokens.ts";
import type { ClusterQuery } from "../rows/field-tokens.ts";

/** The clauses of a search, and what its scores mean. */
export interface RankClauses {
  readonly words: readonly ClusterQuery[];
  /** Undefined if vectors are not compared. */
  readonly meaning: ClusterQuery | undefined;
  /** By how much OpenSearch's scores are above the exact ones, if `meaning` takes part. */
  readonly constant: number;
  /** How far a score of OpenSearch can be off, once the constant is taken away. */
  readonly error: number;
  /** The most that cells without a clause can add. */
  readonly leftOut: number;
}

/** The most clauses. OpenSearch takes 1,024 in all; a filter has some, too. */
const MOST_WORDS = 800;
/** How much larger C is than the longest vector needs. */
const ROOM = 1.01;
/** The unit of rounding in float32. */
const ROUNDING = 2 ** -24;

export function createRankClauses(query: QueryRow, slicing: Slicing, record: ClusterRecord): RankClauses {
  const { weightScale, largestWeight, longestVector } = record;
  const { kept, others } = heaviestSlots(query);
  const tokenOf = createCellTokens(slicing);
  const words = kept.map((slot) => {
    const value = tokenOf(query.slices[slot], query.indices[slot]);
    return { term: { terms: { value, boost: query.values[slot] / weightScale } } };
  });
  const sum = (slots: readonly number[]) => slots.reduce((total, slot) => total + query.values[slot], 0);
  const lexicalMost = sum(kept) * largestWeight;
  const semanticMost = query.semantic ? lengthOf(query.semantic) * longestVector : 0;
  const constant = query.semantic ? Math.fround(ROOM * semanticMost + 1e-6) : 0;
  const largest = lexicalMost + (query.semantic ? semanticMost + constant + 1 : 0);
  const terms = words.length + (query.semantic?.length ?? 0) + 8;
  return {
    words,
    meaning: query.semantic && meaningClause(query.semantic, constant),
    constant: query.semantic ? constant + 1 : 0,
    // Weights are rounded to a part of the scale, and every product and sum to float32.
    error: sum(kept) / weightScale + terms * ROUNDING * largest,
    leftOut: sum(others) * largestWeight,
  };
}

function meaningClause(vector: Float32Array, constant: number): ClusterQuery {
  return {
    script_score: {
      query: { match_all: {} },
      script: {
        lang: "knn",
        source: "knn_score",
        params: { field: "vector", query_value: [...vector, constant], space_type: "innerproduct" },
      },
    },
  };
}

/** The slots that become clauses: the heaviest, if there are too many. */
function heaviestSlots({ slices, values }: QueryRow): { kept: number[]; others: number[] } {
  const slots = Array.from(slices.keys());
  if (slots.length <= MOST_WORDS) return { kept: slots, others: [] };
  slots.sort((a, b) => values[b] - values[a]);
  return { kept: slots.slice(0, MOST_WORDS), others: slots.slice(MOST_WORDS) };
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
}
