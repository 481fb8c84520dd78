// Queries of one context → ranked documents, in batches. A batch is prepared, gets its meaning thresholds, becomes requests, is
// ranked, and becomes answers.

import { droppedShare } from "../../densify/counts.ts";
import { joinNotices, type Notice, WORDS_ONLY } from "../../query/ask/notice.ts";
import type { EngineRequest } from "../../query/plan/stage-plan.ts";
import type { PreparedQuery } from "../../query/prepare/query-preparer.ts";
import type { ScoredDoc } from "../../rank/best-documents.ts";
import type { EngineStats } from "../../rank/ranking.ts";
import type { Writable } from "../../support/options/writable.ts";
import type { NarrowedQuery } from "../demands/narrow.ts";
import { fieldsNeeded, needsAllMatches } from "../options/answer-options.ts";
import type { CheckedSearch } from "../options/search-options.ts";
import { findFieldNotices } from "./field-notice.ts";
import { isAnsweredByMeaning, measureMeaningThreshold } from "./meaning-threshold.ts";
import { rankCountedQuery } from "./rank-counted-query.ts";
import { rankDocuments } from "./rank-documents.ts";
import type { RankedAnswer, RankingStats } from "./ranked-answer.ts";
import { createRankingInput, needsOwnInput, type RankableQuery } from "./ranking-input.ts";
import type { SearchContext } from "./search-context.ts";

/** The most queries that are searched together. They share what is read. More: more memory for scores and candidates. */
const BATCH_QUERIES = 256;

/** @internal Ranks documents for all queries. */
export async function rankQueries(
  context: SearchContext,
  queries: readonly NarrowedQuery[],
): Promise<RankedAnswer[]> {
  if (queries.length <= BATCH_QUERIES) return answerBatch(context, queries);
  const answers: RankedAnswer[] = [];
  for (let from = 0; from < queries.length; from += BATCH_QUERIES) {
    answers.push(...(await answerBatch(context, queries.slice(from, from + BATCH_QUERIES))));
  }
  return answers;
}

async function answerBatch(
  context: SearchContext,
  queries: readonly NarrowedQuery[],
): Promise<RankedAnswer[]> {
  const { index, snapshot, options, turns } = context;
  const { lambda, wordRules, minScore } = options;
  const plain = queries.map(({ query }) => query);
  const prepared = await index.preparer.prepareAll(snapshot, plain, lambda, turns, wordRules);
  turns.signal?.throwIfAborted();
  const rankable: RankableQuery[] = [];
  for (const [i, { query, narrowing, excludedIds, notices }] of queries.entries()) {
    // Documents that score less are not hits of a query that is answered by meaning alone.
    const threshold = isAnsweredByMeaning(prepared[i])
      ? await turns.raceAbort(measureMeaningThreshold(context, prepared[i]))
      : undefined;
    const request = createEngineRequest(context, queries[i], prepared[i], threshold);
    // With boosts, the engine leaves these documents out, before anything is added to their scores.
    const leastScore =
      threshold === undefined || request.isBoosted ? minScore : Math.max(minScore ?? 0, threshold);
    rankable.push({
      query,
      narrowing,
      excludedIds,
      notices,
      prepared: prepared[i],
      request,
      minScore: leastScore,
    });
  }
  const fieldNotices = await findFieldNotices(snapshot, fieldsAskedFor(options), options.condition);
  const answers: RankedAnswer[] = [];
  for (const group of groupByInput(rankable))
    answers.push(...(await answerGroup(context, group, fieldNotices)));
  return answers;
}

/** Groups queries that share an input. A query that needs its own input is a group of one. */
function groupByInput(queries: readonly RankableQuery[]): RankableQuery[][] {
  const groups: RankableQuery[][] = [];
  let shared: RankableQuery[] | undefined;
  for (const query of queries) {
    if (!needsOwnInput(query) && shared) {
      shared.push(query);
      continue;
    }
    shared = needsOwnInput(query) ? undefined : [query];
    groups.push(shared ?? [query]);
  }
  return groups;
}

async function answerGroup(
  context: SearchContext,
  queries: readonly RankableQuery[],
  fieldNotices: readonly Notice[] | undefined,
): Promise<RankedAnswer[]> {
  const { snapshot, options } = context;
  const input = await createRankingInput(context, needsOwnInput(queries[0]) ? queries[0] : undefined);
  const dropped = droppedShare(snapshot.densifyCounts);
  const answers: RankedAnswer[] = [];
  if (needsAllMatches(options.answer)) {
    for (const query of queries) {
      const { stats, ...found } = await rankCountedQuery(context, query, input);
      answers.push({ ...found, ...createAnswerParts(query, stats, dropped, fieldNotices) });
    }
    return answers;
  }
  const requests = queries.map(({ request }) => request);
  const rankings = await rankDocuments(context, requests, input);
  const { offset } = options;
  for (const [i, { ranked, stats }] of rankings.entries()) {
    const { prepared, minScore } = queries[i];
    const page = offset === 0 ? ranked : ranked.slice(offset);
    const kept = prepared.isEmpty ? [] : keepScoringAtLeast(page, minScore);
    answers.push({ ranked: kept, ...createAnswerParts(queries[i], stats, dropped, fieldNotices) });
  }
  return answers;
}

/**
 * Creates the request to the engine, for all documents up to the end of the page. A hit that is answered by meaning must be near
 * enough before boosts are added.
 */
function createEngineRequest(
  { options, fieldWeights }: SearchContext,
  { narrowing }: NarrowedQuery,
  { row, vector, hasEncodedVector, isWordsOnly, fieldTerms }: PreparedQuery,
  threshold: number | undefined,
): EngineRequest {
  const { plan, offset } = options;
  const k = offset + options.k;
  const lambda = isWordsOnly ? 0 : options.lambda;
  const request = { row, vector, hasEncodedVector, lambda, k, plan };
  const isReweighed = (fieldWeights !== undefined || fieldTerms !== undefined) && row.slices.length > 0;
  const isBoosted = options.boosts.length > 0 || (narrowing !== undefined && narrowing.prefer.length > 0);
  if (!isReweighed && !isBoosted) return request; // hot path: a copy is measurable in a short search
  return {
    ...request,
    ...(isReweighed && { isReweighed }),
    ...(isBoosted && { isBoosted }),
    ...(isBoosted && threshold !== undefined && { leastBeforeAdditions: threshold }),
  };
}

/** The fields that a search asks for, and the options that do. */
function fieldsAskedFor({ boosts, answer }: CheckedSearch): Parameters<typeof findFieldNotices>[1] {
  const needed = fieldsNeeded(answer);
  if (boosts.length === 0) return needed;
  return [...boosts.map(({ field }) => ({ field, option: "boosts" as const })), ...needed];
}

/** What an answer says besides its documents. `fieldNotices` are about fields that no document has. */
function createAnswerParts(
  { prepared, notices: operatorNotices }: RankableQuery,
  engineStats: EngineStats,
  droppedShare: number,
  fieldNotices: readonly Notice[] | undefined,
): Pick<RankedAnswer, "terms" | "stats" | "notices"> {
  const { terms, isWordsOnly, cutNotices } = prepared;
  const stats = addToStats(engineStats, prepared, droppedShare);
  const wordNotices = joinNotices(isWordsOnly ? WORDS_ONLY : undefined, cutNotices);
  const notices = joinNotices(wordNotices, joinNotices(operatorNotices, fieldNotices));
  return notices ? { terms, stats, notices } : { terms, stats };
}

/** Adds what the search knows to the object of the engine. Hot path: a copy is measurable in a short search. */
function addToStats(engineStats: EngineStats, prepared: PreparedQuery, droppedShare: number): RankingStats {
  const stats = engineStats as Writable<RankingStats>;
  stats.droppedShare = droppedShare;
  if (prepared.isEmpty) stats.answeredBy = "nothing";
  else if (isAnsweredByMeaning(prepared)) stats.answeredBy = "meaning";
  if (prepared.cutNotices) stats.exact = false; // a document with a rarer completion may score higher
  return stats;
}

function keepScoringAtLeast(ranked: readonly ScoredDoc[], least: number | undefined): readonly ScoredDoc[] {
  return least === undefined ? ranked : ranked.filter(({ score }) => score >= least);
}
