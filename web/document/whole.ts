// A document that is a passage → the document or the file that it is a passage of, which `passage.of` names.

import type { Fields } from "../text/heading.ts";

export interface Whole {
  readonly name: string;
  /** Finds all passages. */
  readonly filter: Readonly<Record<string, string>>;
}

/** Undefined if the document is no passage. */
export function wholeOf({ passage }: Fields): Whole | undefined {
  const whole = (passage as { of?: unknown } | undefined)?.of;
  return typeof whole === "string" ? { name: whole, filter: { "passage.of": whole } } : undefined;
}

/** The number of a passage, which its id ends with. */
export const numberOf = (id: string) => Number(/#(\d+)$/.exec(id)?.[1] ?? 0);
