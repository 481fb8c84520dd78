// The text of a search box → what the user may want to type: the last word completed, and misspelled words corrected, each with
// the number of documents that contain it. The index knows stems, and people want words. So for each candidate the documents
// that it stands out in are read, and the word in them that fits best is shown.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import { checkQueryLength } from "../../query/ask/clause.ts";
import type { Candidate, Speller } from "../../query/words/speller.ts";
import { splitTypedWords, type TypedWord } from "../../query/words/typed-words.ts";
import { type WordRules, wordRules } from "../../query/words/word-options.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { editsBetween } from "../../support/numbers/edits.ts";
import { wrongValueError } from "../../support/options/options.ts";
import { Turns } from "../../support/work/turns.ts";
import { readSyntaxFields } from "../demands/narrow.ts";
import { findLooseWords } from "../demands/syntax.ts";
import type { SearchedIndex } from "../hits/searched-index.ts";
import { checkSuggestOptions, DEFAULT_SUGGESTIONS, type SuggestOptions } from "../options/suggest-options.ts";
import { findWordsInDocuments, type SeenWord } from "./words-in-documents.ts";

/** What a user may want to type. */
export interface Suggestion {
  /** The whole text, with the words replaced. */
  readonly text: string;
  /** `completion`: only the last word was completed. `correction`: a word was corrected. */
  readonly kind: "completion" | "correction";
  /** The word of the text that changes, as it was typed. Several words have spaces between them. */
  readonly from: string;
  /** The correction, or the completed word. */
  readonly to: string;
  /** How many documents contain it, in any form of the word. Of several words, the rarest counts. */
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
  checkQueryLength("the text to complete", text);
  checkSuggestOptions(options);
  const { k = DEFAULT_SUGGESTIONS, typos = true, syntax = false, signal } = options;
  signal?.throwIfAborted();
  const speller = index.preparer.spellerOf(index.snapshot);
  const rules = wordRules({ typos, prefix: true })!;
  const words = syntax
    ? await findWordsBesideOperators(index.snapshot, speller.analyzer, text)
    : splitTypedWords(speller.analyzer, text);
  const guessed: GuessedWord[] = [];
  for (const word of words) {
    if (guessed.length === MOST_CORRECTED && !word.isLast) continue;
    const candidates = speller.candidates(word, rules, true);
    if (candidates.length > 0) guessed.push({ word, candidates: candidates.slice(0, 2 * k) });
  }
  const turns = new Turns(signal);
  const replaced: GuessedReplacements[] = [];
  for (const { word, candidates } of withoutOverlaps(guessed).reverse()) {
    const isVaried = replaced.length === 0;
    const likeliest = isVaried ? candidates : candidates.slice(0, 3);
    const choices = await findReplacements(index, speller, { word, candidates: likeliest }, rules, turns);
    if (choices.length > 0) replaced.push({ word, choices });
  }
  const [last, ...others] = replaced;
  if (!last) return [];
  const fixed = others.map(({ choices }) => choices[0]);
  const suggestions = last.choices.map((choice) => createSuggestion(text, [...fixed, choice]));
  // The last word may be finished, and right.
  if (fixed.length > 0 && speller.isKnown(last.word.term)) suggestions.unshift(createSuggestion(text, fixed));
  return suggestions.slice(0, k);
}

/** The words of a text that operators leave to the user's spelling. */
async function findWordsBesideOperators(
  snapshot: Snapshot,
  analyzer: Analyzer,
  text: string,
): Promise<TypedWord[]> {
  const fields = await readSyntaxFields(snapshot, text);
  return findLooseWords(text, fields).flatMap(({ start: first, end: last }) =>
    splitTypedWords(analyzer, text.slice(first, last)).map(
      ({ start, end, isLast, ...word }): TypedWord => ({
        ...word,
        start: first + start,
        end: first + end,
        isLast: isLast && last === text.length,
      }),
    ),
  );
}

/** Whether a word lies within a longer one: e-mai is also emai, and its parts are not replaced as well. */
function isPartOf(word: TypedWord, other: TypedWord): boolean {
  const isWithin = other.start <= word.start && word.end <= other.end;
  return isWithin && other.end - other.start > word.end - word.start;
}

/**
 * Words of which no two overlap. A dictionary may give a word that is also a pair of characters, and neighboring pairs share a
 * character. The later word stays: the user is typing it.
 */
function withoutOverlaps(guessed: readonly GuessedWord[]): GuessedWord[] {
  const whole = guessed.filter(({ word }) => !guessed.some((other) => isPartOf(word, other.word)));
  const apart: GuessedWord[] = [];
  for (const each of whole.reverse()) {
    const { start, end } = each.word;
    if (apart.every(({ word }) => word.end <= start || end <= word.start)) apart.unshift(each);
  }
  return apart;
}

/** A word and its replacements, best first. */
interface GuessedReplacements {
  readonly word: TypedWord;
  readonly choices: readonly Replacement[];
}

interface GuessedWord {
  readonly word: TypedWord;
  readonly candidates: readonly Candidate[];
}

/** A word of the text and its replacement. */
interface Replacement {
  readonly word: TypedWord;
  readonly candidate: Candidate;
  readonly to: string;
  /** How many letters differ. */
  readonly edits: number;
}

/** The candidates as words of documents, best first. */
async function findReplacements(
  index: SearchedIndex,
  speller: Speller,
  { word, candidates }: GuessedWord,
  rules: WordRules,
  turns: Turns,
): Promise<Replacement[]> {
  const terms = candidates.map(({ id }) => speller.term(id));
  const found = await findWordsInDocuments(index, terms, turns);
  const byWord = new Map<string, Replacement>();
  for (const [i, candidate] of candidates.entries()) {
    const replacement = bestWord(word, candidate, terms[i], found[i], rules);
    if (replacement && !byWord.has(replacement.to)) byWord.set(replacement.to, replacement);
  }
  return [...byWord.values()].sort(
    (a, b) => a.edits - b.edits || b.candidate.docs - a.candidate.docs || (a.to < b.to ? -1 : 1),
  );
}

/**
 * The word of a term that is nearest to the typed text. Undefined if the word does not complete the text, and is more edits away
 * than the rules allow.
 */
function bestWord(
  word: TypedWord,
  candidate: Candidate,
  term: string,
  seen: readonly SeenWord[],
  rules: WordRules,
): Replacement | undefined {
  const isExact = candidate.isCompletion && candidate.edits === 0;
  const editsTo = (typed: string, to: string) => {
    const letters = [...typed];
    return editsBetween(letters, candidate.isCompletion ? [...to].slice(0, letters.length) : [...to]);
  };
  // Without the texts of documents, the term itself is all there is.
  const words = seen.length > 0 ? seen : [{ folded: term, beginnings: [term], count: 1 }];
  const [best] = words
    .filter(
      ({ folded, beginnings }) => folded !== word.folded && (!isExact || continuesTyped(word, beginnings)),
    )
    .map(({ folded: to, beginnings, count }) => {
      const edits = Math.min(
        ...word.beginnings.flatMap((typed) => beginnings.map((spelling) => editsTo(typed, spelling))),
      );
      return { to, count, edits, asTyped: editsTo(word.folded, to) };
    })
    .sort(
      (a, b) => a.edits - b.edits || a.asTyped - b.asTyped || b.count - a.count || a.to.length - b.to.length,
    );
  // Stems may be nearer than their words: "happx" is one edit from the stem of happiness.
  const isTooFar =
    !isExact && seen.length > 0 && best !== undefined && best.edits > rules.editsFor([...word.folded].length);
  return best && !isTooFar ? { word, candidate, to: best.to, edits: best.edits } : undefined;
}

/** Whether a word begins with what was typed, as far as the analyzer can tell. */
function continuesTyped({ beginnings }: TypedWord, ofWord: readonly string[]): boolean {
  return beginnings.some((typed) => ofWord.some((spelling) => spelling.startsWith(typed)));
}

function createSuggestion(text: string, chosen: readonly Replacement[]): Suggestion {
  const replacements = [...chosen].sort((a, b) => a.word.start - b.word.start);
  let [replaced, at] = ["", 0];
  for (const { word, to } of replacements) {
    replaced += text.slice(at, word.start) + to;
    at = word.end;
  }
  const isCompletion = replacements.every(({ candidate }) => candidate.isCompletion && candidate.edits === 0);
  return {
    text: replaced + text.slice(at),
    kind: isCompletion ? "completion" : "correction",
    from: replacements.map(({ word }) => word.word).join(" "),
    to: replacements.map(({ to }) => to).join(" "),
    docs: Math.min(...replacements.map(({ candidate }) => candidate.docs)),
  };
}
