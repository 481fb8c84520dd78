// Hits and the terms of a query → the parts of each text that hold the most of the query's words, with the words marked. A hit
// whose text holds none of them shows its beginning.

import type { Analyzer } from "../analyze/contract/analyzer.ts";
import { highlight, type TextRange } from "../analyze/highlight.ts";
import type { Fields } from "../documents/document.ts";
import type { QueryTerm } from "../query/query.ts";
import type { SnippetOptions } from "./answer-options.ts";

/** A part of a title or a text. */
export interface Snippet {
  readonly field: "title" | "text";
  readonly text: string;
  /** Where the part begins in the field, in UTF-16 units. */
  readonly from: number;
  /** Where words of the query occur in `text`: [start, end) in UTF-16 units, in order. */
  readonly marks: readonly TextRange[];
}

const DEFAULT_LENGTH = 160;
/** How far the ends of a snippet may move to keep words whole, in UTF-16 units. */
const WORD_REACH = 24;
/** The share of a snippet that comes before its first mark, so that the mark has a context. */
const LEAD_SHARE = 1 / 4;

/** A word of the query in a text. */
interface Mark {
  readonly range: TextRange;
  readonly terms: readonly string[];
}

/** The snippets of a document: its title if a word of the query is in it, and the best parts of its text, in their order. */
export function snippetsOf(
  analyzer: Analyzer,
  terms: readonly QueryTerm[],
  { title, text }: Fields,
  { length = DEFAULT_LENGTH, count = 1 }: SnippetOptions,
): Snippet[] {
  const weights = new Map(
    terms.filter(({ fate }) => fate === "kept").map(({ term, weight }) => [term, weight]),
  );
  const held = new Set(weights.keys());
  const inTitle = typeof title === "string" ? highlight(analyzer, title, held) : [];
  const snippets: Snippet[] = [];
  if (inTitle.length > 0) snippets.push({ field: "title", text: title as string, from: 0, marks: inTitle });
  if (typeof text !== "string" || text === "") return snippets;
  const marks = highlight(analyzer, text, held).map(
    (range): Mark => ({
      range,
      terms: analyzer.terms(text.slice(...range)).filter((term) => held.has(term)),
    }),
  );
  const parts = bestParts(text, marks, weights, length, count);
  return [...snippets, ...parts.map((part) => snippetAt(text, part, marks))];
}

/** The parts whose marks have the most weight, without overlap. A term counts once for all parts. */
function bestParts(
  text: string,
  marks: readonly Mark[],
  weights: ReadonlyMap<string, number>,
  length: number,
  count: number,
): TextRange[] {
  const parts: TextRange[] = [];
  const shown = new Set<string>();
  while (parts.length < count) {
    let best: { part: TextRange; worth: number; terms: Set<string> } | undefined;
    for (const { range } of marks) {
      const part = partAround(text, range[0], length);
      if (parts.some((other) => part[0] < other[1] && other[0] < part[1])) continue;
      const inside = marks.filter(({ range: [start, end] }) => start >= part[0] && end <= part[1]);
      const terms = new Set(inside.flatMap((mark) => mark.terms).filter((term) => !shown.has(term)));
      const worth = [...terms].reduce((sum, term) => sum + weights.get(term)!, 0);
      if (worth > (best?.worth ?? 0)) best = { part, worth, terms };
    }
    if (!best) break;
    parts.push(best.part);
    for (const term of best.terms) shown.add(term);
  }
  if (parts.length === 0) parts.push(partAround(text, 0, length));
  return parts.sort((a, b) => a[0] - b[0]);
}

/** A part of about `length` characters that begins shortly before a position. Where possible, it begins and ends between words. */
function partAround(text: string, position: number, length: number): TextRange {
  const start = Math.max(0, Math.min(position - Math.floor(length * LEAD_SHARE), text.length - length));
  const end = Math.min(text.length, start + length);
  return [
    start === 0 ? 0 : Math.min(wordStart(text, start), position),
    end === text.length ? end : wordEnd(text, end),
  ];
}

/** The next position, not far on, at which a word begins; otherwise the position itself, and never within a character. */
function wordStart(text: string, position: number): number {
  const space = text.slice(position - 1, position + WORD_REACH).search(/\s\S/u);
  return space < 0 ? betweenCharacters(text, position) : position + space;
}

/** The last position, not far back, at which a word ends; otherwise the position itself. */
function wordEnd(text: string, position: number): number {
  const tail = text.slice(position - WORD_REACH, position + 1);
  const space = tail.search(/\s\S*$/u);
  return space < 0 ? betweenCharacters(text, position) : position - WORD_REACH + space;
}

function betweenCharacters(text: string, position: number): number {
  const isLowSurrogate = (text.charCodeAt(position) & 0xfc00) === 0xdc00;
  return isLowSurrogate ? position - 1 : position;
}

function snippetAt(text: string, [start, end]: TextRange, marks: readonly Mark[]): Snippet {
  const inside = marks.map(({ range }) => range).filter((range) => range[0] >= start && range[1] <= end);
  return {
    field: "text",
    text: text.slice(start, end),
    from: start,
    marks: inside.map(([from, to]): TextRange => [from - start, to - start]),
  };
}
