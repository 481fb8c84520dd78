// The settings of the playground → requests to the server, and the range of each setting.

import type { ExplainQueryAnswer, PlanRequest } from "../../src/schemas/index.ts";
import type { Address } from "../address/address.ts";

/** How the first stage selects dimensions of a query: by a threshold on the weights, or by a share of all weight. */
export type Knob = "theta" | "mass";

export interface Settings {
  readonly knob: Knob;
  /** θ or the share. */
  readonly value: number;
  readonly candidates: number;
  /** Undefined is the index's own λ. */
  readonly lambda: number | undefined;
}

/** Candidates by default. The paper's 10,000 would hide what a first stage misses in a small index. */
const FIRST_CANDIDATES = 100;
/** The values of the slider for candidates. */
export const CANDIDATES = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
/** The share of the weight when the user switches to shares. */
const FIRST_MASS = 0.6;
/** Intervals of the trade-off: 13 settings are measured. More take longer. */
const STEPS = 12;

/** The settings in the URL. The default is the θ that keeps the heavier half of the words. */
export function settingsOf(address: Address, terms: ExplainQueryAnswer["terms"]): Settings {
  const { theta, mass, candidates, lambda } = address;
  const knob: Knob = mass !== undefined ? "mass" : "theta";
  return {
    knob,
    value: mass ?? theta ?? firstValueOf("theta", terms),
    candidates: candidates ?? FIRST_CANDIDATES,
    lambda,
  };
}

export function firstValueOf(knob: Knob, terms: ExplainQueryAnswer["terms"]): number {
  if (knob === "mass") return FIRST_MASS;
  const weights = keptWeights(terms).sort((a, b) => b - a);
  const half = Math.ceil(weights.length / 2);
  const [last, next = 0] = [weights[half - 1] ?? 1, weights[half]];
  return roundedTo((last + next) / 2, stepOf("theta", heaviestOf(terms)));
}

export function planOf({ knob, value, candidates }: Omit<Settings, "lambda">): PlanRequest {
  const cut = knob === "theta" ? { theta: value } : { mass: value };
  return { kind: "pruned", ...cut, candidates };
}

/** The weight of the heaviest term that has a slot; 1 if there is none. */
export function heaviestOf(terms: ExplainQueryAnswer["terms"]): number {
  return Math.max(...keptWeights(terms), 0) || 1;
}

const keptWeights = (terms: ExplainQueryAnswer["terms"]) =>
  terms.filter(({ fate }) => fate === "kept").map(({ weight }) => weight);

export function boundsOf(knob: Knob, heaviest: number): { min: number; max: number; step: number } {
  if (knob === "mass") return { min: 0.05, max: 1, step: 0.05 };
  const step = stepOf(knob, heaviest);
  return { min: 0, max: roundedTo(Math.ceil(heaviest / step) * step, step), step };
}

/** The settings that the trade-off measures, from the whole query to almost nothing. */
export function gridOf(knob: Knob, heaviest: number): number[] {
  const { min, max, step } = boundsOf(knob, heaviest);
  // At θ = the heaviest weight, no term is left.
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
