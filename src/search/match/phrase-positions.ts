// Where terms stand in a segment: in all texts of a document, or in one field.
//
// Positions of a document go on from one field to the next, in the order of the fields. So the first positions of a term are in
// the first field, as many as that field has of the term, and so on (segment/rows/field-lists.ts has the counts).

import type { FieldLists } from "../../segment/rows/field-lists.ts";
import type { PositionLists, TermPositions } from "../../segment/rows/position-lists.ts";
import type { SegmentSource } from "../../segment/segment.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";

/** The positions of terms, by their ids. Undefined if no document has terms. */
export async function loadPhrasePositions(
  source: SegmentSource,
  field: number | undefined,
): Promise<Pick<PositionLists, "of"> | undefined> {
  const lists = await source.loadPositions();
  const fieldLists = field === undefined ? undefined : await source.loadFieldLists();
  if (!lists || field === undefined) return lists;
  return fieldLists && { of: (id) => positionsInField(lists, fieldLists, id, field) };
}

function positionsInField(
  lists: PositionLists,
  fieldLists: FieldLists,
  id: number,
  field: number,
): TermPositions | undefined {
  const [all, counted] = [lists.occurrences(id), fieldLists.of(id)];
  if (!all || !counted) return undefined;
  const { fields } = fieldLists;
  const [locals, starts, positions]: [number[], number[], number[]] = [[], [0], []];
  for (let at = 0; at < all.locals.length; at++) {
    const count = counted.counts[at * fields + field];
    if (count === 0) continue;
    let from = all.starts[at];
    for (let before = 0; before < field; before++) from += counted.counts[at * fields + before];
    for (let i = from; i < from + count; i++)
      if (i === from || all.positions[i] !== all.positions[i - 1]) positions.push(all.positions[i]);
    locals.push(all.locals[at]);
    starts.push(positions.length);
  }
  if (locals.length === 0) return undefined;
  return {
    ...{ locals: Uint32Array.from(locals), starts: Uint32Array.from(starts) },
    positions: Uint32Array.from(positions),
  };
}

/** The error about a phrase in an index without positions. */
export function noPositionsError(phrase: string): SluiceError {
  return new SluiceError(
    `${JSON.stringify(phrase)} is a phrase, and the index does not know where words stand in texts`,
    "build the index with positions: true, or demand the words one by one",
  );
}
