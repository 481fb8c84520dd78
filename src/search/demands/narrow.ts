// Splits a query into what is ranked and what hits must satisfy. Its parts and the operators in its text say what hits must
// satisfy. A query for documents like another becomes the query that finds them, and the ids that it leaves out.

import type { Condition } from "../../documents/filter.ts";
import {
  type Clause,
  clauseField,
  clauseText,
  type Demands,
  distinctClauses,
  hasDemands,
  isBeginning,
  MOST_BEGINNINGS,
  MOST_CLAUSES,
  type PreferredPhrase,
} from "../../query/ask/clause.ts";
import type { Notice } from "../../query/ask/notice.ts";
import {
  type PlainQuery,
  type Query,
  type QueryParts,
  toQueryParts,
  withoutDemands,
} from "../../query/ask/query.ts";
import { joinTexts, type TextPiece } from "../../query/ask/text-piece.ts";
import { listFieldNames } from "../../store/snapshot/fields.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { showValue } from "../../support/options/options.ts";
import { hasWords, textFieldsIn } from "../../weigh/weighting.ts";
import { findClauseTerms } from "./clause-terms.ts";
import { type LikeReader, resolveLike } from "./like.ts";
import { mayNameFields, parseSyntax, type SyntaxFields } from "./syntax.ts";
import { findSyntaxHints } from "./syntax-hints.ts";
import { requireTextField } from "./text-field-number.ts";

/** The demands and preferences of one query, beside the filter of the search. */
export interface Narrowing {
  readonly must: readonly Clause[];
  readonly mustNot: readonly Clause[];
  readonly prefer: readonly PreferredPhrase[];
  readonly conditions: readonly Condition[];
}

/** A query without its demands, and the demands beside it. */
export interface NarrowedQuery {
  readonly query: PlainQuery;
  /** Undefined if it demands nothing. */
  readonly narrowing?: Narrowing | undefined;
  /** Ids that must not be among its hits, such as the document that its `like` names. The search may exclude more. */
  readonly excludedIds?: readonly string[] | undefined;
  /** What the answer must say about operators and fields. */
  readonly notices?: readonly Notice[] | undefined;
}

/** What taking demands out of queries needs of an index. */
export interface NarrowedIndex {
  readonly snapshot: Snapshot;
  /** Reads documents that queries name. By default the segments of the snapshot are read. */
  readonly likeReader?: LikeReader;
}

/** Takes demands out of queries. `syntax`: their texts have operators. If none has demands, nothing is awaited. */
export function narrowQueries(
  index: NarrowedIndex,
  queries: readonly Query[],
  syntax: boolean,
): NarrowedQuery[] | Promise<NarrowedQuery[]> {
  const inParts = queries.map(toQueryParts);
  return syntax || inParts.some((query) => query.like !== undefined || hasDemands(query))
    ? narrowEach(index, inParts, syntax)
    : inParts.map((query) => ({ query: query as PlainQuery }));
}

async function narrowEach(
  { snapshot, likeReader }: NarrowedIndex,
  queries: readonly QueryParts[],
  syntax: boolean,
): Promise<NarrowedQuery[]> {
  const mayName = syntax && queries.some(({ text = "" }) => mayNameFields(text));
  const fields = mayName ? await listFieldNames(snapshot) : new Set<string>();
  const narrow = (query: QueryParts): NarrowedQuery | Promise<NarrowedQuery> => {
    const { must, mustNot, prefer, like } = query;
    if (like !== undefined) return resolveLike(snapshot, like, likeReader);
    const plain = withoutDemands(query);
    for (const [part, clauses] of Object.entries({ must, mustNot, prefer }))
      for (const [i, clause] of (clauses ?? []).entries())
        requireTextField(snapshot, clauseField(clause), `${part}[${i}].field`);
    const structured = takeDemandsOut(snapshot, plain, { must, mustNot, prefer });
    const narrowed =
      syntax && plain.text !== undefined
        ? takeOperatorsOut(snapshot, structured, plain.text, fields)
        : structured;
    checkWithinLimits(narrowed);
    if (canRank(plain, narrowed)) return narrowed;
    return { ...narrowed, notices: [NO_WORD, ...(narrowed.notices ?? [])] };
  };
  return Promise.all(queries.map(narrow));
}

const NO_WORD: Notice = {
  code: "no_word",
  message: "the query has no word to rank by, so there are no hits",
};

/** Whether something is left to rank by, or the query was empty as it was given. */
function canRank(given: PlainQuery, { query, narrowing }: NarrowedQuery): boolean {
  const { text = "", weights, row, vector } = query;
  const isEmptied = narrowing !== undefined || (given.text ?? "").trim() !== "";
  return !isEmptied || text.trim() !== "" || [weights, row, vector].some((part) => part !== undefined);
}

/** Throws if a query asks for too much. An operator in its text counts like an entry of `must` or `mustNot`. */
function checkWithinLimits({ query, narrowing }: NarrowedQuery): void {
  const { must = [], mustNot = [], conditions = [] } = narrowing ?? {};
  const lists = { "must have": must, "must not have": mustNot, "must have in their fields": conditions };
  for (const [what, { length }] of Object.entries(lists))
    if (length > MOST_CLAUSES)
      throw new SluiceError(
        `the query names ${length} things that hits ${what}, expected at most ${MOST_CLAUSES}`,
        "leave some out, or search without syntax",
      );
  const { pieces = [] } = query;
  const ofPieces = pieces.filter((piece) => piece.isBeginning).map(({ text }) => text);
  const beginnings = new Set([...ofPieces, ...[...must, ...mustNot].filter(isBeginning).map(clauseText)]);
  if (beginnings.size > MOST_BEGINNINGS)
    throw new SluiceError(
      `the query has ${beginnings.size} different beginnings of words, such as ${showValue([...beginnings][0])}, ` +
        `expected at most ${MOST_BEGINNINGS}`,
      "write some of the words in full",
    );
}

/** A query whose parts alone demand something. Without a text it is searched by the words that hits must have. */
function takeDemandsOut(
  snapshot: Snapshot,
  query: PlainQuery,
  { must = [], mustNot = [], prefer = [] }: Demands,
): NarrowedQuery {
  const isWordless = Object.values(query).every((part) => part === undefined);
  const isNarrowed = must.length + mustNot.length + prefer.length > 0;
  const { query: asked, notices } = isWordless
    ? cutIntoPieces(snapshot, {}, must.map(toPiece))
    : { query, notices: [] };
  return {
    query: asked,
    ...(isNarrowed && {
      narrowing: {
        must: distinctClauses(must),
        mustNot: distinctClauses(mustNot),
        prefer: prefer.map((each) => (typeof each === "string" ? { phrase: each } : each)),
        conditions: [],
      },
    }),
    ...(notices.length > 0 && { notices }),
  };
}

/** The words of a clause, as a piece of a text. */
function toPiece(clause: Clause): TextPiece {
  return { text: clauseText(clause), field: clauseField(clause), isBeginning: isBeginning(clause) };
}

/** Takes the operators out of a query's text, and adds what they demand to its narrowing. */
function takeOperatorsOut(
  snapshot: Snapshot,
  { query, narrowing, notices: ofParts = [] }: NarrowedQuery,
  typed: string,
  fields: ReadonlySet<string>,
): NarrowedQuery {
  const textFields = textFieldNames(snapshot);
  const named = toSyntaxFields(fields, textFields);
  const { pieces, must, mustNot, conditions, leftOut } = parseSyntax(typed, named);
  const isNarrowed = narrowing || must.length + mustNot.length + conditions.length > 0;
  const { query: plain, notices } = cutIntoPieces(snapshot, query, pieces);
  notices.push(...ofParts);
  notices.push(...findSyntaxHints(typed, named).map((message): Notice => ({ code: "no_operator", message })));
  notices.push(...leftOut.map((field) => leftOutNotice(field, [...textFields])));
  if (!isNarrowed) return { query: plain, ...(notices.length > 0 && { notices }) };
  const loosePhrases: string[] = [];
  const possible = (clauses: readonly Clause[]) =>
    clauses.map((clause) => phraseAsWords(snapshot, clause, loosePhrases));
  const narrowed = {
    must: distinctClauses([...(narrowing?.must ?? []), ...possible(must)]),
    mustNot: distinctClauses([...(narrowing?.mustNot ?? []), ...possible(mustNot)]),
    prefer: narrowing?.prefer ?? [],
    conditions,
  };
  if (loosePhrases.length > 0) notices.push(looseNotice(loosePhrases));
  return { query: plain, narrowing: narrowed, ...(notices.length > 0 && { notices }) };
}

function textFieldNames({ weighting }: Snapshot): ReadonlySet<string> {
  return new Set(textFieldsIn(weighting)?.map(({ name }) => name));
}

function toSyntaxFields(fields: ReadonlySet<string>, textFields: ReadonlySet<string>): SyntaxFields {
  return { isField: (name) => fields.has(name), isTextField: (name) => textFields.has(name) };
}

/** What the names before colons in a text mean in an index. */
export async function readSyntaxFields(snapshot: Snapshot, text: string): Promise<SyntaxFields> {
  const fields = mayNameFields(text) ? await listFieldNames(snapshot) : new Set<string>();
  return toSyntaxFields(fields, textFieldNames(snapshot));
}

/** A query with a text in pieces, as far as the index can tell them apart. */
function cutIntoPieces(
  { slicingSettings: settings, weighting }: Snapshot,
  query: PlainQuery,
  pieces: readonly TextPiece[],
): { readonly query: PlainQuery; readonly notices: Notice[] } {
  const isFull = settings.strategy === "full";
  const used = pieces.map((piece): TextPiece => {
    const { text, field } = piece;
    const inField = isFull && field !== undefined && { field };
    return { text, ...inField, ...(piece.isBeginning && hasWords(weighting) && { isBeginning: true }) };
  });
  const joined = joinTexts(used);
  const text = pieces.map((piece) => piece.text).join(" ");
  const isAnywhere = !isFull && pieces.some(({ field }) => field !== undefined);
  return {
    query: { ...query, text, ...(joined && { pieces: joined }) },
    notices: isAnywhere ? [ANYWHERE] : [],
  };
}

const ANYWHERE: Notice = {
  code: "words_anywhere",
  message:
    "words of a field count in the ranking wherever they stand, because rows of this index have no slot for every term; " +
    'build it with dims: "full"',
};

function leftOutNotice(field: string, textFields: readonly string[]): Notice {
  const why =
    textFields.length > 0
      ? `${field} is no text field of this index (${textFields.join(", ")})`
      : "this index reads title and text as one text";
  const message =
    `${field}: was left out, because ${why}, so the words after it count wherever they stand; ` +
    `build the index with fieldWeights: { title: 3, text: 1 } to search the ${field} alone`;
  return { code: "field_left_out", message };
}

/** What a user types is never refused: without positions, hits have the words of a phrase anywhere, and the answer says so. */
function phraseAsWords(snapshot: Snapshot, clause: Clause, loosePhrases: string[]): Clause {
  if (typeof clause === "string") return clause;
  const { field } = clause;
  if ("text" in clause) return hasWords(snapshot.weighting) ? clause : { text: clause.text, field };
  if (snapshot.keepsPositions) return clause;
  const terms = findClauseTerms(snapshot, clause.phrase);
  if (terms !== "unknown" && terms.length > 1) loosePhrases.push(clause.phrase);
  return { text: clause.phrase, field };
}

function looseNotice(phrases: readonly string[]): Notice {
  const named = phrases.map((phrase) => JSON.stringify(phrase)).join(" and ");
  return {
    code: "loose_phrase",
    message: `the index does not keep positions, so the words of ${named} count wherever they stand; build it with positions: true`,
  };
}
