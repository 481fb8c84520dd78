// A search and a snapshot → what its ranking is given: for each segment, the documents that may be hits, and what is added to
// their scores. This is found out once, before anything is ranked, whether the answer is counted or not.

import type { PreferredPhrase } from "../query/clause.ts";
import type { PlainQuery } from "../query/query.ts";
import type { PreparedQuery } from "../query/query-preparer.ts";
import type { EngineRequest } from "../query/stage-plan.ts";
import type { ScoreAdditions } from "../scan/contract/score-additions.ts";
import type { SearchResources } from "../scan/search-resources.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import type { Bits } from "../support/numbers/bits.ts";
import { loadBoostAdditions } from "./additions/boosts.ts";
import { loadPhraseAdditions } from "./additions/phrases.ts";
import { type ReweighedFields, reweighFields } from "./additions/reweigh-fields.ts";
import { weighTerms } from "./additions/weighed-terms.ts";
import type { Narrowing } from "./demands/narrow.ts";
import { findAllowedDocuments } from "./match/allowed-documents.ts";
import { findDocumentsMeetingDemands } from "./match/meeting-demands.ts";
import { SpelledClauses } from "./match/spelled-clauses.ts";
import type { RankingInput } from "./rank-documents.ts";
import type { SearchContext } from "./search-context.ts";

/** All queries of a context share it. With demands, or other weights of text fields, there is only this query. */
export async function createRankingInput(
  context: SearchContext,
  request: EngineRequest,
  prepared: PreparedQuery,
): Promise<RankingInput> {
  const { snapshot, scope, narrowed } = context;
  const { resources, condition, excludedDocs, excludedIds, offset, turns } = scope;
  // Nothing is awaited that a search does not ask for: it would take longer than a short search has.
  const meeting = narrowed?.narrowing
    ? await findMeetingDemands(context, narrowed.query, narrowed.narrowing)
    : undefined;
  const reweighed = request.isReweighed ? await reweighRequest(context, request, prepared) : undefined;
  // Without a semantic part, a document whose words are all in fields that are left out is not a hit.
  const isByWords = !request.vector || request.lambda === 0;
  const meetingDemands = reweighed && isByWords ? intersect(reweighed.scoring, meeting) : meeting;
  const allowed = await findAllowedDocuments(snapshot, { condition, excludedDocs, meetingDemands });
  const prefer = narrowed?.narrowing?.prefer ?? [];
  const hasAdditions = scope.boosts || prefer.length > 0 || reweighed;
  const additions = hasAdditions ? await loadAdditions(context, prefer, reweighed?.additions) : undefined;
  return { resources, condition, excludedIds, offset, turns, allowed, additions };
}

/** What a ranking of all documents is given. Nothing is added to their scores. */
export async function createWholeInput(
  snapshot: Snapshot,
  resources: SearchResources,
): Promise<RankingInput> {
  return { resources, allowed: await findAllowedDocuments(snapshot, {}), additions: undefined };
}

/** For each segment, the documents that meet the demands of a query. */
function findMeetingDemands(
  context: SearchContext,
  query: PlainQuery,
  narrowing: Narrowing,
): Promise<Bits[]> {
  const { snapshot, scope, turns } = context;
  const spelled = new SpelledClauses(context, query, narrowing.must);
  return turns.raceAbort(findDocumentsMeetingDemands(snapshot, narrowing, scope.resources, spelled, turns));
}

/** What other weights of text fields, and words of one field, change for a query. */
function reweighRequest(
  { snapshot, fieldWeights, scope, turns }: SearchContext,
  { row }: EngineRequest,
  prepared: PreparedQuery,
): Promise<ReweighedFields> {
  const terms = weighTerms(snapshot, prepared, fieldWeights);
  return turns.raceAbort(reweighFields(snapshot, row, terms, scope.resources, turns));
}

/** For each segment, what boosts, preferred phrases and other weights of text fields add. */
async function loadAdditions(
  { snapshot, scope: { boosts = [] }, turns }: SearchContext,
  prefer: readonly PreferredPhrase[],
  ofWeights: readonly ScoreAdditions[] | undefined,
): Promise<ScoreAdditions[]> {
  const ofPhrases =
    prefer.length > 0 ? await turns.raceAbort(loadPhraseAdditions(snapshot, prefer, turns)) : undefined;
  return Promise.all(
    snapshot.segments.map(async (segment, i) => [
      ...(await loadBoostAdditions(segment, boosts)),
      ...(ofPhrases?.[i] ?? []),
      ...(ofWeights?.[i] ?? []),
    ]),
  );
}

function intersect(some: readonly Bits[], others: readonly Bits[] | undefined): readonly Bits[] {
  return others ? some.map((bits, i) => bits.and(others[i])) : some;
}
