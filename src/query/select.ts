// Which dimensions of a query the first stage looks at: the heavy ones. What comes out is a smaller query, so that
// every kernel can run it.
//
// Both sides of the semantic part count as √λ·vector (SPEC 2.2), so that a threshold means the same to a semantic
// dimension as to a lexical one. The score itself carries λ on the query alone; the product is the same.

import type { QueryRow, Row } from "../densify/rows.ts";

/** Keep what exceeds `theta`, strictly and on the signed value; or the fewest that hold `mass` of all magnitude. */
export type Selection = { readonly theta: number } | { readonly mass: number };

/** Which semantic dimensions may be selected: positive ones alone (the paper), by magnitude, or always all. */
export type SemanticSelection = "positive" | "magnitude" | "all";

export interface Selected {
  readonly query: QueryRow;
  /** Lexical slots and semantic dimensions that were kept. */
  readonly lexicalDims: number;
  readonly semanticDims: number;
}

/** The query with λ in its semantic part, whole: what the exact score is computed from. */
export function weigh(row: Row, vector: Float32Array | undefined, lambda: number): QueryRow {
  if (!vector || lambda === 0) return { slices: row.slices, indices: row.indices, values: row.values };
  const semantic = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) semantic[i] = vector[i] * lambda;
  return { ...row, semantic };
}

/** The part of a query that a selection keeps. θ = 0 keeps everything, negative dimensions too (SPEC 2.3). */
export function select(
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
  const passes = test(selection, [...row.values, ...Array.from(semantic ?? [], weight)]);

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

/** Whether a dimension of this weight is kept, given the weights of all. */
function test(selection: Selection, weights: number[]): (weight: number) => boolean {
  if ("theta" in selection) {
    return selection.theta === 0 ? () => true : (weight) => weight > selection.theta;
  }
  const floor = floorForMass(weights, selection.mass);
  return (weight) => weight >= floor;
}

/**
 * The weight of the lightest of the fewest dimensions that hold the asked share of the mass. Dimensions as heavy as
 * that one are all kept, so that the choice does not depend on their order.
 */
function floorForMass(weights: number[], mass: number): number {
  const heaviest = weights.filter((x) => x > 0 && x < Number.POSITIVE_INFINITY).sort((a, b) => b - a);
  const total = heaviest.reduce((sum, x) => sum + x, 0);
  let held = 0;
  for (const x of heaviest) {
    held += x;
    if (held >= mass * total) return x;
  }
  return Number.MIN_VALUE; // only rounding in the sum leads here: everything is asked for
}
