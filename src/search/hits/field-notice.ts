// The fields that a search asks for → a notice if no document has one of them: its name may be misspelled.

import { listFieldNames } from "../../store/snapshot/fields.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import type { NeededField } from "../options/answer-options.ts";

/** A field that a search asks for, and the option that does. */
interface AskedField extends Pick<NeededField, "field"> {
  readonly option: NeededField["option"] | "boosts";
}

const EFFECTS: Record<AskedField["option"], string> = {
  boosts: "its boost adds nothing",
  facets: "its facet is empty",
  sort: "sort changes nothing",
  groupBy: "groupBy changes nothing",
};

/** Says which options can do nothing, because no document has their field. */
export async function findFieldNotice(
  snapshot: Snapshot,
  asked: readonly AskedField[],
): Promise<string | undefined> {
  if (asked.length === 0) return undefined;
  const known = await listFieldNames(snapshot);
  const notices = Object.entries(EFFECTS).flatMap(([option, effect]) => {
    const fields = asked.filter((one) => one.option === option && !known.has(one.field));
    const names = [...new Set(fields.map(({ field }) => JSON.stringify(field)))];
    return names.length === 0 ? [] : [`no document has the field ${names.join(" or ")}, so ${effect}`];
  });
  return notices.length === 0 ? undefined : notices.join("; ");
}
