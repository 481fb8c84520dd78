// How large each step is: the rates rise for a while, then fall to 0, in straight lines.

import type { Rates } from "./model/settings.ts";

export interface Schedule {
  /** The rates at their highest. */
  readonly learningRate: Rates;
  /** Steps of the whole run. */
  readonly steps: number;
  /** The share of them in which the rates rise. */
  readonly warmup: number;
}

/** The rates of a step, counted from 0. */
export function ratesAt(step: number, { learningRate, steps, warmup }: Schedule): Rates {
  const rising = Math.round(steps * warmup);
  const share = step < rising ? (step + 1) / rising : (steps - step) / (steps - rising);
  return { encoder: learningRate.encoder * share, heads: learningRate.heads * share };
}
