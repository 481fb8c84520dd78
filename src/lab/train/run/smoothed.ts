// Computes the recent average of a noisy value: an exponential moving average with bias correction, so that the first
// averages are not pulled to 0.

/** Share of a new value in the average. A larger share follows changes faster and is noisier. */
const SHARE = 0.02;

/** The average is sum / weight. */
export interface SmoothedState {
  readonly sum: number;
  readonly weight: number;
}

export const NOTHING_YET: SmoothedState = { sum: 0, weight: 0 };

export function smoothed({ sum, weight }: SmoothedState, value: number): SmoothedState {
  return { sum: sum * (1 - SHARE) + value * SHARE, weight: weight * (1 - SHARE) + SHARE };
}

export function smoothedValue({ sum, weight }: SmoothedState): number {
  return sum / weight;
}
