// A document that is a passage → the document that it is a passage of. Passages of documents name it in `passage.of`; passages of
// files have the name of the file in `path`, and in the id.

import type { Fields } from "../text/heading.ts";

export interface Whole {
  /** The field that has the same value in all passages. */
  readonly field: "passage.of" | "path";
  readonly name: string;
  /** Finds all passages. */
  readonly filter: Readonly<Record<string, string>>;
}

/** Undefined if the document is no passage. */
export function wholeOf(id: string, { passage, path }: Fields): Whole | undefined {
  const of = (passage as { of?: unknown } | undefined)?.of;
  if (typeof of === "string") return { field: "passage.of", name: of, filter: { "passage.of": of } };
  if (typeof path === "string" && id.startsWith(`${path}#`))
    return { field: "path", name: path, filter: { path } };
  return undefined;
}

/** The number of a passage, which its id ends with. */
export const numberOf = (id: string) => Number(/#(\d+)$/.exec(id)?.[1] ?? 0);
