// The options of a search that correct, complete and translate the words of its query, and their checks.

import {
  checkBoolean,
  checkNumber,
  checkParts,
  type KnownOptions,
  wrongValueError,
} from "../../support/options/options.ts";
import { checkSynonyms, type Synonyms } from "./synonyms.ts";
import { LONGEST_WORD } from "./terms-of-length.ts";

/** The default of `maxEdits`. */
const DEFAULT_MAX_EDITS = 2;
/** The default of `oneEditFrom`: shorter words have too many neighbors. */
const DEFAULT_ONE_EDIT_FROM = 4;
/** The default of `twoEditsFrom`. */
const DEFAULT_TWO_EDITS_FROM = 8;

/** How far a word may be from the term that was meant. An edit adds, drops or changes a letter, or swaps two neighbors. */
export interface TypoOptions {
  /** The most edits of a word; 2 by default. */
  readonly maxEdits?: 1 | 2 | undefined;
  /** The letters that a word needs for one edit; 4 by default. */
  readonly oneEditFrom?: number | undefined;
  /** The letters that a word needs for two edits; 8 by default. */
  readonly twoEditsFrom?: number | undefined;
}

export interface WordOptions {
  /**
   * Corrects words that no document contains: they are replaced by the nearest terms of the index, with less weight than an
   * exact match. A word that some document contains is never corrected. By default no word is corrected.
   */
  readonly typos?: boolean | TypoOptions | undefined;
  /**
   * Completes the last word, for a search while the user types: documents with a word that begins with it are hits, too.
   * Only if the text ends with the word; after a space it is complete. By default no word is completed.
   */
  readonly prefix?: boolean | undefined;
  /**
   * Words that mean the same: [["car", "automobile"], ["ny", "new york"]]. A query with one of them also finds documents with
   * the others, with less weight. { from: ["laptop"], to: ["computer"] } works one way only. By default there are none.
   */
  readonly synonyms?: readonly Synonyms[] | undefined;
}

/** The names of the options. */
export const WORD_OPTIONS: KnownOptions<WordOptions> = { typos: true, prefix: true, synonyms: true };
const TYPO_OPTIONS: KnownOptions<TypoOptions> = { maxEdits: true, oneEditFrom: true, twoEditsFrom: true };

export function checkWordOptions({ typos, prefix, synonyms }: WordOptions): void {
  checkSynonyms(synonyms);
  checkBoolean("prefix", prefix);
  if (typos === undefined || typeof typos === "boolean") return;
  if (typeof typos !== "object" || typos === null)
    throw wrongValueError("typos", "true, false or an object of options", typos);
  checkParts("typos", typos, TYPO_OPTIONS);
  const letters = { least: 1, most: LONGEST_WORD, isWhole: true };
  checkNumber("typos.maxEdits", typos.maxEdits, { least: 1, most: 2, isWhole: true });
  checkNumber("typos.oneEditFrom", typos.oneEditFrom, letters);
  checkNumber("typos.twoEditsFrom", typos.twoEditsFrom, letters);
}

/** What is done with the words of a query. */
export interface WordRules {
  /** How many edits a word with this number of letters may have. */
  editsFor(letters: number): 0 | 1 | 2;
  readonly completesLast: boolean;
  /** Whether words are corrected or completed at all. */
  readonly spells: boolean;
  readonly synonyms?: readonly Synonyms[] | undefined;
  /** The most completions of a word; 16 by default. */
  readonly mostCompletions?: number | undefined;
}

/** The most words that a beginning such as can* stands for. More: rarer ones are found, and a search takes longer. */
const MOST_OF_BEGINNING = 256;

/** The rules for a text whose last word is marked as a beginning. */
export function beginningRules(rules: WordRules | undefined, most = MOST_OF_BEGINNING): WordRules {
  return { editsFor: () => 0, ...rules, completesLast: true, spells: true, mostCompletions: most };
}

/** The rules that options ask for; undefined if words are taken as they are. */
export function wordRules(options: WordOptions): WordRules | undefined {
  const { typos = false, prefix = false, synonyms } = options;
  const spells = typos !== false || prefix;
  if (!spells && !synonyms) return undefined;
  if (!typos) return { editsFor: () => 0, completesLast: prefix, spells, synonyms };
  const {
    maxEdits = DEFAULT_MAX_EDITS,
    oneEditFrom = DEFAULT_ONE_EDIT_FROM,
    twoEditsFrom = DEFAULT_TWO_EDITS_FROM,
  } = typos === true ? {} : typos;
  return {
    completesLast: prefix,
    spells,
    synonyms,
    editsFor(letters) {
      if (letters > LONGEST_WORD) return 0;
      if (letters >= twoEditsFrom && maxEdits === 2) return 2;
      return letters >= oneEditFrom ? 1 : 0;
    },
  };
}
