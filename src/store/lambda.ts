// λ, the weight of the semantic part: which there may be.

import { UsageError } from "../errors.ts";

/** Far beyond any use, and far from where float32 ends. */
const LARGEST_LAMBDA = 1e6;

export function checkLambda(lambda: number): void {
  if (!(lambda >= 0 && lambda <= LARGEST_LAMBDA)) {
    throw new UsageError(`lambda must be a number from 0 to ${LARGEST_LAMBDA}, not ${lambda}`);
  }
}
