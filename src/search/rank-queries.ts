// Queries of one context → ranked documents, in batches. A batch is prepared, gets its thresholds, becomes requests, is ranked, and
// becomes answers.

import { droppedTerms } from "../densify/counts.ts";
import { joinNotices, type Notice, WORDS_ONLY } from "../query/notice.ts";
import type { PlainQuery } from "../query/query.ts";
import type { PreparedQuery } from "../query/query-preparer.ts";
import type { EngineRequest } from "../query/stage-plan.ts";
import { wordRules } from "../query/words/word-options.ts";
import type { ScoredDoc } from "../rank/best-documents.ts";
import type { EngineStats } from "../rank/ranking.ts";
import type { Writable } from "../support/options/writable.ts";
import type { Answer, SearchStats } from "./hits/answer.ts";
import { findFieldNotices } from "./hits/field-notice.ts";
import { isAnsweredByMeaning, measureMeaningThreshold } from "./meaning-threshold.ts";
import { fieldsNeeded, needsAllMatches } from "./options/answer-options.ts";
import { DEFAULT_K } from "./options/search-options.ts";
import { rankCountedQuery } from "./rank-counted-query.ts";
import { createRankingInput } from "./ranking-input.ts";
import type { SearchContext } from "./search-context.ts";

/** The most queries that are searched together. They share what is read. More: more memory for scores and candidates. */
const BATCH_QUERIES = 256;

/** @internal An answer whose documents are not read yet. */
export interface RankedAnswer extends Omit<Answer, "hits"> {
  readonly docs: readonly ScoredDoc[];
}

/** @internal Ranks documents for all queries. */
export async function rankInBatches(
  context: SearchContext,
  queries: readonly PlainQuery[],
): Promise<RankedAnswer[]> {
  if (queries.length <= BATCH_QUERIES) return rankBatch(context, queries);
  const ranked: RankedAnswer[] = [];
  for (let from = 0; from < queries.length; from += BATCH_QUERIES) {
    ranked.push(...(await rankBatch(context, queries.slice(from, from + BATCH_QUERIES))));
  }
  return ranked;
}

async function rankBatch(context: SearchContext, queries: readonly PlainQuery[]): Promise<RankedAnswer[]> {
  if (queries.length === 0) return [];
  const { snapshot, preparer, options, lambda, turns } = context;
  const prepared = await preparer.prepareAll(snapshot, queries, lambda, turns, wordRules(options));
  turns.signal?.throwIfAborted();
  const thresholds = await measureThresholds(context, prepared);
  const requests = prepared.map((query, i) => createEngineRequest(context, query, thresholds[i]));
  // Other weights add other numbers for each query, and a ranking has one set of them. So search.ts sends such queries one by one.
  if (requests.length > 1 && requests.some(({ isReweighed }) => isReweighed))
    throw new Error("a query with other weights of text fields must be ranked alone");
  const input = await createRankingInput(context, requests[0], prepared[0]);
  const notices = await findBatchNotices(context);
  const dropped = droppedTerms(snapshot.counts);
  // With boosts, the engine has left out documents below the meaning threshold.
  const leastScores = thresholds.map((threshold) =>
    leastScore(options.minScore, isBoosted(context) ? undefined : threshold),
  );
  const ranked: RankedAnswer[] = [];
  if (needsAllMatches(options)) {
    for (const [i, request] of requests.entries()) {
      const counted = { prepared: prepared[i], request, input, minScore: leastScores[i] };
      const { stats, ...found } = await rankCountedQuery(context, counted);
      ranked.push({ ...found, ...createAnswerParts(prepared[i], stats, dropped, notices) });
    }
    return ranked;
  }
  const rankings = await context.rankRequests(requests, input);
  for (const [i, { docs, stats }] of rankings.entries()) {
    const kept = prepared[i].isEmpty || options.k === 0 ? [] : keepScoringAtLeast(docs, leastScores[i]);
    ranked.push({ docs: kept, ...createAnswerParts(prepared[i], stats, dropped, notices) });
  }
  return ranked;
}

/** For each query that is answered by meaning alone, the meaning threshold: documents with a lower score are no hits. */
async function measureThresholds(
  context: SearchContext,
  prepared: readonly PreparedQuery[],
): Promise<(number | undefined)[]> {
  const thresholds: (number | undefined)[] = new Array(prepared.length).fill(undefined);
  for (const [i, query] of prepared.entries()) {
    if (isAnsweredByMeaning(query))
      thresholds[i] = await context.turns.raceAbort(measureMeaningThreshold(context, query));
  }
  return thresholds;
}

/** What the engine is asked. With boosts, a hit that is answered by meaning must be near enough before they are added. */
function createEngineRequest(
  context: SearchContext,
  { row, vector, hasEncodedVector, isWordsOnly, fieldTerms }: PreparedQuery,
  threshold: number | undefined,
): EngineRequest {
  const { k = DEFAULT_K } = context.options;
  const lambda = isWordsOnly ? 0 : context.lambda;
  const request = { row, vector, hasEncodedVector, lambda, k: Math.max(1, k), plan: context.plan };
  const isReweighed =
    (context.fieldWeights !== undefined || fieldTerms !== undefined) && row.slices.length > 0;
  if (!isReweighed && !isBoosted(context)) return request; // a copy would take longer than a short search does
  return {
    ...request,
    ...(isReweighed && { isReweighed }),
    ...(isBoosted(context) && { isBoosted: true }),
    ...(isBoosted(context) && threshold !== undefined && { leastBeforeAdditions: threshold }),
  };
}

/** Whether boosts or phrases add to scores. */
function isBoosted({ scope, narrowed }: SearchContext): boolean {
  return scope.boosts !== undefined || (narrowed?.narrowing?.prefer ?? []).length > 0;
}

function leastScore(minScore: number | undefined, threshold: number | undefined): number | undefined {
  return threshold === undefined ? minScore : Math.max(minScore ?? 0, threshold);
}

/** What all answers of a batch must say: about the operators of the query, and about fields that no document has. */
async function findBatchNotices({
  snapshot,
  options,
  scope,
  narrowed,
}: SearchContext): Promise<readonly Notice[] | undefined> {
  const ofBoosts = (scope.boosts ?? []).map(({ field }) => ({ field, option: "boosts" as const }));
  return joinNotices(
    narrowed?.notices,
    await findFieldNotices(snapshot, [...ofBoosts, ...fieldsNeeded(options)], scope.condition),
  );
}

/** What an answer says besides its documents. */
function createAnswerParts(
  prepared: PreparedQuery,
  ofEngine: EngineStats,
  droppedTerms: number,
  ofBatch: readonly Notice[] | undefined,
): Pick<RankedAnswer, "terms" | "stats" | "notices"> {
  const { terms, isWordsOnly, cutNotices } = prepared;
  const stats = addToStats(ofEngine, prepared, droppedTerms);
  const notices = joinNotices(joinNotices(isWordsOnly ? WORDS_ONLY : undefined, cutNotices), ofBatch);
  return notices ? { terms, stats, notices } : { terms, stats };
}

/** Adds what the search knows to the object of the engine: a copy of all its fields takes longer than a short search. */
function addToStats(ofEngine: EngineStats, prepared: PreparedQuery, droppedTerms: number): SearchStats {
  const stats = ofEngine as Writable<SearchStats>;
  stats.droppedTerms = droppedTerms;
  if (prepared.isEmpty) stats.answeredBy = "nothing";
  else if (isAnsweredByMeaning(prepared)) stats.answeredBy = "meaning";
  if (prepared.cutNotices) stats.exact = false; // a document with a rarer completion may score higher
  return stats;
}

function keepScoringAtLeast(docs: readonly ScoredDoc[], least: number | undefined): readonly ScoredDoc[] {
  return least === undefined ? docs : docs.filter(({ score }) => score >= least);
}
