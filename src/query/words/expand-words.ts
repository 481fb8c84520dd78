// The text of a query → more terms to search for: corrections of its unknown words, and completions of its last word. Each has
// the word that it came from and a weight below that of an exact match.

import { idf } from "../../weigh/bm25.ts";
import type { ExpandedText, Expansion } from "./expansion.ts";
import type { Candidate, Speller } from "./speller.ts";
import { splitTypedWords, type TypedWord } from "./typed-words.ts";
import type { WordRules } from "./word-options.ts";

/** The most words of a query that are corrected. A longer query has enough others, and its time must stay bounded. */
const MOST_WORDS = 16;
/** The most terms that take the place of an unknown word. More: the right one is more often among them, and so are wrong ones. */
const MOST_CORRECTIONS = 3;
/** The most completions of the last word. More: rarer ones are found, and a search takes longer. */
const MOST_COMPLETIONS = 16;
/** The fewest letters of a word that is completed. Every word begins with some letter. */
const LEAST_PREFIX = 2;
/** What the weight is multiplied by for each edit, and for a completion. Smaller: exact matches of other words count more. */
const PER_EDIT = 0.8;
const PER_COMPLETION = 0.6;

/** The terms to add to a query. Each appears once, with its highest weight. It may stand for several words. */
export function expandWords(speller: Speller, text: string, rules: WordRules): ExpandedText {
  const counts = new Map<string, { readonly word: TypedWord; count: number }>();
  for (const word of splitTypedWords(speller.analyzer, text)) {
    const same = counts.get(word.term);
    // The last of equal words may be completed.
    counts.set(word.term, { word, count: (same?.count ?? 0) + 1 });
  }
  const best = new Map<number, Expansion>();
  const alternatives = new Map<string, readonly number[]>();
  const cut: NonNullable<ExpandedText["cut"]>[number][] = [];
  let corrected = 0;
  for (const { word, count } of counts.values()) {
    // The last word is completed in any case. It is corrected as others are.
    const mayCorrect = speller.isKnown(word.term) || corrected++ < MOST_WORDS;
    if (!mayCorrect && !(word.isLast && rules.completesLast)) continue;
    const completesLast = rules.completesLast && word.folded.length >= LEAST_PREFIX;
    const editsFor = mayCorrect ? rules.editsFor : () => 0 as const;
    const nearest = fewestEdits(speller.candidates(word, { ...rules, editsFor, completesLast }));
    const candidates = likeliest(nearest, rules);
    if (candidates.length === 0) continue;
    if (candidates[0].isCompletion && candidates.length < nearest.length)
      cut.push({ word: word.word, taken: candidates.length, completions: nearest.length });
    const ids = candidates.map(({ id }) => id);
    alternatives.set(word.term, ids);
    for (const expansion of weighExpansions(candidates, speller.docs, word, count)) {
      if (expansion.weight > (best.get(expansion.id)?.weight ?? 0)) best.set(expansion.id, expansion);
    }
  }
  return { expansions: [...best.values()], alternatives, ...(cut.length > 0 && { cut }) };
}

function fewestEdits(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ edits }) => edits === candidates[0].edits);
}

/** The most frequent of candidates with as many edits. */
function likeliest(
  nearest: readonly Candidate[],
  { mostCompletions = MOST_COMPLETIONS }: WordRules,
): readonly Candidate[] {
  return nearest.slice(0, nearest[0]?.isCompletion ? mostCompletions : MOST_CORRECTIONS);
}

/** All terms of a word get the idf of the most frequent one: a rare term is not a better guess because it is rare. */
function weighExpansions(
  candidates: readonly Candidate[],
  docs: number,
  { word }: TypedWord,
  count: number,
): Expansion[] {
  const most = candidates.reduce((largest, candidate) => Math.max(largest, candidate.docs), 0);
  const weight = count * idf(docs, most);
  return candidates.map(({ id, edits, isCompletion }) => {
    return {
      id,
      weight: weight * PER_EDIT ** edits * (isCompletion ? PER_COMPLETION : 1),
      from: word,
      edits,
    };
  });
}
