// The text of a document with some words marked. Nothing in it is read as HTML. The element around it has `dir="auto"`,
// so that the text has its own direction.

import type { ComponentChildren } from "preact";
import type { Range } from "./range.ts";
import { visible } from "./visible.ts";

interface MarkedProps {
  readonly text: string;
  readonly ranges?: readonly Range[] | undefined;
}

export function Marked({ text, ranges = [] }: MarkedProps) {
  const shown = visible(text);
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start < at || end <= start || end > shown.length) continue;
    parts.push(shown.slice(at, start), <mark>{shown.slice(start, end)}</mark>);
    at = end;
  }
  return <span class="marked">{[...parts, shown.slice(at)]}</span>;
}
