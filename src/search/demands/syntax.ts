// The text of a query, with operators → the text that is ranked by, and what hits must have and must not have.
//
//   "new york"             hits have these words side by side, in this order
//   "new york"~2           the same, and the words may be up to 2 away from their places
//   +canal  -paris         hits have the word; hits do not have it. Also before a phrase: -"new york"
//   kind:noun  -year:1933  hits have this value in a field; hits do not have it. With spaces: author:"Ada Lovelace"
//   year:>1900  year:1900..1950   the value is above 1900, or from 1900 to 1950; also >=, < and <=, 1900.. and ..1950
//   title:canal  title:"new york"  hits have the word or the phrase in a text field; -title:canal: they do not
//   cana*  title:cana*     the beginning of a word; also after + and -
//   lock                   counts in the ranking, as without operators
//
// An operator stands at the beginning of a word, so e-mail and 10:30 are what they are without operators. Words and phrases
// that hits must have count in the ranking, too; a word or phrase of a text field counts in that field alone. If no document
// has a field of the name before a colon, the name is a word. Without text fields, the title and the text are searched together,
// so title:york is york, wherever it stands. Curved and angled quotes are quotes.

import type { Condition, Scalar } from "../../documents/filter.ts";
import { type Clause, MOST_SLOP } from "../../query/ask/clause.ts";
import type { TextPiece } from "../../query/ask/text-piece.ts";

/** What the text of a query says. */
interface ParsedText {
  /** What is ranked by, in the order in which it was typed. */
  readonly pieces: readonly TextPiece[];
  readonly must: readonly Clause[];
  readonly mustNot: readonly Clause[];
  /** What the fields of hits must be. */
  readonly conditions: readonly Condition[];
  /** The title and the text, if they stand before a colon and are no text fields: they were left out. */
  readonly leftOut: readonly string[];
}

/** The names before colons that mean something. */
export interface SyntaxFields {
  /** Whether any document has a value in a field. */
  isField(name: string): boolean;
  /** Whether the index can tell the words of this field from the words of others. */
  isTextField(name: string): boolean;
}

export const QUOTES = /[“”„‟«»＂]/gu;
/** Fields whose texts are searched. They have no values that `field:value` could demand. */
const SEARCHED = new Set(["title", "text"]);

const PART =
  /(?<!\S)([+-]?)(?:([\p{L}_][\p{L}\p{N}_.-]*):(?=[^\s/]))?(?:"([^"]*)(?:"(?:~(\d{1,3}))?|$)|(\S+))/gu;
/** The beginning of a word: one letter alone begins too many. */
const BEGINNING = /^(.*[\p{L}\p{N}\p{M}]{2})\*$/u;

/** A word or a phrase of a text, with its operators. */
interface SyntaxPart {
  readonly sign: string;
  /** What stands before a colon. */
  readonly name: string | undefined;
  readonly phrase: string | undefined;
  readonly slop: string | undefined;
  /** The phrase, or the word with its star. */
  readonly value: string;
  /** Whether the value is demanded of a field. */
  readonly isCondition: boolean;
  /** Whether a text field has this name. */
  readonly isText: boolean;
  /** Where the part begins, behind its sign, and where it ends, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Takes a text apart at its operators. */
function* splitSyntax(query: string, fields: SyntaxFields): Generator<SyntaxPart, void> {
  for (const match of query.replace(QUOTES, '"').matchAll(PART)) {
    const [all, sign, name, phrase, slop, word] = match;
    const value = phrase ?? word;
    const isBound = phrase === undefined && (COMPARED.test(value) || BETWEEN.test(value));
    const isText = name !== undefined && fields.isTextField(name) && !(isBound && fields.isField(name));
    const isCondition = name !== undefined && !isText && fields.isField(name);
    const [start, end] = [match.index + sign.length, match.index + all.length];
    yield { sign, name, phrase, slop, value, isCondition, isText, start, end };
  }
}

/** Where the words are that a user may have mistyped: not in quotes, excluded, with a star, or the name or value of a field. */
export function findLooseWords(query: string, fields: SyntaxFields): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (const { sign, name, phrase, value, isCondition, isText, start, end } of splitSyntax(query, fields)) {
    if (sign === "-" || phrase !== undefined || isCondition || BEGINNING.test(value)) continue;
    const isNamed = name !== undefined && (isText || SEARCHED.has(name));
    ranges.push({ start: isNamed ? end - value.length : start, end });
  }
  return ranges;
}

/** Reads a text with operators. */
export function parseSyntax(query: string, fields: SyntaxFields): ParsedText {
  const pieces: TextPiece[] = [];
  const [must, mustNot]: [Clause[], Clause[]] = [[], []];
  const conditions: Condition[] = [];
  const leftOut = new Set<string>();
  for (const { sign, name, phrase, slop, value, isCondition, isText } of splitSyntax(query, fields)) {
    if (name !== undefined && isCondition) {
      const test =
        phrase === undefined ? parseCondition(name, value) : createInCondition(name, [phrase.trim()]);
      conditions.push(sign === "-" ? { kind: "not", of: test } : test);
      continue;
    }
    const isSearched = name !== undefined && !isText && SEARCHED.has(name);
    if (isSearched) leftOut.add(name);
    const beginning = phrase === undefined ? BEGINNING.exec(value)?.[1] : undefined;
    const typed = beginning ?? value;
    const text = name === undefined || isText || isSearched ? typed : `${name} ${typed}`;
    const field = isText ? { field: name } : {};
    const clause: Clause =
      phrase !== undefined
        ? { phrase: text, ...field, ...(slop && { slop: Math.min(Number(slop), MOST_SLOP) }) }
        : isText || beginning !== undefined
          ? { text, ...field, ...(beginning !== undefined && { prefix: true }) }
          : text;
    if (sign === "-") {
      mustNot.push(clause);
    } else {
      pieces.push({ text, ...field, ...(beginning !== undefined && { isBeginning: true }) });
      if (sign === "+" || phrase !== undefined || isText) must.push(clause);
    }
  }
  return { pieces, must, mustNot, conditions: distinctConditions(conditions), leftOut: [...leftOut] };
}

/** Each condition once. */
function distinctConditions(conditions: readonly Condition[]): Condition[] {
  const keyOf = (condition: Condition) =>
    JSON.stringify(condition, (_, value) => (value instanceof Set ? [...value] : value));
  return [...new Map(conditions.map((condition) => [keyOf(condition), condition])).values()];
}

/** Whether a text may name a field. If not, field names need not be read. */
export function mayNameFields(query: string): boolean {
  return query.includes(":");
}

const ORDERS = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" } as const;
const COMPARED = /^([<>]=?)(.+)$/u;
/** The ends begin with a digit: numbers, or dates. One of them may be left out. */
const BETWEEN = /^(?=.*\d)(-?\d\S*?)?\.\.(-?\d\S*)?$/u;

/** What is asked of a field: a value, a bound, or both bounds. */
function parseCondition(field: string, value: string): Condition {
  const [, sign, bound] = COMPARED.exec(value) ?? [];
  if (sign !== undefined) return createBoundCondition(field, ORDERS[sign as keyof typeof ORDERS], bound);
  const [, least, most] = BETWEEN.exec(value) ?? [];
  if (least !== undefined && most !== undefined) return createBetweenCondition(field, least, most);
  if (least !== undefined) return createBoundCondition(field, "gte", least);
  return most === undefined
    ? createInCondition(field, readings(value))
    : createBoundCondition(field, "lte", most);
}

/** A condition of an operator, as it is typed. */
export function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case "not":
      return `-${conditionText(condition.of)}`;
    case "or":
      return conditionText(condition.of[0]); // the same bound, as a text and as a number
    case "and":
      return condition.of.map(conditionText).join(" ");
    case "range":
      return `${condition.field}:${condition.lower.bound}..${condition.upper.bound}`;
    case "exists":
      return `${condition.field}:*`;
    case "in": {
      const [value] = condition.values;
      return `${condition.field}:${/\s/u.test(String(value)) ? JSON.stringify(value) : value}`;
    }
    default: {
      const [sign] = Object.entries(ORDERS).find(([, kind]) => kind === condition.kind)!;
      return `${condition.field}:${sign}${condition.bound}`;
    }
  }
}

function createInCondition(field: string, values: readonly Scalar[]): Condition {
  return { kind: "in", field, values: new Set(values) };
}

/** A bound that is written like a number compares numbers with it, and texts, such as dates, with its text. */
function createBoundCondition(
  field: string,
  kind: (typeof ORDERS)[keyof typeof ORDERS],
  value: string,
): Condition {
  const bounds = readings(value).filter((bound) => typeof bound !== "boolean");
  const tests = bounds.map((bound): Condition => ({ kind, field, bound }));
  return tests.length === 1 ? tests[0] : { kind: "or", of: tests };
}

/** Both bounds, for one value: texts are compared with the texts of the bounds, and numbers if both are written like numbers. */
function createBetweenCondition(field: string, least: string, most: string): Condition {
  const upper = readings(most);
  const tests = readings(least).flatMap((bound, i): Condition[] => {
    const other = upper[i];
    if (typeof bound === "boolean" || other === undefined || typeof other === "boolean") return [];
    return [{ kind: "range", field, lower: { kind: "gte", bound }, upper: { kind: "lte", bound: other } }];
  });
  return tests.length === 1 ? tests[0] : { kind: "or", of: tests };
}

/** What a value after a field may be: a text, and a number, true or false that is written like it. */
function readings(value: string): Scalar[] {
  if (value === "true" || value === "false") return [value, value === "true"];
  const number = Number(value);
  return String(number) === value && Number.isFinite(number) ? [value, number] : [value];
}
