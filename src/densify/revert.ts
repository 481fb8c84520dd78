// A row → the weighted terms that it keeps of a text. The GIP (gated inner product) of two rows is the dot product of the
// two bags this returns. That is why every score can be explained.

import type { Row } from "./rows.ts";
import type { Slicing } from "./slicing.ts";

export interface RevertedTerm {
  readonly id: number;
  readonly term: string;
  readonly weight: number;
}

/** The terms of a row, heaviest first, equal weights by id. With `theta`, only terms above it: those that a first stage uses. */
export function revert(slicing: Slicing, row: Row, theta = Number.NEGATIVE_INFINITY): RevertedTerm[] {
  const terms: RevertedTerm[] = [];
  row.values.forEach((weight, i) => {
    if (weight === 0 || weight <= theta) return;
    const id = slicing.idAt(row.slices[i], row.indices[i]);
    if (id === undefined)
      throw new RangeError(`slice ${row.slices[i]} has no term at index ${row.indices[i]}`);
    terms.push({ id, term: slicing.vocabulary.term(id), weight });
  });
  return terms.sort((a, b) => b.weight - a.weight || a.id - b.id);
}
