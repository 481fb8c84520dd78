// A term of an index → the word as a user would type it, with the name of the field if it counts in one field only.

import { visible } from "./visible.ts";

export function termText({
  term,
  field,
}: {
  readonly term: string;
  readonly field?: string | undefined;
}): string {
  return visible(field === undefined ? term : `${field}:${term}`);
}
