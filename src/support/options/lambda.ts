// Checks λ, the weight of the semantic part.

import { UsageError } from "../../errors.ts";

/** The largest λ: far above any useful one, and small enough that scores stay finite in float32. */
const LARGEST_LAMBDA = 1e6;

export function checkLambda(lambda: number): void {
  if (!(lambda >= 0 && lambda <= LARGEST_LAMBDA)) {
    throw new UsageError(`lambda must be a number from 0 to ${LARGEST_LAMBDA}, not ${lambda}`);
  }
}
