// Queries and a snapshot of an index → ranked documents. Every kind of index uses it, in memory, in a folder or in a browser.

import { droppedTerms } from "../densify/counts.ts";
import type { Fields } from "../documents/document.ts";
import type { Condition } from "../documents/filter.ts";
import { UsageError } from "../errors.ts";
import { checkQueries, type Query, type QueryTerm } from "../query/query.ts";
import type { AskedQuery, QueryEncoder, QueryTextEncoder } from "../query/query-encoder.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { wrong } from "../support/options.ts";
import { Turns } from "../support/turns.ts";
import type { Scored } from "./best.ts";
import { leastMeaningfulScore, normOf } from "./made-up.ts";
import type { EngineStats, SearchStats } from "./ranking.ts";
import type { RerankPart } from "./rerank-parts.ts";
import type { SearchOptions } from "./search-options.ts";
import { type SearchResources, type SnapshotOptions, searchSnapshot } from "./search-snapshot.ts";

/** A document that a search found. `Hit<Fields<Article>>` is one of your own documents. */
export interface Hit<FieldsType = Fields> {
  readonly id: string;
  /** lexical + semantic. */
  readonly score: number;
  readonly lexical: number;
  /** λ included. */
  readonly semantic: number;
  /**
   * The document as it was given, without id, weights and vector. It is read when you use it. It throws
   * `ERR_SLUICE_CLOSED` after `close`, 30 seconds after the index moves on to a later commit, and as soon as it has moved on
   * nine times. To keep a hit longer, use `structuredClone(hit)`, or read `document` at once.
   */
  readonly document: FieldsType;
  /** If the search was reranked: why the hit is at its place. `score` is still that of the first stage. */
  readonly rerank?: RerankPart;
}

/** What a search returns. */
export interface Answer<FieldsType = Fields> {
  readonly hits: Hit<FieldsType>[];
  /** What happened to each term of the query. */
  readonly terms: readonly QueryTerm[];
  readonly stats: SearchStats;
  /** Says how the answer differs from what was asked: only words were searched, because the query has no vector. */
  readonly notice?: string;
}

/** @internal An answer whose documents are not read yet. */
interface Ranked extends Pick<Answer, "terms" | "stats" | "notice"> {
  readonly docs: readonly Scored[];
}

/** The options of a search, with its filter checked and its λ known. */
interface CheckedOptions extends Omit<SearchOptions, "filter"> {
  readonly condition?: Condition | undefined;
  readonly lambda: number;
}

/** The most queries that are searched together. They share what is read. More: more memory for scores and candidates. */
const BATCH_QUERIES = 256;

/** @internal The rankings of queries that have the same options. */
export function answerQueries<EncoderType extends QueryTextEncoder>(
  snapshot: Snapshot,
  queryEncoder: QueryEncoder<EncoderType>,
  queries: readonly Query[],
  options: CheckedOptions,
  resources: SearchResources,
  turns = new Turns(options.signal),
): Promise<Ranked[]> {
  checkQueries(queries);
  const { offset = 0, condition, exclude = [] } = options;
  turns.signal?.throwIfAborted();
  const excluded = new Set<number>();
  for (const id of exclude) {
    const doc = snapshot.docOf(id);
    if (doc !== undefined) excluded.add(doc);
  }
  const where = { offset, excluded, turns, ...(condition && { condition }), ...resources };
  const context = { snapshot, queryEncoder, options, resources, where, turns };
  return queries.length <= BATCH_QUERIES ? answerBatch(context, queries) : answerInBatches(context, queries);
}

/** What is the same for all questions of a search. */
interface SearchContext<EncoderType extends QueryTextEncoder> {
  readonly snapshot: Snapshot;
  readonly queryEncoder: QueryEncoder<EncoderType>;
  readonly options: CheckedOptions;
  readonly resources: SearchResources;
  readonly where: SnapshotOptions;
  readonly turns: Turns;
}

async function answerInBatches<EncoderType extends QueryTextEncoder>(
  context: SearchContext<EncoderType>,
  queries: readonly Query[],
): Promise<Ranked[]> {
  const ranked: Ranked[] = [];
  for (let from = 0; from < queries.length; from += BATCH_QUERIES) {
    ranked.push(...(await answerBatch(context, queries.slice(from, from + BATCH_QUERIES))));
  }
  return ranked;
}

async function answerBatch<EncoderType extends QueryTextEncoder>(
  context: SearchContext<EncoderType>,
  queries: readonly Query[],
): Promise<Ranked[]> {
  if (queries.length === 0) return [];
  const { snapshot, queryEncoder, options, where, turns } = context;
  const { k = 10, plan = { kind: "auto" }, lambda } = options;
  const asked = await queryEncoder.encodedAll(snapshot, queries, lambda, turns);
  turns.signal?.throwIfAborted();
  const requests = asked.map(({ row, vector, notice }) => {
    return { row, ...(vector && { vector }), lambda: notice ? 0 : lambda, k, plan };
  });
  const rankings = await searchSnapshot(snapshot, requests, where);
  const dropped = droppedTerms(snapshot.counts);
  const ranked: Ranked[] = [];
  for (let i = 0; i < rankings.length; i++) {
    const { docs, stats: engineStats } = rankings[i];
    const stats: SearchStats = withDroppedTerms(engineStats, dropped);
    const { terms, isEmpty, notice } = asked[i];
    if (isEmpty) {
      ranked.push({ docs: [], terms, stats: { ...stats, answeredBy: "nothing" } });
    } else if (isByMeaning(asked[i])) {
      const cut = Math.max(options.minScore ?? 0, await leastScore(context, asked[i]));
      ranked.push({ docs: scoringAtLeast(docs, cut), terms, stats: { ...stats, answeredBy: "meaning" } });
    } else {
      const hits = scoringAtLeast(docs, options.minScore);
      ranked.push({ docs: hits, terms, stats, ...(notice && { notice }) });
    }
  }
  return ranked;
}

/** Adds to the object itself: a copy of all its fields would take longer than a short search does. */
function withDroppedTerms(stats: EngineStats, droppedTerms: number): SearchStats {
  return Object.assign(stats, { droppedTerms });
}

/** Whether the index knows no word of a question, so that its vector must say something. */
function isByMeaning({ isByModel, terms }: AskedQuery): boolean {
  return isByModel && terms.every(({ fate }) => fate === "unknown");
}

/** What a document must score to be a hit of such a question. */
async function leastScore<EncoderType extends QueryTextEncoder>(
  { snapshot, queryEncoder, options, resources, turns }: SearchContext<EncoderType>,
  { terms, vector }: AskedQuery,
): Promise<number> {
  const least = await turns.until(leastMeaningfulScore(snapshot, queryEncoder, terms, resources));
  return options.lambda * normOf(vector!) * least;
}

function scoringAtLeast(docs: readonly Scored[], least: number | undefined): readonly Scored[] {
  return least === undefined ? docs : docs.filter(({ score }) => score >= least);
}

/** @internal The doc of the document with an id. Throws if there is none. */
export function docOf(snapshot: Snapshot, id: string): number {
  if (typeof id !== "string") throw wrong("an id", "a text", id);
  const doc = snapshot.docOf(id);
  if (doc === undefined) throw noDocument(id);
  return doc;
}

/** @internal */
export function noDocument(id: string): UsageError {
  return new UsageError(`no document has the id ${JSON.stringify(id)}`, undefined, "ERR_SLUICE_NO_DOCUMENT");
}
