// Queries that demand something of their hits → queries without demands, and the demands: those of their parts, and those of
// the operators in their texts.

import { type Clause, type Demands, hasDemands } from "../../query/clause.ts";
import { clauseTerms } from "../../query/clause-terms.ts";
import { type Query, type QueryParts, queryParts } from "../../query/query.ts";
import { mayNameFields, parseSyntax } from "../../query/syntax.ts";
import { fieldNames } from "../../store/snapshot/fields.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import type { Narrowing } from "./demands.ts";

/** A query without demands. */
export interface NarrowedQuery {
  readonly query: Query;
  /** Undefined if it demands nothing. */
  readonly narrowing?: Narrowing | undefined;
  /** What the answer must say about operators. */
  readonly notice?: string | undefined;
}

/** Whether the queries of a search have to be read by `narrowedQueries`. */
export function needsNarrowing(queries: readonly Query[], syntax: boolean | undefined): boolean {
  return syntax === true || queries.some(hasDemands);
}

/** Reads queries. `syntax`: their texts have operators. */
export async function narrowedQueries(
  snapshot: Snapshot,
  queries: readonly Query[],
  syntax: boolean | undefined,
): Promise<NarrowedQuery[]> {
  const texts = queries.map((query) => queryParts(query).text ?? "");
  const fields = syntax && texts.some(mayNameFields) ? await fieldNames(snapshot) : new Set<string>();
  return queries.map((query) => {
    const { must, mustNot, prefer, ...plain } = queryParts(query);
    const structured = withoutDemands(plain, { must, mustNot, prefer });
    return syntax && plain.text !== undefined
      ? withOperators(snapshot, structured, plain.text, fields)
      : structured;
  });
}

/** A query whose parts alone demand something. Without a text it is searched by the words that hits must have. */
function withoutDemands(query: QueryParts, { must = [], mustNot = [], prefer = [] }: Demands): NarrowedQuery {
  const isWordless = Object.values(query).every((part) => part === undefined);
  const words = must.map((clause) => (typeof clause === "string" ? clause : clause.phrase));
  const isNarrowed = must.length + mustNot.length + prefer.length > 0;
  return {
    query: isWordless ? { text: words.join(" ") } : query,
    ...(isNarrowed && { narrowing: { must, mustNot, prefer, conditions: [] } }),
  };
}

/** The same query, with what the operators of its text demand. */
function withOperators(
  snapshot: Snapshot,
  { query, narrowing }: NarrowedQuery,
  typed: string,
  fields: ReadonlySet<string>,
): NarrowedQuery {
  const { text, must, mustNot, conditions, leftOut } = parseSyntax(typed, (name) => fields.has(name));
  const isNarrowed = narrowing || must.length + mustNot.length + conditions.length > 0;
  const plain = { ...queryParts(query), text };
  const notices = leftOut.map(leftOutNotice);
  if (!isNarrowed) return { query: plain, ...noticeOf(notices) };
  const loosePhrases: string[] = [];
  const possible = (clauses: readonly Clause[]) =>
    clauses.map((clause) => phraseAsWords(snapshot, clause, loosePhrases));
  const narrowed = {
    must: [...(narrowing?.must ?? []), ...possible(must)],
    mustNot: [...(narrowing?.mustNot ?? []), ...possible(mustNot)],
    prefer: narrowing?.prefer ?? [],
    conditions,
  };
  if (loosePhrases.length > 0) notices.push(looseNotice(loosePhrases));
  return { query: plain, narrowing: narrowed, ...noticeOf(notices) };
}

function noticeOf(notices: readonly string[]): { readonly notice?: string } {
  return notices.length === 0 ? {} : { notice: notices.join("; ") };
}

function leftOutNotice(field: string): string {
  return `${field}: is no filter, because the ${field} is searched by words, so the words after it count wherever they stand`;
}

/** What a user types is never refused: without positions, hits have the words of a phrase anywhere, and the answer says so. */
function phraseAsWords(snapshot: Snapshot, clause: Clause, loosePhrases: string[]): Clause {
  if (typeof clause === "string" || snapshot.keepsPositions) return clause;
  const terms = clauseTerms(snapshot, clause.phrase);
  if (terms !== "unknown" && terms.length > 1) loosePhrases.push(clause.phrase);
  return clause.phrase;
}

function looseNotice(phrases: readonly string[]): string {
  const named = phrases.map((phrase) => JSON.stringify(phrase)).join(" and ");
  return `the index does not keep positions, so the words of ${named} count wherever they stand; build it with positions: true`;
}
