// A condition → all documents that it accepts are deleted. It looks at what the next commit would show, uncommitted changes
// included. Columns find the documents of segments, and ids are read one at a time, so memory does not grow with the number of
// deleted documents.

import { accepts, type Condition } from "../../documents/filter.ts";
import { Turns } from "../../support/work/turns.ts";
import type { Intake } from "./intake.ts";

/** Returns how many were deleted. A signal stops it between two documents; those before stay deleted until a rollback. */
export async function deleteMatching(
  intake: Intake,
  condition: Condition,
  signal?: AbortSignal,
): Promise<number> {
  const turns = new Turns(signal);
  signal?.throwIfAborted();
  let deleted = 0;
  const remove = async (id: string) => {
    if (await intake.delete(id)) deleted++;
    if (turns.isDue) await turns.next();
  };
  // The buffer first: a deletion may write it to a segment, and by then it holds nothing that is to be deleted.
  const { buffer } = intake.pending;
  const buffered: string[] = [];
  for (const [id, serial] of buffer.idsFrom(buffer.firstSerial)) {
    if (accepts(condition, buffer.fieldsOf(serial))) buffered.push(id);
    if (turns.isDue) await turns.next();
  }
  for (const id of buffered) await remove(id);
  for (const { source, deleted: gone } of intake.segments()) {
    const matching = await turns.run((await source.columns()).findMatchingInSteps(condition));
    if (gone) matching.andNot(gone);
    for (const local of matching) await remove(source.ids.at(local));
  }
  return deleted;
}
