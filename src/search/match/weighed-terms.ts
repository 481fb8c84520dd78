// The terms of a query and the weights of text fields → what each term counts in each field. A term that counts in one field
// alone is weighed as by a search that leaves out all others: their weights are 0, in its counts, in the lengths and in the
// average length.

import type { PreparedQuery } from "../../query/prepare/query-preparer.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { textFieldsIn } from "../../weigh/weighting.ts";

/** A term of a query, its weight in the query, and its weight in each text field. */
export interface WeighedTerm {
  readonly id: number;
  readonly weight: number;
  readonly weights: readonly number[];
  /** The field, if it counts in one alone. */
  readonly field?: string | undefined;
}

/**
 * The weights of a term in the text fields, by the field that it counts in. `searchWeights` are the search's own weights; undefined
 * for the index's.
 */
export function weightsIn(
  { weighting }: Snapshot,
  searchWeights: readonly number[] | undefined,
): (field: string | undefined) => readonly number[] {
  const fields = textFieldsIn(weighting) ?? [];
  const all = searchWeights ?? fields.map(({ weight }) => weight);
  const alone = new Map(
    fields.map(({ name }, i) => [name, all.map((weight, other) => (other === i ? weight : 0))]),
  );
  return (field) => (field === undefined ? all : alone.get(field)!);
}

/** The terms of a query. */
export function weighTerms(
  snapshot: Snapshot,
  { row, fieldTerms }: Pick<PreparedQuery, "row" | "fieldTerms">,
  searchWeights: readonly number[] | undefined,
): WeighedTerm[] {
  const weightsOf = weightsIn(snapshot, searchWeights);
  if (fieldTerms)
    return fieldTerms.map(({ id, weight, field }) => ({ id, weight, field, weights: weightsOf(field) }));
  return Array.from(row.slices).flatMap((slice, slot) => {
    const id = snapshot.slicing.idAt(slice, row.indices[slot]);
    return id === undefined ? [] : [{ id, weight: row.values[slot], weights: weightsOf(undefined) }];
  });
}
