// The text of a query, with operators → the text that is ranked by, and what hits must have and must not have.
//
//   "new york"             hits have these words side by side, in this order
//   "new york"~2           the same, and the words may be up to 2 away from their places
//   +canal  -paris         hits have the word; hits do not have it. Also before a phrase: -"new york"
//   kind:noun  -year:1933  hits have this value in a field; hits do not have it. With spaces: author:"Ada Lovelace"
//   lock                   counts in the ranking, as without operators
//
// An operator stands at the beginning of a word, so e-mail and 10:30 are what they are without operators. Words and phrases
// that hits must have count in the ranking, too. A name before a colon that is no field of a document is a word like others.

import type { Condition, Scalar } from "../documents/filter.ts";
import { type Clause, MOST_SLOP } from "./clause.ts";

/** What the text of a query says. */
interface ParsedText {
  readonly text: string;
  readonly must: readonly Clause[];
  readonly mustNot: readonly Clause[];
  /** What the fields of hits must be. */
  readonly conditions: readonly Condition[];
}

const PART =
  /(?<!\S)([+-]?)(?:([\p{L}_][\p{L}\p{N}_.-]*):(?=[^\s/]))?(?:"([^"]*)(?:"(?:~(\d{1,3}))?|$)|(\S+))/gu;

/** Reads a text with operators. `isField` says whether any document has a field. */
export function parseSyntax(query: string, isField: (name: string) => boolean): ParsedText {
  const words: string[] = [];
  const [must, mustNot]: [Clause[], Clause[]] = [[], []];
  const conditions: Condition[] = [];
  for (const [, sign, field, phrase, slop, word] of query.matchAll(PART)) {
    const value = phrase ?? word;
    if (field !== undefined && isField(field)) {
      const test: Condition = { kind: "in", field, values: new Set(readings(value, phrase !== undefined)) };
      conditions.push(sign === "-" ? { kind: "not", of: test } : test);
      continue;
    }
    const text = field === undefined ? value : `${field} ${value}`;
    const clause =
      phrase === undefined
        ? text
        : { phrase: text, ...(slop && { slop: Math.min(Number(slop), MOST_SLOP) }) };
    if (sign === "-") {
      mustNot.push(clause);
    } else {
      words.push(text);
      if (sign === "+" || phrase !== undefined) must.push(clause);
    }
  }
  return { text: words.join(" "), must, mustNot, conditions };
}

/** Whether a text may name a field. If not, field names need not be read. */
export function mayNameFields(query: string): boolean {
  return query.includes(":");
}

/** What a value after a field may be: a text, and a number, true or false that is written like it. */
function readings(value: string, isQuoted: boolean): Scalar[] {
  if (isQuoted) return [value];
  if (value === "true" || value === "false") return [value, value === "true"];
  const number = Number(value);
  return String(number) === value && Number.isFinite(number) ? [value, number] : [value];
}
