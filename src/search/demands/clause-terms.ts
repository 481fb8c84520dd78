// The text of a word or a phrase → its terms in an index, and how far apart they stand.

import { termPositions } from "../../analyze/term-positions.ts";
import type { Alternatives } from "../../query/words/expansion.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";

/** A term of a clause: its id, and how far behind the first one it stands. */
export interface ClauseTerm {
  readonly id: number;
  readonly offset: number;
}

/**
 * For each word of a text, the ids of the terms that may stand for it: its own term, its corrections and its completions;
 * "unknown" if one has none.
 */
export function findClauseWords(
  { weighting, slicing }: Snapshot,
  text: string,
  alternatives: Alternatives,
): number[][] | "unknown" {
  const words = [...new Set(weighting.analyzer.terms(text))].map((term) => {
    const id = slicing.vocabulary.findId(term);
    return [...(id === undefined ? [] : [id]), ...(alternatives.get(term) ?? [])];
  });
  return words.some((ids) => ids.length === 0) ? "unknown" : words;
}

/**
 * The terms of a text, sorted by offset, without repetitions; "unknown" if one of them is in no document. A text of stop words
 * has no terms.
 */
export function findClauseTerms({ weighting, slicing }: Snapshot, text: string): ClauseTerm[] | "unknown" {
  const placed = termPositions(weighting.analyzer, text);
  const first = placed.reduce((least, { position }) => Math.min(least, position), Number.POSITIVE_INFINITY);
  const terms = new Map<string, ClauseTerm>();
  for (const { term, position } of placed) {
    const id = slicing.vocabulary.findId(term);
    if (id === undefined) return "unknown";
    terms.set(`${id} ${position}`, { id, offset: position - first });
  }
  return [...terms.values()].sort((a, b) => a.offset - b.offset || a.id - b.id);
}
