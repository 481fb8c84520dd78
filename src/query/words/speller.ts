// A word of a query → the terms of the index that were probably meant: corrections of a word that no document contains, and
// completions of a word that is still being typed.
//
// Terms are often stems, and a typed word is not: an edit in its ending makes another stem. So the analyzer reads all words that
// are one edit away, and those whose term the index has are the corrections. If there are none, terms are compared with the
// word's own stem. If none is near, one of two edits may be in the ending, so that the stemmer left the ending on: "restaraunt"
// is its own stem, and "restarant", one edit away, has the stem "restar", which is one edit away from "restaur". With one edit,
// this finds the right term as often as a list of all words of the documents would (README.md has the figures), and such a list
// would make every index larger.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { Vocabulary } from "../../densify/vocabulary.ts";
import type { Statistics } from "../../weigh/bm25.ts";
import { eachEdited } from "./edited-words.ts";
import { findNearTerms, type NearKind } from "./near-terms.ts";
import { SortedTerms, toCodePoints } from "./sorted-terms.ts";
import { LONGEST_WORD } from "./terms-of-length.ts";
import type { TypedWord } from "./typed-words.ts";
import { eachContinued } from "./unfinished-words.ts";
import type { WordRules } from "./word-options.ts";

/** A term that was probably meant. */
export interface Candidate {
  readonly id: number;
  /** In how many documents the term occurs. */
  readonly docs: number;
  readonly edits: number;
  /** Whether the typed word is only a beginning of the term. */
  readonly isCompletion: boolean;
  /** 1 if the term does not begin with the word, but a longer word has it: "universit" begins "university", with "univers". */
  readonly doubt: 0 | 1;
  /** A word that has this term, if one is known. */
  readonly surface?: string;
}

/** The most words that the analyzer reads for a correction. A word of 30 letters needs fewer. */
const MOST_TRIALS = 500;
/** The most stems that are looked up if one of two edits is in the ending. More: a correction takes longer. */
const MOST_STEM_TRIALS = 1000;

export class Speller {
  readonly analyzer: Analyzer;
  readonly #terms: SortedTerms;
  /** Documents with at least one term. */
  readonly docs: number;
  readonly #frequencies: Uint32Array;

  constructor(analyzer: Analyzer, vocabulary: Vocabulary, { docs, documentFrequencies }: Statistics) {
    this.analyzer = analyzer;
    this.docs = docs;
    this.#terms = getSortedTerms(vocabulary);
    this.#frequencies = documentFrequencies;
  }

  /** Whether some document contains the term. */
  isKnown(term: string): boolean {
    const id = this.#terms.vocabulary.findId(term);
    return id !== undefined && this.#frequencies[id] > 0;
  }

  term(id: number): string {
    return this.#terms.vocabulary.term(id);
  }

  /**
   * What a word stands for, the likeliest first. A word that is still being typed is more likely unfinished than misspelled. A
   * known word is not corrected. `includesOwn`: the term of the word itself is a completion, too: it may have longer words.
   */
  candidates(word: TypedWord, rules: WordRules, includesOwn = false): Candidate[] {
    const isUnfinished = rules.completesLast && word.isLast;
    const completions = isUnfinished ? this.completions(word, includesOwn) : [];
    if (completions.length > 0 || this.isKnown(word.term)) return completions;
    const corrections = this.corrections(word, rules);
    return corrections.length > 0 || !isUnfinished ? corrections : this.nearCompletions(word, rules);
  }

  /** The terms that an unknown word may be a misspelling of, the likeliest first. */
  corrections({ beginnings: [spelling], term }: TypedWord, rules: WordRules): Candidate[] {
    const found = new SpellingCandidates();
    const edits = rules.editsFor([...spelling].length);
    if (edits === 0) return [];
    this.#addEdited(spelling, found);
    if (found.isEmpty) this.#addNear(toCodePoints(term), edits, "whole", found);
    if (found.isEmpty && edits === 2) this.#addNearStems(term, this.#editedStems(spelling), rules, found);
    return found.sorted();
  }

  /** The terms of the words that are one edit away. */
  #addEdited(spelling: string, found: SpellingCandidates): void {
    const { letters, beginnings } = this.#terms;
    const isSelective = this.analyzer.keepsBeginnings === true;
    let trials = MOST_TRIALS;
    eachEdited(spelling, letters, (surface) => {
      if (isSelective && !beginnings.mayHave(surface)) return true;
      const terms = this.analyzer.terms(surface);
      if (terms.length === 1) this.#addKnown(terms[0], { edits: 1, surface }, found);
      return --trials > 0;
    });
  }

  /** The terms of the words that are one edit away, those that no document contains included. */
  #editedStems(spelling: string): Set<string> {
    const stems = new Set<string>();
    let trials = MOST_TRIALS;
    eachEdited(spelling, this.#terms.letters, (surface) => {
      const terms = this.analyzer.terms(surface);
      if (terms.length === 1) stems.add(terms[0]);
      return --trials > 0;
    });
    return stems;
  }

  /**
   * The terms that are one edit away from stems of words that are one edit away. Stems of about the length of the word's own stem
   * are left out: terms near them are near the own stem, too. The longest come first: they say most about the word.
   */
  #addNearStems(
    own: string,
    stems: ReadonlySet<string>,
    { editsFor }: WordRules,
    found: SpellingCandidates,
  ): void {
    const others = [...stems].filter(
      (stem) => Math.abs(stem.length - own.length) > 1 && editsFor([...stem].length) > 0,
    );
    others.sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    let trials = MOST_STEM_TRIALS;
    for (const stem of others) {
      if (trials <= 0) return;
      eachEdited(stem, this.#terms.letters, (edited) => {
        this.#addKnown(edited, { edits: 2 }, found);
        return --trials > 0;
      });
    }
  }

  /** Adds a term if some document contains it. */
  #addKnown(term: string, about: Pick<Candidate, "edits" | "surface">, found: SpellingCandidates): void {
    const id = this.#terms.vocabulary.findId(term);
    const docs = id === undefined ? 0 : this.#frequencies[id];
    if (id !== undefined && docs > 0) found.add({ id, docs, isCompletion: false, doubt: 0, ...about });
  }

  /**
   * The terms of words that begin with a word, the most frequent first. They begin with it, too, or the analyzer gives them for
   * a spelling that does. A term that is only a beginning of the word does not count: "pass" is no completion of "passwor".
   */
  completions({ beginnings, folded, term }: TypedWord, includesOwn: boolean): Candidate[] {
    const found = new SpellingCandidates();
    const own = includesOwn ? undefined : this.#terms.vocabulary.findId(term);
    const add = (id: number | undefined, doubt: 0 | 1) => {
      const docs = id === undefined || id === own ? 0 : this.#frequencies[id];
      if (id !== undefined && docs > 0) found.add({ id, docs, edits: 0, isCompletion: true, doubt });
    };
    for (const letters of beginnings) {
      const [from, to] = this.#terms.range(letters);
      for (let at = from; at < to; at++) add(this.#terms.ids[at], 0);
    }
    if (folded.length > LONGEST_WORD) return found.sorted();
    eachContinued(folded, this.#terms.letters.alphabet, this.analyzer.endings, (continued) => {
      const terms = this.analyzer.terms(continued);
      if (terms.length === 1) add(this.#terms.vocabulary.findId(terms[0]), 1);
    });
    return found.sorted();
  }

  /** The terms whose beginning is near an unknown word, which is then misspelled and not finished. */
  nearCompletions({ beginnings }: TypedWord, { editsFor }: WordRules): Candidate[] {
    const found = new SpellingCandidates();
    for (const word of beginnings.map(toCodePoints))
      if (editsFor(word.length) > 0) this.#addNear(word, 1, "begins", found);
    return found.sorted();
  }

  #addNear(word: readonly number[], most: 0 | 1 | 2, kind: NearKind, found: SpellingCandidates): void {
    findNearTerms(this.#terms, word, most, kind, (id, edits) => {
      const docs = this.#frequencies[id];
      if (docs > 0) found.add({ id, docs, edits, isCompletion: kind === "begins", doubt: 0 });
    });
  }
}

/** Candidates by id. If a term is found twice, the likelier candidate stays. */
class SpellingCandidates {
  readonly #byId = new Map<number, Candidate>();

  add(candidate: Candidate): void {
    const other = this.#byId.get(candidate.id);
    if (!other || byLikelihood(candidate, other) < 0) this.#byId.set(candidate.id, candidate);
  }

  get isEmpty(): boolean {
    return this.#byId.size === 0;
  }

  sorted(): Candidate[] {
    return [...this.#byId.values()].sort(byLikelihood);
  }
}

/** The likeliest first. Equal ones go to the lower id. */
function byLikelihood(a: Candidate, b: Candidate): number {
  return a.edits - b.edits || a.doubt - b.doubt || b.docs - a.docs || a.id - b.id;
}

/** Vocabularies never change, so their order is made once, when it is first needed. */
const sortedByVocabulary = new WeakMap<Vocabulary, SortedTerms>();

function getSortedTerms(vocabulary: Vocabulary): SortedTerms {
  let terms = sortedByVocabulary.get(vocabulary);
  if (!terms) {
    terms = new SortedTerms(vocabulary);
    sortedByVocabulary.set(vocabulary, terms);
  }
  return terms;
}
