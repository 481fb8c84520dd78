// What is known of a score before it is computed, from the largest values of the cells and the longest rows: the most
// it can be, how far float32 can be off, and what a part left out can add. All in float64, rounded up where it counts.

import type { QueryRow } from "../../densify/rows.ts";
import { CELL_BUCKETS } from "./prepare-shaders.ts";
import type { Statistics } from "./resident.ts";

/** Loops by number: these run for every query, before the device can begin. */
export function semanticLength({ semantic }: QueryRow): number {
  let squares = 0;
  if (semantic) for (let dim = 0; dim < semantic.length; dim++) squares += semantic[dim] * semantic[dim];
  return Math.sqrt(squares);
}

/** Slots and semantic dimensions that a query fills. */
export function termsOf({ values, semantic }: QueryRow): number {
  let terms = 0;
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) terms++;
  if (semantic) for (let dim = 0; dim < semantic.length; dim++) if (semantic[dim] !== 0) terms++;
  return terms;
}

/** The largest magnitude that the terms of a score can add up to. */
export function ceilingOf(query: QueryRow, statistics: Statistics, gated: boolean): number {
  const { cellMaxima, sliceMaxima, maxSemanticLength } = statistics;
  let sum = semanticLength(query) * maxSemanticLength;
  for (let i = 0; i < query.slices.length; i++) {
    const slice = query.slices[i];
    const most = gated ? cellMaxima[slice * CELL_BUCKETS + (query.indices[i] & 255)] : sliceMaxima[slice];
    sum += Math.abs(query.values[i]) * (most ?? 0);
  }
  return sum;
}

/**
 * How far a score computed on the device can be from the definition, at most: every product and every sum is rounded
 * to 24 bits, in whatever order, so (terms + 1) · 2⁻²⁴ of what the terms' magnitudes add up to.
 */
export function scoreError(query: QueryRow, statistics: Statistics, gated = true): number {
  const u = (termsOf(query) + 1) * 2 ** -24;
  return (u / (1 - u)) * ceilingOf(query, statistics, gated);
}

/** What the first stage left out of a query. */
export interface LeftOut {
  /** Its length, and the most that it can add to any score. */
  readonly length: number;
  readonly most: number;
}

/** `selected` is a part of `query`, as select.ts makes it: the same slots and dimensions, or none. */
export function leftOutOf(query: QueryRow, selected: QueryRow, statistics: Statistics): LeftOut {
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
