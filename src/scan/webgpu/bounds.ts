// A query and statistics of the rows → bounds on scores, before any is computed: how large a score can be, how far float32
// can be off, and what an omitted part of the query can add. Computed on the host in float64, and rounded up.

import type { QueryRow } from "../../densify/rows.ts";
import { CELL_BUCKETS } from "./prepare-shaders.ts";
import type { ResidentStatistics } from "./resident-rows.ts";

/** The length of a query's vector. Plain loops here and below: they run for every query, before the device can begin. */
export function semanticLength({ semantic }: QueryRow): number {
  let squares = 0;
  if (semantic) for (let dim = 0; dim < semantic.length; dim++) squares += semantic[dim] * semantic[dim];
  return Math.sqrt(squares);
}

/** How many slots and semantic dimensions of a query are not 0. */
export function nonZeroDims({ values, semantic }: QueryRow): number {
  let terms = 0;
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) terms++;
  if (semantic) for (let dim = 0; dim < semantic.length; dim++) if (semantic[dim] !== 0) terms++;
  return terms;
}

/** The largest sum of magnitudes that the products of a score can have. */
export function computeCeiling(query: QueryRow, statistics: ResidentStatistics, isGated: boolean): number {
  const { cellMaxima, sliceMaxima, maxSemanticLength } = statistics;
  let sum = semanticLength(query) * maxSemanticLength;
  for (let i = 0; i < query.slices.length; i++) {
    const slice = query.slices[i];
    const most = isGated ? cellMaxima[slice * CELL_BUCKETS + (query.indices[i] & 255)] : sliceMaxima[slice];
    sum += Math.abs(query.values[i]) * (most ?? 0);
  }
  return sum;
}

/**
 * How far a score of the device can be from the definition, at most. Every product and every sum is rounded to 24 bits, in
 * any order, so the error is at most (terms + 1) · 2⁻²⁴ times the sum of the products' magnitudes.
 */
export function scoreError(query: QueryRow, statistics: ResidentStatistics, isGated = true): number {
  const u = (nonZeroDims(query) + 1) * 2 ** -24;
  return (u / (1 - u)) * computeCeiling(query, statistics, isGated);
}

/** What the first stage left out of a query. */
interface LeftOutBounds {
  /** The length of the omitted part. */
  readonly length: number;
  /** The most it can add to any score. */
  readonly most: number;
}

/** `selected` is a part of `query`, as `selectDimensions` makes it: each slot and dimension is the same, or missing. */
export function computeLeftOutBounds(
  query: QueryRow,
  selected: QueryRow,
  statistics: ResidentStatistics,
): LeftOutBounds {
  const { cellMaxima, maxSemanticLength } = statistics;
  let [squares, most] = [0, 0];
  // Both ascend by slice.
  for (let i = 0, kept = 0; i < query.slices.length; i++) {
    const slice = query.slices[i];
    while (kept < selected.slices.length && selected.slices[kept] < slice) kept++;
    if (selected.slices[kept] === slice) continue;
    const value = Math.abs(query.values[i]);
    squares += value * value;
    most += value * (cellMaxima[slice * CELL_BUCKETS + (query.indices[i] & 255)] ?? 0);
  }
  let semantic = 0;
  for (let dim = 0; dim < (query.semantic?.length ?? 0); dim++) {
    if (!selected.semantic?.[dim]) semantic += query.semantic![dim] ** 2;
  }
  const upwards = 1 + 2 ** -20;
  return {
    length: Math.sqrt(squares + semantic) * upwards,
    most: (most + Math.sqrt(semantic) * maxSemanticLength) * upwards,
  };
}
