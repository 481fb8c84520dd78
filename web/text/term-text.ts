// A term as a user would type it: with the field that it counts in, if it is one alone.

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
