// Lists of words that mean the same, and the text of a query → more terms to search for. A member of a list may be several words,
// on both sides: "ny" finds "new york", and the other way round.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { Vocabulary } from "../../densify/vocabulary.ts";
import { isObject, optionError, wrongValueError } from "../../support/options/options.ts";
import { idf, type Statistics } from "../../weigh/bm25.ts";
import type { Expansion } from "./expansion.ts";
import { splitTypedWords } from "./typed-words.ts";

/** Words that mean the same: each finds all others. Or one way only: `from` finds `to`, and not the other way round. */
export type Synonyms =
  | readonly string[]
  | { readonly from: readonly string[]; readonly to: readonly string[] };

/** The most lists of a search. */
export const MOST_SYNONYMS = 10_000;
/** The most words of a list, on each side. */
export const MOST_MEMBERS = 100;
/** What the weight of a synonym is multiplied by. Smaller: what was typed counts more. */
const PER_SYNONYM = 0.8;

/** Throws if the value is not a list of synonyms. */
export function checkSynonyms(synonyms: unknown): void {
  if (synonyms === undefined) return;
  const expected = 'lists of words such as ["car", "automobile"], or { from: ["laptop"], to: ["computer"] }';
  if (!Array.isArray(synonyms)) throw wrongValueError("synonyms", expected, synonyms);
  if (synonyms.length > MOST_SYNONYMS)
    throw optionError("synonyms", `synonyms has ${synonyms.length} lists, expected at most ${MOST_SYNONYMS}`);
  for (const [i, entry] of synonyms.entries()) {
    const { from, to, ...others } = parseSides(entry);
    const lacking = from === undefined ? "from" : to === undefined ? "to" : undefined;
    if (lacking !== undefined)
      throw optionError(
        "synonyms",
        `synonyms[${i}] lacks ${lacking}, a list of words`,
        `expected ${expected}`,
      );
    for (const side of [from, to]) {
      const isList = Array.isArray(side) && side.every((word) => typeof word === "string");
      if (!isList || Object.keys(others).length > 0) throw wrongValueError(`synonyms[${i}]`, expected, entry);
      const least = from === to ? 2 : 1;
      if (side.length < least || side.length > MOST_MEMBERS)
        throw optionError(
          "synonyms",
          `synonyms[${i}] has ${countOfWords(side, from, to)}, expected ${least} to ${MOST_MEMBERS}`,
        );
      if (side.some((word) => word.trim() === ""))
        throw optionError("synonyms", `synonyms[${i}] has an empty word`);
    }
  }
}

function countOfWords(side: readonly string[], from: readonly string[], to: readonly string[]): string {
  const where = from === to ? "" : ` in ${side === from ? "from" : "to"}`;
  return `${side.length} ${side.length === 1 ? "word" : "words"}${where}`;
}

function parseSides(entry: Synonyms): { from: readonly string[]; to: readonly string[] } {
  if (Array.isArray(entry)) return { from: entry, to: entry };
  return isObject(entry) ? (entry as Exclude<Synonyms, readonly string[]>) : { from: [], to: entry as never };
}

/** A word or several, as terms, and the terms of what means the same. */
interface Member {
  readonly terms: readonly string[];
  readonly means: readonly (readonly string[])[];
}

/** Members by their first term. */
type Members = ReadonlyMap<string, readonly Member[]>;

/** A list is usually the same for many searches, so its terms are made once. */
const membersByList = new WeakMap<
  readonly Synonyms[],
  { readonly analyzer: Analyzer; readonly members: Members }
>();

function analyzeMembers(analyzer: Analyzer, synonyms: readonly Synonyms[]): Members {
  const known = membersByList.get(synonyms);
  if (known?.analyzer === analyzer) return known.members;
  const members = new Map<string, Member[]>();
  for (const entry of synonyms) {
    const { from, to } = parseSides(entry);
    const means = to.map((word) => analyzer.terms(word)).filter((terms) => terms.length > 0);
    for (const word of from) {
      const terms = analyzer.terms(word);
      if (terms.length === 0) continue;
      const others = means.filter((other) => other.join(" ") !== terms.join(" "));
      members.set(terms[0], [...(members.get(terms[0]) ?? []), { terms, means: others }]);
    }
  }
  membersByList.set(synonyms, { analyzer, members });
  return members;
}

/**
 * The terms to add to a query. The weight of a synonym is 0.8 × its own idf, or 0.8 × the highest idf of the words that it stands
 * for, whichever is lower. Several words of a synonym share it. So a synonym has less weight than the typed word, and a rare
 * synonym has no advantage.
 */
export function findSynonyms(
  analyzer: Analyzer,
  vocabulary: Vocabulary,
  { docs, documentFrequencies }: Statistics,
  text: string,
  synonyms: readonly Synonyms[],
): Expansion[] {
  const idfOf = (term: string) => {
    const id = vocabulary.findId(term);
    return id === undefined || documentFrequencies[id] === 0 ? undefined : idf(docs, documentFrequencies[id]);
  };
  const members = analyzeMembers(analyzer, synonyms);
  const words = splitTypedWords(analyzer, text);
  const best = new Map<number, Expansion>();
  for (const [at, { term, start }] of words.entries()) {
    for (const { terms, means } of members.get(term) ?? []) {
      if (!terms.every((each, i) => words[at + i]?.term === each)) continue;
      const typed = terms.flatMap((each) => idfOf(each) ?? []);
      const most = typed.length > 0 ? Math.max(...typed) : Number.POSITIVE_INFINITY;
      const from = text.slice(start, words[at + terms.length - 1].end);
      for (const others of means) {
        const known = [...new Set(others)].flatMap((other) => {
          const tells = idfOf(other);
          return tells === undefined
            ? []
            : [{ id: vocabulary.findId(other)!, weight: PER_SYNONYM * Math.min(tells, most) }];
        });
        // The words of one synonym together have no more weight than what they stand for.
        const sum = known.reduce((all, { weight }) => all + weight, 0);
        const share = Math.min(1, (PER_SYNONYM * most) / sum);
        for (const { id, weight } of known)
          if (weight * share > (best.get(id)?.weight ?? 0))
            best.set(id, { id, weight: weight * share, from });
      }
    }
  }
  return [...best.values()];
}
