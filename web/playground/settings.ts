// The knobs of the playground → what the server is asked, and between which bounds they can be turned.

import type { PlanRequest, QueryAnswer } from "../../src/server/schemas.ts";
import type { Address } from "../address/address.ts";

/** What selects a query's heavy dimensions: a threshold on their weights, or a share of all weight. */
export type Knob = "theta" | "mass";

export interface Settings {
  readonly knob: Knob;
  /** θ, or the share. */
  readonly value: number;
  readonly candidates: number;
  /** The index's own when undefined. */
  readonly lambda: number | undefined;
}

/** The paper's 10,000 hide what a first stage misses in a small index. */
const FIRST_CANDIDATES = 100;
export const CANDIDATES = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
const FIRST_MASS = 0.6;
const STEPS = 12;

/** What the address says; without a word of it, θ such that the heavier half of the words remains. */
export function settingsOf(address: Address, terms: QueryAnswer["terms"]): Settings {
  const { theta, mass, candidates, lambda } = address;
  const knob: Knob = mass !== undefined ? "mass" : "theta";
  return {
    knob,
    value: mass ?? theta ?? firstValueOf("theta", terms),
    candidates: candidates ?? FIRST_CANDIDATES,
    lambda,
  };
}

export function firstValueOf(knob: Knob, terms: QueryAnswer["terms"]): number {
  if (knob === "mass") return FIRST_MASS;
  const weights = keptWeights(terms).sort((a, b) => b - a);
  const half = Math.ceil(weights.length / 2);
  const [last, next = 0] = [weights[half - 1] ?? 1, weights[half]];
  return roundedTo((last + next) / 2, stepOf("theta", heaviestOf(terms)));
}

export function planOf({ knob, value, candidates }: Settings): PlanRequest {
  return { kind: "pruned", [knob]: value, candidates };
}

/** The weight of the query's heaviest term that counts; 1 where none does. */
export function heaviestOf(terms: QueryAnswer["terms"]): number {
  return Math.max(...keptWeights(terms), 0) || 1;
}

const keptWeights = (terms: QueryAnswer["terms"]) =>
  terms.filter(({ fate }) => fate === "kept").map(({ weight }) => weight);

export function boundsOf(knob: Knob, heaviest: number): { min: number; max: number; step: number } {
  if (knob === "mass") return { min: 0.05, max: 1, step: 0.05 };
  const step = stepOf(knob, heaviest);
  return { min: 0, max: roundedTo(Math.ceil(heaviest / step) * step, step), step };
}

/** Values of the knob for the trade-off, from everything to almost nothing. */
export function gridOf(knob: Knob, heaviest: number): number[] {
  const { min, max, step } = boundsOf(knob, heaviest);
  // At θ = the heaviest weight nothing is left to look at.
  const end = knob === "theta" ? max - step : max;
  const values = Array.from({ length: STEPS + 1 }, (_, i) =>
    roundedTo(min + (i / STEPS) * (end - min), step),
  );
  return [...new Set(values)];
}

function stepOf(knob: Knob, heaviest: number): number {
  if (knob === "mass") return 0.05;
  return heaviest > 4 ? 0.1 : heaviest > 0.4 ? 0.01 : 0.001;
}

const roundedTo = (value: number, step: number) => Number((Math.round(value / step) * step).toFixed(4));
