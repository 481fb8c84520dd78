// A field of a JSON object → its text.

import { SluiceError } from "../../support/errors/sluice-error.ts";

/** A hint that names options. `nameOf` gives the name of an option where the hint is shown: on the command line, its flag. */
export type OptionHint = (nameOf: (option: string) => string) => string;

/** The most names of fields in an error. */
const MOST_NAMED = 20;

/**
 * The first of these fields that is a text. A whole number is accepted, too: ids are often numbers. Throws if there is none, with
 * what `suggested` says.
 */
export function readTextField(
  object: Record<string, unknown>,
  names: readonly string[],
  where: string,
  suggested: () => OptionHint | undefined = () => undefined,
): string {
  for (const name of names) {
    const value = object[name];
    if (typeof value === "string") return value;
    if (typeof value !== "number") continue;
    if (Number.isSafeInteger(value)) return String(value);
    throw new SluiceError(
      `${where}: "${name}" is a number with more digits than can be kept`,
      "write it as a text",
    );
  }
  const there = Object.keys(object).map((name) => JSON.stringify(name));
  const more = there.length > MOST_NAMED ? ", …" : "";
  const listed = there.length > 0 ? `there are: ${there.slice(0, MOST_NAMED).join(", ")}${more}` : undefined;
  const hint = suggested();
  throw new SluiceError(
    `${where}: no ${names.map((name) => `"${name}"`).join(" or ")}`,
    hint && listed ? (nameOf) => `${listed}; ${hint(nameOf)}` : listed,
  );
}
