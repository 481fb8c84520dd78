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
import { fieldsNeeded, needsAllMatches } from "./options/answer-options.ts";
import { DEFAULT_K } from "./options/search-options.ts";
import { isAnsweredByMeaning, measureMeaningThreshold } from "./score/meaning-threshold.ts";
import { reweighFields } from "./score/reweigh-fields.ts";
import { weighTerms } from "./score/weighed-terms.ts";
import type { SearchContext } from "./search-context.ts";
import { rankAndCount } from "./shape/rank-and-count.ts";

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
  // Other weights add other numbers for each query, and a scope has one set of them. So search.ts sends such queries one by one.
  if (requests.length > 1 && requests.some(({ isReweighed }) => isReweighed))
    throw new Error("a query with other weights of text fields must be ranked alone");
  const scope = requests[0].isReweighed
    ? await reweighScope(context, requests[0], prepared[0])
    : context.scope;
  const notices = await findBatchNotices(context);
  const dropped = droppedTerms(snapshot.counts);
  // With boosts, the engine has left out documents below the meaning threshold.
  const leastScores = thresholds.map((threshold) =>
    leastScore(options.minScore, isBoosted(context) ? undefined : threshold),
  );
  const ranked: RankedAnswer[] = [];
  if (needsAllMatches(options)) {
    for (const [i, request] of requests.entries()) {
      const counted = { prepared: prepared[i], request, scope, minScore: leastScores[i] };
      const { stats, ...found } = await rankAndCount({ ...counted, ...pickCountingInput(context) });
      ranked.push({ ...found, ...createAnswerParts(prepared[i], stats, dropped, notices) });
    }
    return ranked;
  }
  const rankings = await context.rankRequests(requests, scope);
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
function isBoosted({ scope }: SearchContext): boolean {
  return scope.boosts !== undefined || scope.phraseAdditions !== undefined;
}

function leastScore(minScore: number | undefined, threshold: number | undefined): number | undefined {
  return threshold === undefined ? minScore : Math.max(minScore ?? 0, threshold);
}

/** What counting, sorting and grouping need besides the query. */
function pickCountingInput({ snapshot, options, fieldWeights }: SearchContext) {
  const { k = DEFAULT_K, offset = 0 } = options;
  return { snapshot, options: { ...options, k, offset }, fieldWeights };
}

/** Which documents may be hits, with what other weights of text fields, and words of one field, change for one query. */
async function reweighScope(
  { snapshot, fieldWeights, scope, turns }: SearchContext,
  { row, vector, lambda }: EngineRequest,
  prepared: PreparedQuery,
): Promise<SearchContext["scope"]> {
  const terms = weighTerms(snapshot, prepared, fieldWeights);
  const { additions, holding } = await turns.raceAbort(
    reweighFields(snapshot, row, terms, scope.resources, turns),
  );
  const reweighedScope = { ...scope, weightAdditions: additions };
  if (vector && lambda > 0) return reweighedScope;
  // Without a semantic part, a document whose words are all in fields that are left out is not a hit.
  const { meetingDemands } = scope;
  const meeting = holding.map((bits, i) => (meetingDemands ? bits.and(meetingDemands[i]) : bits));
  return { ...reweighedScope, meetingDemands: meeting };
}

/** What all answers of a batch must say: about the operators of the query, and about fields that no document has. */
async function findBatchNotices({
  snapshot,
  options,
  scope,
  notices,
}: SearchContext): Promise<readonly Notice[] | undefined> {
  const ofBoosts = (scope.boosts ?? []).map(({ field }) => ({ field, option: "boosts" as const }));
  return joinNotices(notices, await findFieldNotices(snapshot, [...ofBoosts, ...fieldsNeeded(options)]));
}

/** What an answer says besides its documents. Adds to `stats` itself: a copy of all its fields takes longer than a short search. */
function createAnswerParts(
  prepared: PreparedQuery,
  stats: EngineStats,
  droppedTerms: number,
  ofBatch: readonly Notice[] | undefined,
): Pick<RankedAnswer, "terms" | "stats" | "notices"> {
  const { terms, isEmpty, isWordsOnly, cutNotices } = prepared;
  const answeredBy: SearchStats["answeredBy"] = isEmpty
    ? "nothing"
    : isAnsweredByMeaning(prepared)
      ? "meaning"
      : undefined;
  const searched = stats as Writable<SearchStats>;
  searched.droppedTerms = droppedTerms;
  if (answeredBy) searched.answeredBy = answeredBy;
  if (cutNotices) searched.exact = false; // a document with a rarer completion may score higher
  const ofQuery = joinNotices(isWordsOnly ? WORDS_ONLY : undefined, cutNotices);
  const notices = joinNotices(ofQuery, ofBatch);
  return notices ? { terms, stats: searched, notices } : { terms, stats: searched };
}

function keepScoringAtLeast(docs: readonly ScoredDoc[], least: number | undefined): readonly ScoredDoc[] {
  return least === undefined ? docs : docs.filter(({ score }) => score >= least);
}
