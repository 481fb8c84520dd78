// A text and the ranges of words to mark → the text with a sign before and after each word, and back. The signs travel through the
// Markdown parser like letters, so that it need not keep positions.

import type { Range } from "../text/range.ts";

/** Unicode keeps these two free for such uses: they are in no text. */
export const MARK_BEGINS = "\ufdd0";
export const MARK_ENDS = "\ufdd1";

const SIGNS = /[\ufdd0\ufdd1]/g;

export const withoutMarks = (text: string) => text.replace(SIGNS, "");

/** Ranges that overlap an earlier one, or lie outside of the text, are left out. */
export function withMarks(text: string, ranges: readonly Range[] = []): string {
  const clean = (from: number, to?: number) => withoutMarks(text.slice(from, to));
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start < at || end <= start || end > text.length) continue;
    parts.push(clean(at, start), MARK_BEGINS, clean(start, end), MARK_ENDS);
    at = end;
  }
  return [...parts, clean(at)].join("");
}
