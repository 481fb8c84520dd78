// Computes the learning rates of a step: they rise linearly during the warm-up, then fall linearly to 0.

import type { Rates } from "../model/settings.ts";

export interface Schedule {
  /** The highest rates. */
  readonly learningRate: Rates;
  /** Steps of the whole run. */
  readonly steps: number;
  /** Share of the steps in which the rates rise. */
  readonly warmup: number;
}

/** Returns the rates of a step. Steps count from 0. */
export function ratesAt(step: number, { learningRate, steps, warmup }: Schedule): Rates {
  const rising = Math.round(steps * warmup);
  const share = step < rising ? (step + 1) / rising : (steps - step) / (steps - rising);
  return { encoder: learningRate.encoder * share, heads: learningRate.heads * share };
}
