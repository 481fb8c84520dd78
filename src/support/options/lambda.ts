// Checks λ, the weight of the semantic part.

import { UsageError } from "../errors/usage-error.ts";
import { wrongValueError } from "./options.ts";

/** The largest λ: far above any useful one, and small enough that scores stay finite in float32. */
const LARGEST_LAMBDA = 1e6;

/** Throws if λ is not a weight. `undefined` passes. */
export function checkLambda(lambda: unknown): void {
  if (lambda === undefined) return;
  if (typeof lambda !== "number") throw wrongValueError("lambda", "a number", lambda);
  if (!(lambda >= 0 && lambda <= LARGEST_LAMBDA)) {
    throw new UsageError(`lambda must be a number from 0 to ${LARGEST_LAMBDA}, not ${lambda}`);
  }
}
