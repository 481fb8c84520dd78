// The fields that a search asks for → notices if no document has one of them: its name may be misspelled. Boosts need numbers.

import type { Notice } from "../../query/notice.ts";
import { listFieldNames } from "../../store/snapshot/fields.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { textFieldsIn } from "../../weigh/weighting.ts";
import { hasNumbers } from "../additions/boosts.ts";
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
export async function findFieldNotices(
  snapshot: Snapshot,
  asked: readonly AskedField[],
): Promise<readonly Notice[] | undefined> {
  if (asked.length === 0) return undefined;
  const known = await listFieldNames(snapshot);
  const numberless = await findFieldsWithoutNumbers(snapshot, known, asked);
  const notices = Object.entries(EFFECTS).flatMap(([option, effect]): Notice[] => {
    const ofOption = asked.filter((one) => one.option === option && !numberless.includes(one));
    const fields = ofOption.filter(({ field }) => !known.has(field));
    if (fields.length === 0) return [];
    return [
      { code: "unknown_field", message: `no document has the field ${joinNames(fields)}, so ${effect}` },
    ];
  });
  if (numberless.length > 0)
    notices.push({
      code: "field_without_numbers",
      message: `no document has a number or a date in the field ${joinNames(numberless)}, so ${EFFECTS.boosts}`,
    });
  return notices.length === 0 ? undefined : notices;
}

/** The boosts by fields that documents have, or may have as their texts, and that have no number in any of them. */
async function findFieldsWithoutNumbers(
  snapshot: Snapshot,
  known: ReadonlySet<string>,
  asked: readonly AskedField[],
): Promise<AskedField[]> {
  const texts = textFieldsIn(snapshot.weighting)?.map(({ name }) => name) ?? ["title", "text"];
  const found: AskedField[] = [];
  for (const one of asked) {
    const mayBeThere = known.has(one.field) || texts.includes(one.field);
    if (one.option === "boosts" && mayBeThere && !(await hasNumbers(snapshot, one.field))) found.push(one);
  }
  return found;
}

function joinNames(fields: readonly AskedField[]): string {
  return [...new Set(fields.map(({ field }) => JSON.stringify(field)))].join(" or ");
}
