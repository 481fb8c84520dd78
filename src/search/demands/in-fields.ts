// Words and phrases of one text field: which field a name means, and where terms stand in it.
//
// Positions of a document go on from one field to the next, in the order of the fields. So the first positions of a term are
// those of the first field, as many as it has of the term there, and so on (segment/rows/field-lists.ts has the counts).

import type { FieldLists } from "../../segment/rows/field-lists.ts";
import type { PositionLists, TermPositions } from "../../segment/rows/position-lists.ts";
import type { SegmentSource } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { UsageError } from "../../support/errors/usage-error.ts";
import { unknownNameError } from "../../support/options/options.ts";
import { textFieldsIn } from "../../weigh/weighting.ts";

/** The number of a text field. Throws if the index does not have it. `where` names what asks for it. */
export function requireTextField(
  { weighting }: Snapshot,
  name: string | undefined,
  where = "field",
): number | undefined {
  if (name === undefined) return undefined;
  const names = textFieldsIn(weighting)?.map((field) => field.name);
  if (!names)
    throw new UsageError(
      `${where} is ${JSON.stringify(name)}, and this index reads title and text as one text`,
      "leave it out, or build the index with fieldWeights: { title: 3, text: 1 }",
    );
  const number = names.indexOf(name);
  if (number < 0) throw unknownNameError(name, names, `${where}: the index has no text field`);
  return number;
}

/** Where terms stand in a segment: in all texts of a document, or in one field. Undefined if no document has terms. */
export async function loadPhrasePositions(
  source: SegmentSource,
  field: number | undefined,
): Promise<Pick<PositionLists, "of"> | undefined> {
  const lists = await source.loadPositions();
  const fieldLists = field === undefined ? undefined : await source.loadFieldLists();
  if (!lists || field === undefined) return lists;
  return fieldLists && { of: (id) => inField(lists, fieldLists, id, field) };
}

function inField(
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
