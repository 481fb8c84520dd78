// The conductor of a search: queries and an index → answers. The steps of a search, and where each of them is:
//
//   check the options                            search-options.ts
//   take demands and operators out of queries    narrow.ts, demands.ts
//   prepare the queries: rows and vectors        query/query-preparer.ts
//   find out which documents may be hits         search-snapshot.ts
//   load what fields add to scores               boosts.ts
//   change the weights of text fields            reweighed.ts
//   find and rank documents, in two stages       rank/engine.ts → scan/
//   cut off what only seems to be near           meaning-threshold.ts
//   count, sort and group, if that is asked for  shaped.ts
//   make hits of documents                       hits.ts, or fetched in a page; snippets.ts
//   reorder the best hits                        rerank.ts
//
// Every index uses it: in memory, in a folder, or in a page.

import { droppedTerms } from "../densify/counts.ts";
import { checkBoosts } from "../documents/boost.ts";
import type { Fields } from "../documents/document.ts";
import { type Condition, checkFilter } from "../documents/filter.ts";
import { shownTexts } from "../query/highlights.ts";
import { likeOf } from "../query/like.ts";
import { planOf } from "../query/plan.ts";
import { checkQueries, type Query, type QueryTerm } from "../query/query.ts";
import type { PreparedQuery, QueryPreparer } from "../query/query-preparer.ts";
import type { EngineRequest } from "../query/stage-plan.ts";
import { wordRules } from "../query/words/word-options.ts";
import type { ScoredDoc } from "../rank/best-documents.ts";
import type { EngineStats, Ranking } from "../rank/ranking.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { Turns } from "../support/work/turns.ts";
import { textFieldsIn, type Weighting } from "../weigh/weighting.ts";
import type { Answer, Hit, SearchStats } from "./answer.ts";
import { fieldsNeeded, isShaped } from "./answer-options.ts";
import { meetingDocuments, phraseBoosts } from "./demands.ts";
import { fieldNotice } from "./field-notice.ts";
import { isAnsweredByMeaning, meaningThreshold } from "./meaning-threshold.ts";
import { type NarrowedQuery, narrowedQueries, needsNarrowing } from "./narrow.ts";
import { firstStageOptions, rerankAnswers } from "./rerank.ts";
import type { PairScorer, RerankOptions } from "./rerank-options.ts";
import { reweighed, searchedWeights } from "./reweighed.ts";
import { checkSearchOptions, DEFAULT_K, type SearchOptions } from "./search-options.ts";
import { type SearchResources, type SnapshotOptions, searchSnapshot } from "./search-snapshot.ts";
import { rankShaped } from "./shaped.ts";
import { snippetsOf } from "./snippets.ts";

/** @internal What a search needs of an index. */
export interface SearchedIndex {
  readonly snapshot: Snapshot;
  readonly preparer: QueryPreparer;
  readonly runtime: {
    /** Opens what a search needs. The first call may start threads. */
    openResources(): SearchResources;
    /** The cross-encoder that was given, or that of a folder. */
    rerankerFor(model: RerankOptions["model"]): Promise<PairScorer>;
  };
  /** Ranks documents that are in no segment of this process. Left out: the segments of the snapshot are searched. */
  rank?(requests: readonly EngineRequest[], where: RankedWhere): Promise<Ranking[]>;
  /** The hits of each ranking. */
  hitsOf(snapshot: Snapshot, rankings: readonly (readonly ScoredDoc[])[], turns: Turns): Promise<Hit[][]>;
  /** Throws if the index lacks a field that a filter or a boost needs. */
  checkCondition?(condition: Condition): void;
}

/** @internal Which documents may be hits, for an index that ranks them elsewhere. */
export interface RankedWhere extends Pick<SnapshotOptions, "condition" | "offset" | "turns"> {
  /** Ids of documents that must not be hits. */
  readonly excludedIds?: readonly string[];
}

/** The most queries that are searched together. They share what is read. More: more memory for scores and candidates. */
const BATCH_QUERIES = 256;

/** @internal Answers queries that have the same options. `what` names the caller's function in errors. */
export async function searchIndex<FieldsType>(
  index: SearchedIndex,
  queries: readonly Query[],
  options: SearchOptions,
  what: string,
): Promise<Answer<FieldsType>[]> {
  checkSearchOptions(options, what);
  checkQueries(queries);
  const { rerank, signal } = options;
  signal?.throwIfAborted();
  const turns = new Turns(signal);
  const asked = needsNarrowing(queries, options.syntax)
    ? await turns.until(narrowedQueries(index.snapshot, queries, options.syntax))
    : undefined;
  const plain = asked ? asked.map(({ query }) => query) : queries;
  const ranked = await rankAll(index, plain, rerank ? firstStageOptions(options) : options, turns, asked);
  const rankings = ranked.map(({ docs }) => docs);
  const hits = (await index.hitsOf(index.snapshot, rankings, turns)) as Hit<FieldsType>[][];
  const weighting = options.snippets ? index.snapshot.weighting : undefined;
  const answers = ranked.map(({ docs: _, ...answer }, i): Answer<FieldsType> => {
    if (!weighting) return { hits: hits[i], ...answer };
    return { hits: withSnippets(weighting, hits[i], answer.terms, options.snippets), ...answer };
  });
  if (!rerank) return answers;
  const scorer = await index.runtime.rerankerFor(rerank.model);
  return rerankAnswers(answers, plain, scorer, options, textFieldsIn(index.snapshot.weighting));
}

/**
 * Ranks documents for all queries. A `like` query leaves out the document that it names, and a query with demands allows only
 * some documents. Other weights of text fields change other documents for each query. Such queries are searched one by one.
 */
async function rankAll(
  index: SearchedIndex,
  queries: readonly Query[],
  options: SearchOptions,
  turns: Turns,
  asked: readonly NarrowedQuery[] | undefined,
): Promise<RankedAnswer[]> {
  const isNarrowed = asked?.some(({ narrowing }) => narrowing !== undefined) ?? false;
  const isPlain = queries.every((query) => likeOf(query) === undefined) && !options.fieldWeights;
  if (!isNarrowed && isPlain) return rankQueries(contextOf(index, options, turns), queries);
  const excluded = [...(options.exclude ?? [])];
  const ranked: RankedAnswer[] = [];
  for (const [i, query] of queries.entries()) {
    const like = likeOf(query);
    const exclude = like === undefined ? excluded : [...excluded, like];
    const context = contextOf(index, { ...options, exclude }, turns);
    ranked.push(...(await rankBatch(asked ? await narrowed(context, asked[i]) : context, [query])));
  }
  return ranked;
}

/** The context of a query with demands. */
async function narrowed(
  context: SearchContext,
  { narrowing, notice }: NarrowedQuery,
): Promise<SearchContext> {
  if (!narrowing) return context;
  const { snapshot, where, turns } = context;
  const meeting = await turns.until(meetingDocuments(snapshot, narrowing, where));
  const { prefer } = narrowing;
  const phrases = prefer.length > 0 ? await turns.until(phraseBoosts(snapshot, prefer)) : undefined;
  return { ...context, where: { ...where, meeting, ...(phrases && { phrases }) }, notice };
}

/** What is the same for all queries of a search. */
interface SearchContext extends Pick<SearchedIndex, "snapshot" | "preparer"> {
  readonly resources: SearchResources;
  readonly rank: (
    requests: readonly EngineRequest[],
    where: SnapshotOptions & RankedWhere,
  ) => Promise<Ranking[]>;
  readonly options: SearchOptions;
  readonly lambda: number;
  /** Which documents may be hits, and what they are searched with. */
  readonly where: SnapshotOptions & RankedWhere;
  readonly turns: Turns;
  /** Weights of text fields, if they are not those of the index. Then there is one query at a time. */
  readonly weights: readonly number[] | undefined;
  /** What an answer must say about the operators of its query. */
  readonly notice?: string | undefined;
}

function contextOf(index: SearchedIndex, options: SearchOptions, turns: Turns): SearchContext {
  const { snapshot, preparer } = index;
  const resources = index.runtime.openResources();
  const { offset = 0, filter, boosts: given = [], lambda = snapshot.lambda } = options;
  const excludedIds = [...(options.exclude ?? [])];
  const condition = filter && checkFilter(filter);
  if (condition) index.checkCondition?.(condition);
  for (const { field } of fieldsNeeded(options)) index.checkCondition?.({ kind: "exists", field });
  // One time for the whole search, so that all documents decay from the same origin.
  const boosts = given.length > 0 ? checkBoosts(given, Date.now()) : undefined;
  for (const { field } of boosts ?? []) index.checkCondition?.({ kind: "exists", field });
  const excludedDocs = new Set<number>();
  for (const id of excludedIds) {
    const doc = snapshot.docOf(id);
    if (doc !== undefined) excludedDocs.add(doc);
  }
  const where = {
    offset,
    excludedDocs,
    excludedIds,
    turns,
    boosts,
    ...(condition && { condition }),
    ...resources,
  };
  const rank = rankerOf(index);
  const weights = searchedWeights(snapshot, options.fieldWeights);
  return { snapshot, preparer, resources, rank, options, lambda, where, turns, weights };
}

/** @internal What ranks the documents of an index. */
export function rankerOf(index: Pick<SearchedIndex, "snapshot" | "rank">): SearchContext["rank"] {
  const { snapshot } = index;
  return (requests, where) => index.rank?.(requests, where) ?? searchSnapshot(snapshot, requests, where);
}

/** An answer whose documents are not read yet. */
interface RankedAnswer extends Omit<Answer, "hits"> {
  readonly docs: readonly ScoredDoc[];
}

function rankQueries(context: SearchContext, queries: readonly Query[]): Promise<RankedAnswer[]> {
  return queries.length <= BATCH_QUERIES ? rankBatch(context, queries) : rankInBatches(context, queries);
}

async function rankInBatches(context: SearchContext, queries: readonly Query[]): Promise<RankedAnswer[]> {
  const ranked: RankedAnswer[] = [];
  for (let from = 0; from < queries.length; from += BATCH_QUERIES) {
    ranked.push(...(await rankBatch(context, queries.slice(from, from + BATCH_QUERIES))));
  }
  return ranked;
}

async function rankBatch(context: SearchContext, queries: readonly Query[]): Promise<RankedAnswer[]> {
  if (queries.length === 0) return [];
  const { snapshot, preparer, options, lambda, turns } = context;
  const { k = DEFAULT_K, minScore } = options;
  const plan = planOf(options.plan);
  const prepared = await preparer.prepareAll(snapshot, queries, lambda, turns, wordRules(options));
  turns.signal?.throwIfAborted();
  const isReweighed = context.weights !== undefined && prepared[0].row.slices.length > 0;
  const plain = prepared.map(({ row, vector, notice }) => {
    const request = { row, ...(vector && { vector }), lambda: notice ? 0 : lambda, k, plan };
    return isReweighed ? { ...request, isReweighed } : request;
  });
  const where = isReweighed ? await withWeights(context, plain[0]) : context.where;
  const { boosts, phrases } = where;
  const isBoosted = boosts !== undefined || phrases !== undefined;
  const requests = isBoosted ? await boosted(context, plain, prepared) : plain;
  const asked = [
    ...(boosts ?? []).map(({ field }) => ({ field, option: "boosts" as const })),
    ...fieldsNeeded(options),
  ];
  const unknownFields = joined(context.notice, await fieldNotice(snapshot, asked));
  const dropped = droppedTerms(snapshot.counts);
  if (isShaped(options)) {
    const shaped: RankedAnswer[] = [];
    for (const [i, request] of requests.entries())
      shaped.push(await rankOneShaped({ ...context, where }, prepared[i], request, dropped, unknownFields));
    return shaped;
  }
  const rankings = await context.rank(requests, where);
  const ranked: RankedAnswer[] = [];
  for (let i = 0; i < rankings.length; i++) {
    const { docs, stats: engineStats } = rankings[i];
    const stats = withDroppedTerms(engineStats, dropped);
    const { terms, isEmpty } = prepared[i];
    const notice = joined(prepared[i].notice, unknownFields);
    if (isEmpty) {
      ranked.push({ docs: [], terms, stats: { ...stats, answeredBy: "nothing" } });
    } else if (isAnsweredByMeaning(prepared[i]) && isBoosted) {
      // The engine left out what only seems to be near, whatever its boost is.
      const near = scoringAtLeast(docs, minScore);
      ranked.push({
        docs: near,
        terms,
        stats: { ...stats, answeredBy: "meaning" },
        ...(notice && { notice }),
      });
    } else if (isAnsweredByMeaning(prepared[i])) {
      const threshold = await turns.until(meaningThreshold(context, prepared[i]));
      const near = scoringAtLeast(docs, Math.max(minScore ?? 0, threshold));
      const byMeaning = { ...stats, answeredBy: "meaning" as const };
      ranked.push({ docs: near, terms, stats: byMeaning, ...(notice && { notice }) });
    } else {
      ranked.push({ docs: scoringAtLeast(docs, minScore), terms, stats, ...(notice && { notice }) });
    }
  }
  return ranked;
}

/** Which documents may be hits, with what other weights of text fields change for one query. */
async function withWeights(
  { snapshot, weights, where, turns }: SearchContext,
  { row, vector, lambda }: EngineRequest,
): Promise<SearchContext["where"]> {
  const { changes, holding } = await turns.until(reweighed(snapshot, row, weights!, where, turns));
  if (vector && lambda > 0) return { ...where, changes };
  // Without a semantic part, a document whose words are all in fields that are left out is not a hit.
  const { meeting } = where;
  return { ...where, changes, meeting: holding.map((bits, i) => (meeting ? bits.and(meeting[i]) : bits)) };
}

/** Like `rankBatch`, for one query whose answer is counted, sorted or grouped. */
async function rankOneShaped(
  context: SearchContext,
  prepared: PreparedQuery,
  request: EngineRequest,
  dropped: number,
  unknownFields: string | undefined,
): Promise<RankedAnswer> {
  const { snapshot, where, options, turns } = context;
  const { offset = 0, minScore } = options;
  const { terms, isEmpty } = prepared;
  const notice = joined(prepared.notice, unknownFields);
  const isByMeaning = isAnsweredByMeaning(prepared);
  // With boosts, the engine leaves out what only seems to be near.
  const threshold =
    isByMeaning && !where.boosts && !where.phrases
      ? await turns.until(meaningThreshold(context, prepared))
      : undefined;
  const least = threshold === undefined ? minScore : Math.max(minScore ?? 0, threshold);
  const { k } = request;
  const asked = { prepared, request, options: { ...options, k, offset }, weights: context.weights };
  const query = { snapshot, ...asked, where, minScore: least };
  const { stats: engineStats, ...shaped } = await rankShaped(query);
  const answeredBy = isEmpty ? "nothing" : isByMeaning ? "meaning" : undefined;
  const stats = {
    ...withDroppedTerms(engineStats, dropped),
    ...(answeredBy && { answeredBy }),
  } as SearchStats;
  return { ...shaped, terms, stats, ...(notice && { notice }) };
}

/** Requests for a boosted ranking. If a query is answered by meaning, a hit must be near enough before boosts are added. */
async function boosted(
  context: SearchContext,
  requests: readonly EngineRequest[],
  prepared: readonly PreparedQuery[],
): Promise<EngineRequest[]> {
  const all: EngineRequest[] = [];
  for (const [i, request] of requests.entries()) {
    const leastUnboosted =
      isAnsweredByMeaning(prepared[i]) && (await context.turns.until(meaningThreshold(context, prepared[i])));
    all.push({ ...request, isBoosted: true, ...(leastUnboosted !== false && { leastUnboosted }) });
  }
  return all;
}

/** Two notices as one. */
function joined(one: string | undefined, other: string | undefined): string | undefined {
  return one && other ? `${one}; ${other}` : (one ?? other);
}

/** Adds to the object itself: a copy of all its fields would take longer than a short search does. */
function withDroppedTerms(stats: EngineStats, droppedTerms: number): SearchStats {
  return Object.assign(stats, { droppedTerms });
}

/** Hits with their snippets. Their documents are read now. */
function withSnippets<FieldsType>(
  weighting: Weighting,
  hits: readonly Hit<FieldsType>[],
  terms: readonly QueryTerm[],
  snippets: SearchOptions["snippets"],
): Hit<FieldsType>[] {
  const how = typeof snippets === "object" ? snippets : {};
  return hits.map((hit) => {
    const { id, score, lexical, semantic, boost, document } = hit;
    const found = snippetsOf(weighting.analyzer, terms, shownTexts(weighting, document as Fields), how);
    return {
      ...{ id, score, lexical, semantic, ...(boost !== undefined && { boost }), document },
      snippets: found,
    };
  });
}

function scoringAtLeast(docs: readonly ScoredDoc[], least: number | undefined): readonly ScoredDoc[] {
  return least === undefined ? docs : docs.filter(({ score }) => score >= least);
}
