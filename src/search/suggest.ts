// The text of a search box → what the user may want to type: the last word completed, and misspelled words corrected, each with
// the number of documents that contain it. The index knows stems, and people want words. So for each candidate the documents
// that it stands out in are read, and the word in them that fits best is shown.

import type { Candidate, Speller } from "../query/words/speller.ts";
import { type TypedWord, typedWords } from "../query/words/typed-words.ts";
import { wordRules } from "../query/words/word-options.ts";
import { editsBetween } from "../support/numbers/edits.ts";
import { wrongValueError } from "../support/options/options.ts";
import { Turns } from "../support/work/turns.ts";
import { checkSuggestOptions, DEFAULT_SUGGESTIONS, type SuggestOptions } from "./options/suggest-options.ts";
import type { SearchedIndex } from "./search-context.ts";
import { wordsInDocuments } from "./words-in-documents.ts";

/** What a user may want to type. */
export interface Suggestion {
  /** The whole text, with the words replaced. */
  readonly text: string;
  /** `completion`: only the last word was completed. `correction`: a word was corrected. */
  readonly kind: "completion" | "correction";
  /** The word of the text that distinguishes this suggestion from the others, as it was typed. */
  readonly from: string;
  /** What it becomes. */
  readonly to: string;
  /** How many documents contain it, in any form of the word. */
  readonly docs: number;
}

/** The most words that are corrected together. A text with more unknown words is hardly one that somebody types. */
const MOST_CORRECTED = 4;

/** @internal What an index suggests. */
export async function suggestFor(
  index: SearchedIndex,
  text: string,
  options: SuggestOptions,
): Promise<Suggestion[]> {
  if (typeof text !== "string") throw wrongValueError("the text to complete", "a text", text);
  checkSuggestOptions(options);
  const { k = DEFAULT_SUGGESTIONS, typos = true, signal } = options;
  signal?.throwIfAborted();
  const speller = index.preparer.spellerOf(index.snapshot);
  const rules = wordRules({ typos, prefix: true })!;
  const words = typedWords(speller.analyzer, text);
  const guessed: GuessedWord[] = [];
  for (const word of words) {
    if (guessed.length === MOST_CORRECTED && !word.isLast) continue;
    const candidates = speller.candidates(word, rules);
    if (candidates.length > 0) guessed.push({ word, candidates: candidates.slice(0, 2 * k) });
  }
  const last = guessed.at(-1);
  if (!last) return [];
  const turns = new Turns(signal);
  const others = guessed
    .slice(0, -1)
    .map(({ word, candidates }) => ({ word, candidates: candidates.slice(0, 3) }));
  const fixed: Replacement[] = [];
  for (const other of others) fixed.push(...(await spelled(index, speller, other, turns)).slice(0, 1));
  const choices = await spelled(index, speller, last, turns);
  return choices.slice(0, k).map((choice) => suggestionOf(text, [...fixed, choice]));
}

interface GuessedWord {
  readonly word: TypedWord;
  readonly candidates: readonly Candidate[];
}

/** A word of the text and what it becomes. */
interface Replacement {
  readonly word: TypedWord;
  readonly candidate: Candidate;
  readonly to: string;
  /** How many letters differ. */
  readonly edits: number;
}

/** The candidates as words of documents, best first. */
async function spelled(
  index: SearchedIndex,
  speller: Speller,
  { word, candidates }: GuessedWord,
  turns: Turns,
): Promise<Replacement[]> {
  const terms = candidates.map(({ id }) => speller.term(id));
  const found = await wordsInDocuments(index, terms, turns);
  const byWord = new Map<string, Replacement>();
  for (const [i, candidate] of candidates.entries()) {
    const replacement = bestWord(word, candidate, terms[i], found[i]);
    if (replacement && !byWord.has(replacement.to)) byWord.set(replacement.to, replacement);
  }
  return [...byWord.values()].sort(
    (a, b) => a.edits - b.edits || b.candidate.docs - a.candidate.docs || (a.to < b.to ? -1 : 1),
  );
}

/** The word of a term that fits what was typed best; undefined if the term is no completion of it. */
function bestWord(
  word: TypedWord,
  candidate: Candidate,
  term: string,
  counts: ReadonlyMap<string, number>,
): Replacement | undefined {
  const typed = [...word.folded];
  const isExact = candidate.isCompletion && candidate.edits === 0;
  const edits = (to: string) => {
    const letters = [...to];
    return editsBetween(typed, candidate.isCompletion ? letters.slice(0, typed.length) : letters);
  };
  // Without the texts of documents, the term itself is all there is.
  const words = counts.size > 0 ? [...counts] : [[term, 1] as const];
  const [best] = words
    .filter(([to]) => to !== word.folded && (!isExact || to.startsWith(word.folded)))
    .map(([to, count]) => ({ to, count, edits: edits(to) }))
    .sort((a, b) => a.edits - b.edits || b.count - a.count || a.to.length - b.to.length);
  return best && { word, candidate, to: best.to, edits: best.edits };
}

function suggestionOf(text: string, replacements: readonly Replacement[]): Suggestion {
  let [replaced, at] = ["", 0];
  for (const { word, to } of replacements) {
    replaced += text.slice(at, word.start) + to;
    at = word.end;
  }
  const { word, candidate, to } = replacements.at(-1)!;
  const isCompletion = replacements.every(({ candidate }) => candidate.isCompletion && candidate.edits === 0);
  return {
    text: replaced + text.slice(at),
    kind: isCompletion ? "completion" : "correction",
    from: word.word,
    to,
    docs: candidate.docs,
  };
}
