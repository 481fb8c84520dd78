// Factors by term, which multiply BM25's weights: an encoder that knows the context of a word, or a user, gives them. A term
// without a factor keeps its weight, and so does one whose factor is 1, to the last bit.

import { type Bag, checkBag, weightEntries } from "../documents/bag.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { FLOAT16_MAX, roundToFloat16 } from "../support/numbers/float16.ts";

/** Factors by term, as users give them. */
export type TermFactors = ReadonlyMap<string, number> | Readonly<Record<string, number>>;

/** Factors as numbers of at least 0 that float16 can hold. `where` names the text in an error. */
export function checkFactors(factors: TermFactors, where: string): Bag {
  const named = `${where}, its termFactors`;
  const bag = checkBag(weightEntries(factors, named), named);
  for (const [term, factor] of bag) {
    if (roundToFloat16(factor) <= FLOAT16_MAX) continue;
    throw new SluiceError(`${named}: ${JSON.stringify(term)} has ${factor}; float16 ends at ${FLOAT16_MAX}`);
  }
  return bag;
}
