// Hits and the terms of a query → the parts of each text that hold the most of the query's words, with the words marked. A hit
// whose texts hold none of them shows the beginning of its text.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import { highlight, type TextRange } from "../../analyze/highlight.ts";
import type { QueryTerm } from "../../query/ask/query.ts";
import { DEFAULT_SNIPPET_LENGTH, type SnippetOptions } from "../options/answer-options.ts";
import { termsInField } from "./highlights.ts";

/** A part of a title, a text or another text field. */
export interface Snippet {
  readonly field: string;
  readonly text: string;
  /** Where the part begins in the field, in UTF-16 units. */
  readonly from: number;
  /** Where words of the query occur in `text`: [start, end) in UTF-16 units, in order. */
  readonly marks: readonly TextRange[];
}

/** How far the ends of a snippet may move to keep words whole, in UTF-16 units. */
const WORD_REACH = 24;
/** The share of a snippet that comes before its first mark, so that the mark has a context. */
const LEAD_SHARE = 1 / 4;
/** How much of a text is read for words, in UTF-16 units. Reading millions of letters would block the process for seconds. */
export const MOST_READ = 1 << 18;

/** A word of the query in a text. */
interface Mark {
  readonly range: TextRange;
  readonly terms: readonly string[];
}

/**
 * The snippets of a document: its title if a word of the query is in it, the best parts of its text, and of other text fields that
 * hold a word. `texts` are its texts by field.
 */
export function createSnippets(
  analyzer: Analyzer,
  terms: readonly QueryTerm[],
  texts: readonly { readonly field: string; readonly text: string }[],
  { length = DEFAULT_SNIPPET_LENGTH, count = 1 }: SnippetOptions,
): Snippet[] {
  const kept = terms.filter(({ fate }) => fate === "kept");
  const weights = new Map(kept.map(({ term, weight }) => [term, weight]));
  // The field whose beginning is shown if no word is found: the text, or else the first field that is not the title.
  const main = (texts.find(({ field }) => field === "text") ?? texts.find(({ field }) => field !== "title"))
    ?.field;
  return texts.flatMap(({ field, text }): Snippet[] => {
    const held = termsInField(kept, field);
    const ranges = highlight(analyzer, beginningOf(text), held);
    if (text === "" || (ranges.length === 0 && field !== main)) return [];
    if (field === "title") return [{ field, text, from: 0, marks: ranges }];
    const marks = ranges.map((range): Mark => {
      const own = analyzer.terms(text.slice(...range)).filter((term) => held.has(term));
      return { range, terms: own };
    });
    return bestParts(text, marks, weights, length, count).map((part) => snippetAt(field, text, part, marks));
  });
}

/** The part of a text in which words are looked for: its beginning. It ends with a word, if one ends near. */
function beginningOf(text: string): string {
  return text.length <= MOST_READ ? text : text.slice(0, wordEnd(text, MOST_READ));
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
    for (const [i, { range }] of marks.entries()) {
      const part = partAround(text, range[0], length);
      if (parts.some((other) => part[0] < other[1] && other[0] < part[1])) continue;
      const inside = marksWithin(marks, i, part);
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

/**
 * The marks in a part, which begins shortly before mark `i`. Only the neighbors of `i` are looked at: a text may hold very many.
 */
function marksWithin(marks: readonly Mark[], i: number, [from, to]: TextRange): Mark[] {
  let [first, end] = [i, i];
  while (first > 0 && marks[first - 1].range[0] >= from) first--;
  while (end < marks.length && marks[end].range[1] <= to) end++;
  return marks.slice(first, end);
}

/** A part of about `length` characters that begins shortly before an offset. Where possible, it begins and ends between words. */
function partAround(text: string, offset: number, length: number): TextRange {
  const start = Math.max(0, Math.min(offset - Math.floor(length * LEAD_SHARE), text.length - length));
  const end = Math.min(text.length, start + length);
  return [
    start === 0 ? 0 : Math.min(wordStart(text, start), offset),
    end === text.length ? end : wordEnd(text, end),
  ];
}

/** The next offset, not far on, at which a word begins; otherwise the offset itself, and never within a character. */
function wordStart(text: string, offset: number): number {
  const space = text.slice(offset - 1, offset + WORD_REACH).search(/\s\S/u);
  return space < 0 ? betweenCharacters(text, offset) : offset + space;
}

/** The last offset, not far back, at which a word ends; otherwise the offset itself. */
function wordEnd(text: string, offset: number): number {
  const tail = text.slice(offset - WORD_REACH, offset + 1);
  const space = tail.search(/\s\S*$/u);
  return space < 0 ? betweenCharacters(text, offset) : offset - WORD_REACH + space;
}

function betweenCharacters(text: string, offset: number): number {
  const isLowSurrogate = (text.charCodeAt(offset) & 0xfc00) === 0xdc00;
  return isLowSurrogate ? offset - 1 : offset;
}

function snippetAt(field: string, text: string, [start, end]: TextRange, marks: readonly Mark[]): Snippet {
  const inside = marks.map(({ range }) => range).filter((range) => range[0] >= start && range[1] <= end);
  return {
    field,
    text: text.slice(start, end),
    from: start,
    marks: inside.map(([from, to]): TextRange => [from - start, to - start]),
  };
}
