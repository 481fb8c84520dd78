// The name of a text field → its number in the index. Names are checked once, where demands are taken out of queries.

import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { unknownNameError } from "../../support/options/options.ts";
import { textFieldsIn } from "../../weigh/weighting.ts";

/** Throws if the index does not have a text field. `where` names what asks for it. */
export function requireTextField({ weighting }: Snapshot, name: string | undefined, where: string): void {
  if (name === undefined) return;
  const names = textFieldsIn(weighting)?.map((field) => field.name);
  if (!names)
    throw new SluiceError(
      `${where} is ${JSON.stringify(name)}, and this index reads title and text as one text`,
      "leave it out, or build the index with fieldWeights: { title: 3, text: 1 }",
    );
  if (!names.includes(name)) throw unknownNameError(name, names, `${where}: the index has no text field`);
}

/** The number of a text field that the index has. Undefined if no field is named. */
export function textFieldNumber({ weighting }: Snapshot, name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  return textFieldsIn(weighting)!.findIndex((field) => field.name === name);
}
