// What a query may demand of its hits, and what adds to their scores: words and phrases, and their checks.

import { UsageError } from "../support/errors/usage-error.ts";
import {
  checkNumber,
  isObject,
  type KnownOptions,
  shown,
  unknownNameError,
  wrongValueError,
} from "../support/options/options.ts";

/** Words that stand side by side, in this order. */
export interface Phrase {
  readonly phrase: string;
  /**
   * How far the words may be from their places; 0 by default. With 1, one word may stand between two others; with 2, two
   * neighbors may have changed places.
   */
  readonly slop?: number | undefined;
}

/** A text: a document has all of its words, anywhere. Or a phrase, for which the index must keep positions. */
export type Clause = string | Phrase;

/** A phrase that adds to the scores of documents that have it. */
export interface PreferredPhrase extends Phrase {
  /**
   * What is added to the score is this, 1 by default, times the sum of the words' idf, divided by 1 + the distance of the
   * words from their places. A weight below 0 lowers scores.
   */
  readonly weight?: number | undefined;
}

/** The parts of a query that demand something, or prefer it. */
export interface Demands {
  /** What hits have. Without a text, the query is searched by these words. */
  readonly must?: readonly Clause[] | undefined;
  /** What hits do not have. */
  readonly mustNot?: readonly Clause[] | undefined;
  /** Phrases that add to the scores of hits. They change the order of hits and never add a hit. */
  readonly prefer?: readonly PreferredPhrase[] | undefined;
}

/** The names of the parts. */
export const DEMANDS: KnownOptions<Demands> = { must: true, mustNot: true, prefer: true };

/** The most entries of `must`, `mustNot` and `prefer`, each. */
export const MOST_CLAUSES = 64;
/** The largest slop: words that are farther away are hardly a phrase. */
export const MOST_SLOP = 100;
/** Weights of phrases are at most this, as those of boosts. */
export const MOST_PHRASE_WEIGHT = 1e6;

const PHRASE: KnownOptions<PreferredPhrase> = { phrase: true, slop: true, weight: true };

/** Whether a query demands or prefers something. */
export function hasDemands(query: string | Demands): query is Demands {
  if (typeof query === "string") return false;
  return query.must !== undefined || query.mustNot !== undefined || query.prefer !== undefined;
}

/** Throws if the demands of a query are wrong. */
export function checkDemands({ must, mustNot, prefer }: Demands): void {
  for (const [name, clauses] of Object.entries({ must, mustNot, prefer })) {
    if (clauses === undefined) continue;
    const expected = name === "prefer" ? "a list of phrases" : "a list of texts and phrases";
    if (!Array.isArray(clauses)) throw wrongValueError(`the query's ${name}`, expected, clauses);
    if (clauses.length > MOST_CLAUSES)
      throw new UsageError(
        `the query's ${name} has ${clauses.length} entries, expected at most ${MOST_CLAUSES}`,
      );
    for (const [i, clause] of clauses.entries()) checkClause(clause, `${name}[${i}]`, name === "prefer");
  }
}

function checkClause(clause: unknown, path: string, isPreferred: boolean): void {
  if (typeof clause === "string" && !isPreferred) return;
  const expected = isPreferred ? "{ phrase: … }" : "a text or { phrase: … }";
  if (!isObject(clause)) throw wrongValueError(path, expected, clause);
  for (const name of Object.keys(clause)) {
    if (!Object.hasOwn(PHRASE, name) || (name === "weight" && !isPreferred))
      throw unknownNameError(name, isPreferred ? Object.keys(PHRASE) : ["phrase", "slop"], `${path} has no`);
  }
  const { phrase, slop, weight } = clause as Partial<PreferredPhrase>;
  if (typeof phrase !== "string") throw new UsageError(`${path}.phrase is ${shown(phrase)}, expected a text`);
  checkNumber(`${path}.slop`, slop, { least: 0, most: MOST_SLOP, isWhole: true });
  checkNumber(`${path}.weight`, weight, { least: -MOST_PHRASE_WEIGHT, most: MOST_PHRASE_WEIGHT });
}
