// Checks λ, the weight of the semantic part.

import { wrongValueError } from "./options.ts";

/** The largest λ: far above any useful one, and small enough that scores stay finite in float32. */
export const LARGEST_LAMBDA = 1e6;

/** Throws if λ is not a weight. `undefined` passes. */
export function checkLambdaIfGiven(lambda: unknown): void {
  if (lambda !== undefined) checkLambda(lambda);
}

/** Throws if λ is not a weight, or is left out. */
export function checkLambda(lambda: unknown): void {
  if (!(typeof lambda === "number" && lambda >= 0 && lambda <= LARGEST_LAMBDA))
    throw wrongValueError("lambda", `a number from 0 to ${LARGEST_LAMBDA}`, lambda);
}
