// A query → a smaller query with only its heavy dimensions, for the first stage of a pruned plan. It is an ordinary query, so
// every kernel can run it.
//
// Both sides of the semantic part count as √λ·vector (specification.md, 2.2), so that θ means the same for semantic and lexical
// dimensions. For scoring, λ is on the query's side only; the product is the same.

import type { QueryRow, Row } from "../../densify/rows.ts";

/** Keep dimensions whose signed weight is above `theta`; or the fewest that have the share `mass` of the total magnitude. */
export type Selection = { readonly theta: number } | { readonly mass: number };

/** The values of `semanticSelection`. */
export const SEMANTIC_SELECTIONS = ["positive", "magnitude", "all"] as const;

/** Which semantic dimensions may be selected: only positive ones (the paper), by magnitude, or always all. */
export type SemanticSelection = (typeof SEMANTIC_SELECTIONS)[number];

interface Selected {
  readonly query: QueryRow;
  /** How many lexical slots and how many semantic dimensions are kept. */
  readonly lexicalDims: number;
  readonly semanticDims: number;
}

/** The whole query, with λ multiplied into its semantic part. Exact scores are computed from it. */
export function applyLambda(row: Row, vector: Float32Array | undefined, lambda: number): QueryRow {
  if (!vector || lambda === 0) return { slices: row.slices, indices: row.indices, values: row.values };
  const semantic = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) semantic[i] = vector[i] * lambda;
  return { ...row, semantic };
}

/** The part of a query that a selection keeps. θ = 0 keeps everything, negative dimensions, too (specification.md, 2.3). */
export function selectDimensions(
  row: Row,
  vector: Float32Array | undefined,
  lambda: number,
  selection: Selection,
  semanticSelection: SemanticSelection = "theta" in selection ? "positive" : "magnitude",
): Selected {
  const root = Math.sqrt(lambda);
  const semantic = lambda > 0 ? vector : undefined;
  const weight = (x: number) => {
    if (semanticSelection === "all") return Number.POSITIVE_INFINITY;
    return semanticSelection === "magnitude" ? Math.abs(root * x) : root * x;
  };
  const passes = weightTest(selection, [...row.values, ...Array.from(semantic ?? [], weight)]);

  const kept = [...row.slices.keys()].filter((i) => passes(row.values[i]));
  let semanticDims = 0;
  const masked = semantic?.map((x) => {
    if (!passes(weight(x))) return 0;
    semanticDims++;
    return x * lambda;
  });
  const query = {
    slices: Uint32Array.from(kept, (i) => row.slices[i]),
    indices: Uint16Array.from(kept, (i) => row.indices[i]),
    values: Float32Array.from(kept, (i) => row.values[i]),
    ...(masked && { semantic: masked }),
  };
  return { query, lexicalDims: kept.length, semanticDims };
}

/** A function that says whether a dimension of some weight is kept, given the weights of all. */
function weightTest(selection: Selection, weights: number[]): (weight: number) => boolean {
  if ("theta" in selection) {
    return selection.theta === 0 ? () => true : (weight) => weight > selection.theta;
  }
  const least = leastForMass(weights, selection.mass);
  return (weight) => weight >= least;
}

/**
 * The least weight that is kept: take the heaviest dimensions until they have the share `mass`, and return the lightest of
 * these. All dimensions of that weight are kept, so the choice does not depend on their order.
 */
function leastForMass(weights: number[], mass: number): number {
  const heaviest = weights.filter((x) => x > 0 && x < Number.POSITIVE_INFINITY).sort((a, b) => b - a);
  const total = heaviest.reduce((sum, x) => sum + x, 0);
  let held = 0;
  for (const x of heaviest) {
    held += x;
    if (held >= mass * total) return x;
  }
  return Number.MIN_VALUE; // only rounding of the sum leads here; everything is kept
}
