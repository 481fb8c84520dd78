// Clauses of a query, and their checks: words and phrases that hits must have or must not have, or that add to scores.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import {
  checkBoolean,
  checkNumber,
  formatCount,
  isObject,
  type KnownOptions,
  showValue,
  unknownNameError,
  wrongValueError,
} from "../../support/options/options.ts";

/** Words of a document. */
export interface WordsClause {
  readonly text: string;
  /** The text field that has them; any text of the document by default. */
  readonly field?: string | undefined;
  /** Whether the last word may be the beginning of a longer one: "can" is then also canal. */
  readonly prefix?: boolean | undefined;
}

/** Words that stand side by side, in this order. */
export interface Phrase {
  readonly phrase: string;
  /** The text field that has them; any text of the document by default. */
  readonly field?: string | undefined;
  /**
   * How far the words may be from their places; 0 by default. With 1, one word may stand between two others; with 2, two
   * neighbors may have changed places.
   */
  readonly slop?: number | undefined;
}

/** A text, or words of a field: a document has all of them, in any order. Or a phrase, for which the index must keep positions. */
export type Clause = string | WordsClause | Phrase;

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
  /** Phrases that add to the scores of hits; a text is one of them. They change the order of hits and never add a hit. */
  readonly prefer?: readonly (string | PreferredPhrase)[] | undefined;
}

/** The names of the parts. */
export const DEMANDS: KnownOptions<Demands> = { must: true, mustNot: true, prefer: true };

/** The most UTF-16 units of a text in a query. With more, reading it would keep other work waiting for longer than 0.1 s. */
const LONGEST_QUERY = 2 ** 18;
/** The most entries of `must`, `mustNot` and `prefer`, each, with what the operators of a text add. More: a query takes longer. */
export const MOST_CLAUSES = 64;
/** The most different beginnings, such as can*, of a query. Each may stand for every term of an index. */
export const MOST_BEGINNINGS = 16;
/** The largest slop: words that are farther away are hardly a phrase. */
export const MOST_SLOP = 100;
/** Weights of phrases are at most this, as those of boosts. */
export const MOST_PHRASE_WEIGHT = 1e6;

const WORDS: KnownOptions<WordsClause> = { text: true, field: true, prefix: true };
const PHRASE: KnownOptions<Phrase> = { phrase: true, field: true, slop: true };
const PREFERRED: KnownOptions<PreferredPhrase> = { ...PHRASE, weight: true };

/** The text of a clause. */
export function clauseText(clause: Clause): string {
  if (typeof clause === "string") return clause;
  return "phrase" in clause ? clause.phrase : clause.text;
}

/** The text field that a clause names. */
export function clauseField(clause: Clause): string | undefined {
  return typeof clause === "string" ? undefined : clause.field;
}

/** A demand as operators write it. */
export function demandText(clause: Clause, sign: "+" | "-"): string {
  const field = clauseField(clause);
  const isPhrase = typeof clause !== "string" && "phrase" in clause;
  const slop = isPhrase && clause.slop ? `~${clause.slop}` : "";
  const words = isPhrase ? `${JSON.stringify(clause.phrase)}${slop}` : clauseText(clause);
  const shownSign = sign === "+" && (isPhrase || field !== undefined) ? "" : sign;
  return `${shownSign}${field === undefined ? "" : `${field}:`}${words}${isBeginning(clause) ? "*" : ""}`;
}

/** Whether the last word of a clause is a beginning. */
export function isBeginning(clause: Clause): boolean {
  return typeof clause !== "string" && "text" in clause && clause.prefix === true;
}

/** Each clause once: asking twice for the same changes nothing. */
export function distinctClauses(clauses: readonly Clause[]): Clause[] {
  return [...new Map(clauses.map((clause) => [clauseKey(clause), clause])).values()];
}

/** Equal for clauses that ask for the same. */
function clauseKey(clause: Clause): string {
  const slop = typeof clause !== "string" && "phrase" in clause ? (clause.slop ?? 0) : undefined;
  return JSON.stringify([clauseText(clause), clauseField(clause), isBeginning(clause), slop]);
}

/** Whether a query demands or prefers something. */
export function hasDemands(query: string | Demands): query is Demands {
  if (typeof query === "string") return false;
  return query.must !== undefined || query.mustNot !== undefined || query.prefer !== undefined;
}

/** Throws if a text is too long to be read at once. */
export function checkQueryLength(what: string, { length }: string): void {
  if (length <= LONGEST_QUERY) return;
  throw new SluiceError(
    `${what} has ${formatCount(length)} characters, expected at most ${formatCount(LONGEST_QUERY)}`,
    "search by a part of it; { like: ID } finds documents like one of the index",
  );
}

/** Throws if the demands of a query are wrong. */
export function checkDemands({ must, mustNot, prefer }: Demands): void {
  for (const [name, clauses] of Object.entries({ must, mustNot, prefer })) {
    if (clauses === undefined) continue;
    const named = `\`${name}\` of the query`;
    if (!Array.isArray(clauses))
      throw new SluiceError(
        `${named} is a list of texts and phrases, not ${showValue(clauses)}`,
        "put it into a list: [ … ]",
      );
    if (clauses.length > MOST_CLAUSES)
      throw new SluiceError(`${named} has ${clauses.length} entries, expected at most ${MOST_CLAUSES}`);
    for (const [i, clause] of clauses.entries()) checkClause(clause, `${name}[${i}]`, name === "prefer");
  }
}

function checkClause(clause: unknown, path: string, isPreferred: boolean): void {
  if (typeof clause === "string") {
    checkQueryLength(path, clause);
    return;
  }
  const expected = isPreferred ? "a text or { phrase: … }" : "a text, { text: … } or { phrase: … }";
  if (!isObject(clause)) throw wrongValueError(path, expected, clause);
  const isWords = !isPreferred && "text" in clause && !("phrase" in clause);
  const known = isPreferred ? PREFERRED : isWords ? WORDS : PHRASE;
  for (const name of Object.keys(clause))
    if (!Object.hasOwn(known, name)) throw unknownNameError(name, Object.keys(known), `${path} has no`);
  const { text, phrase, field, prefix, slop, weight } = clause as Partial<WordsClause & PreferredPhrase>;
  const [part, value] = isWords ? ["text", text] : ["phrase", phrase];
  if (typeof value !== "string")
    throw new SluiceError(`${path}.${part} is ${showValue(value)}, expected a text`);
  checkQueryLength(`${path}.${part}`, value);
  if (field !== undefined && typeof field !== "string")
    throw wrongValueError(`${path}.field`, "the name of a text field", field);
  checkBoolean(`${path}.prefix`, prefix);
  checkNumber(`${path}.slop`, slop, { least: 0, most: MOST_SLOP, isWhole: true });
  checkNumber(`${path}.weight`, weight, { least: -MOST_PHRASE_WEIGHT, most: MOST_PHRASE_WEIGHT });
}
