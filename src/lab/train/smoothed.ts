// A noisy figure → its recent average: each value counts 2 %, and the first ones are not held down by a beginning at 0.

const SHARE = 0.02;

/** The average so far is sum / weight. */
export interface SmoothedState {
  readonly sum: number;
  readonly weight: number;
}

export const NOTHING_YET: SmoothedState = { sum: 0, weight: 0 };

export function smoothed({ sum, weight }: SmoothedState, value: number): SmoothedState {
  return { sum: sum * (1 - SHARE) + value * SHARE, weight: weight * (1 - SHARE) + SHARE };
}

export function average({ sum, weight }: SmoothedState): number {
  return sum / weight;
}
