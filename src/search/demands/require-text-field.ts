// The name of a text field → its number in the index.

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
