// The fields that a search asks for → notices. One says that no document has a field: its name may be misspelled. Another says that
// no document has a value that the search can use: a number for a boost, or a value of the same type for a filter.

import { type Condition, type FieldTest, listTests, type Scalar } from "../../documents/filter.ts";
import type { Notice } from "../../query/ask/notice.ts";
import type { Columns } from "../../segment/columns/columns.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { nearestName } from "../../support/options/nearest.ts";
import { textFieldsIn } from "../../weigh/weighting.ts";
import { hasNumbers } from "../additions/boosts.ts";
import type { NeededField } from "../options/answer-options.ts";

/** A field that a search asks for, and the option that does. */
interface AskedField extends Pick<NeededField, "field"> {
  readonly option: NeededField["option"] | "boosts" | "filter";
}

const EFFECTS: Record<AskedField["option"], string> = {
  boosts: "its boost adds nothing",
  facets: "its facet is empty",
  sort: "sort changes nothing",
  groupBy: "groupBy changes nothing",
  filter: "the filter finds no value of it",
};

/** The most fields that an unknown name is compared with. Objects whose keys are data make very many fields. */
const MOST_COMPARED = 1000;
/** The most fields that notices name. A filter may have thousands that no document has. */
const MOST_NAMED = 10;

/** Says which options can do nothing, because no document has their field, or the values that they need. */
export async function findFieldNotices(
  snapshot: Snapshot,
  asked: readonly AskedField[],
  condition?: Condition,
): Promise<readonly Notice[] | undefined> {
  if (asked.length === 0 && condition === undefined) return undefined;
  // An index without segments is empty, or on a cluster, which knows the fields by itself.
  if (snapshot.segments.length === 0) return undefined;
  const columns = await Promise.all(snapshot.segments.map(({ source }) => source.columns()));
  const isKnown = (field: string) => columns.some((one) => one.hasField(field));
  const tests = condition ? listTests(condition) : [];
  const numberless = await findFieldsWithoutNumbers(snapshot, isKnown, asked);
  const all = [...asked, ...tests.map(({ field }): AskedField => ({ field, option: "filter" }))];
  const notices = Object.entries(EFFECTS).flatMap(([option, effect]): Notice[] => {
    const ofOption = all.filter((one) => one.option === option && !numberless.includes(one));
    const fields = ofOption.filter(({ field }) => !isKnown(field));
    if (fields.length === 0) return [];
    const message = `no document has the field ${joinNames(fields)}, so ${effect}${didYouMean(columns, fields)}`;
    return [{ code: "unknown_field", message }];
  });
  if (numberless.length > 0)
    notices.push({
      code: "field_without_numbers",
      message: `no document has a number or a date in the field ${joinNames(numberless)}, so ${EFFECTS.boosts}`,
    });
  notices.push(...findTypeNotices(columns, tests));
  return notices.length === 0 ? undefined : notices;
}

/** The boosts by fields that documents have, or may have as their texts, and that have no number in any of them. */
async function findFieldsWithoutNumbers(
  snapshot: Snapshot,
  isKnown: (field: string) => boolean,
  asked: readonly AskedField[],
): Promise<AskedField[]> {
  const texts = textFieldsIn(snapshot.weighting)?.map(({ name }) => name) ?? ["title", "text"];
  const found: AskedField[] = [];
  for (const one of asked) {
    const mayBeThere = isKnown(one.field) || texts.includes(one.field);
    if (one.option === "boosts" && mayBeThere && !(await hasNumbers(snapshot, one.field))) found.push(one);
  }
  return found;
}

const TYPES: readonly (readonly [example: Scalar, one: string, several: string])[] = [
  [0, "a number", "numbers"],
  ["", "a text", "texts"],
  [true, "true or false", "true or false"],
];

/** The tests of a filter that ask for another type than all values of their fields have. */
function findTypeNotices(columns: readonly Columns[], tests: readonly FieldTest[]): Notice[] {
  const messages = new Set<string>();
  for (const test of tests) {
    if (messages.size === MOST_NAMED) break;
    const hasValuesOfTypeOf = (example: Scalar) =>
      columns.some((one) => one.hasValuesOfTypeOf(test.field, example));
    const asked = findValueWithoutType(test, hasValuesOfTypeOf);
    if (asked === undefined) continue;
    const foundTypes = TYPES.filter(([example]) => hasValuesOfTypeOf(example)).map(
      ([, , several]) => several,
    );
    if (foundTypes.length === 0) continue; // no document has the field: that is another notice
    const wanted = TYPES.find(([example]) => typeof example === typeof asked)![1];
    messages.add(
      `no document has ${wanted} in the field ${JSON.stringify(test.field)}, as the filter asks: it has ${foundTypes.join(" or ")}`,
    );
  }
  return Array.from(messages, (message) => ({ code: "field_of_other_type", message }));
}

/** A value that a test asks for, if no value of the field has the type of any that it asks for. */
function findValueWithoutType(
  test: FieldTest,
  hasValuesOfTypeOf: (example: Scalar) => boolean,
): Scalar | undefined {
  if (test.kind === "exists") return undefined;
  let one: Scalar | undefined;
  for (const value of valuesOf(test)) {
    if (hasValuesOfTypeOf(value)) return undefined;
    one = value;
  }
  return one;
}

/** The values that a test compares with. Both bounds of a range have the same type. */
function valuesOf(test: Exclude<FieldTest, { kind: "exists" }>): Iterable<Scalar> {
  if (test.kind === "in") return test.values;
  return test.kind === "range" ? [test.lower.bound] : [test.bound];
}

function joinNames(fields: readonly AskedField[]): string {
  const names = new Set(fields.map(({ field }) => JSON.stringify(field)));
  const more = names.size > MOST_NAMED ? `, or ${names.size - MOST_NAMED} more` : "";
  return [...names].slice(0, MOST_NAMED).join(" or ") + more;
}

/** The fields that were probably meant, as the end of a message; nothing if no name is near. */
function didYouMean(columns: readonly Columns[], fields: readonly AskedField[]): string {
  const known = new Set(columns.flatMap((one) => one.fieldNames()));
  if (known.size > MOST_COMPARED) return "";
  const near = new Set<string>();
  for (const { field } of fields.slice(0, MOST_NAMED)) {
    const name = nearestName(field, [...known]);
    if (name !== undefined) near.add(JSON.stringify(name));
  }
  return near.size === 0 ? "" : `; did you mean ${[...near].join(" or ")}?`;
}
