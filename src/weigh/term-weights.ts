// The counted and the weighted terms of a text, by vocabulary id, and the error for a weight that cannot be stored.

import { SluiceError } from "../support/errors/sluice-error.ts";
import { FLOAT16_MAX } from "../support/numbers/float16.ts";

/** A text as counted terms, by vocabulary id. Each id appears at most once. */
export interface TermCounts {
  readonly ids: ArrayLike<number>;
  /** How often the text has each term; or its weight, if the text brings weights. */
  readonly counts: ArrayLike<number>;
  /** What BM25's weight of each term is multiplied by; 1 for all by default. */
  readonly factors?: ArrayLike<number>;
}

/** A text as weighted terms, by vocabulary id. Each id appears at most once. */
export interface TermWeights {
  readonly ids: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
  /** What BM25's weight of each term is multiplied by; 1 for all by default. */
  readonly factors?: ArrayLike<number>;
}

/** The error for a weight that cannot be stored. */
export function wrongWeightError(weight: number, term: string): SluiceError {
  const what = `the weight of ${JSON.stringify(term)} is ${weight}`;
  if (Number.isFinite(weight) && weight > 0) {
    return new SluiceError(`${what}; float16 ends at ${FLOAT16_MAX}`, "scale the weights down");
  }
  return new SluiceError(`${what}, expected a finite number of at least 0`);
}
