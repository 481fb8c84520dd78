// What is known of a score before it is computed, from the largest values of the cells and the longest rows: the most
// it can be, how far float32 can be off, and what a part left out can add. All in float64, rounded up where it counts.

import type { QueryRow } from "../rows.ts";
import { CELL_BUCKETS } from "./prepare-shaders.ts";
import type { Statistics } from "./resident.ts";

const length = (x: Iterable<number>): number => {
  let squares = 0;
  for (const y of x) squares += y * y;
  return Math.sqrt(squares);
};

export const semanticLength = ({ semantic = new Float32Array() }: QueryRow): number => length(semantic);

/** Slots and semantic dimensions that a query fills. */
export function termsOf({ values, semantic }: QueryRow): number {
  let terms = 0;
  for (const value of values) if (value !== 0) terms++;
  for (const value of semantic ?? []) if (value !== 0) terms++;
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
  const kept = new Set(selected.slices);
  const rest = [...query.slices.keys()].filter((i) => !kept.has(query.slices[i]));
  const left: QueryRow = {
    slices: Uint32Array.from(rest, (i) => query.slices[i]),
    indices: Uint16Array.from(rest, (i) => query.indices[i]),
    values: Float32Array.from(rest, (i) => query.values[i]),
    semantic: query.semantic?.map((x, dim) => (selected.semantic?.[dim] ? 0 : x)),
  };
  const upwards = 1 + 2 ** -20;
  return {
    length: Math.hypot(length(left.values), semanticLength(left)) * upwards,
    most: ceilingOf(left, statistics, true) * upwards,
  };
}
