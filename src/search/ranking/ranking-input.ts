// A search and its snapshot → what a ranking is given: for each segment, the documents that may be hits, and what is added to
// their scores. It is made before anything is ranked, whether the answer is counted or not.
//
// Most queries of a search share one input. A query has its own if it has demands or preferred phrases, if it leaves out the
// document that its `like` names, or if its words have other weights in the text fields than rows have.

import type { PreferredPhrase } from "../../query/ask/clause.ts";
import { type EngineRequest, hasSemanticPart } from "../../query/plan/stage-plan.ts";
import type { PreparedQuery } from "../../query/prepare/query-preparer.ts";
import type { ScoreAdditions } from "../../scan/contract/score-additions.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import type { Bits } from "../../support/numbers/bits.ts";
import type { Turns } from "../../support/work/turns.ts";
import { loadBoostAdditions } from "../additions/boosts.ts";
import { loadPhraseAdditions } from "../additions/phrases.ts";
import { type ReweighedFields, reweighFields } from "../additions/reweigh-fields.ts";
import type { NarrowedQuery, Narrowing } from "../demands/narrow.ts";
import { findAllowedDocuments } from "../match/allowed-documents.ts";
import { findDocumentsMeetingDemands } from "../match/meeting-demands.ts";
import { SpelledClauses } from "../match/spelled-clauses.ts";
import { weighTerms } from "../match/weighed-terms.ts";
import type { HitConditions } from "./ranked-index.ts";
import type { SearchContext } from "./search-context.ts";

/** What a ranking is given. An index that is ranked remotely reads the conditions, and the segments of a snapshot read the rest. */
export interface RankingInput extends HitConditions {
  /** For each segment, the documents that may be hits; undefined if all may. */
  readonly allowed: readonly (Bits | undefined)[];
  /** For each segment, what is added to scores. Undefined: nothing is. */
  readonly additions: readonly ScoreAdditions[] | undefined;
}

/** A query that is ready to be ranked. */
export interface RankableQuery extends NarrowedQuery {
  readonly prepared: PreparedQuery;
  readonly request: EngineRequest;
  /** Leaves out documents that score less. */
  readonly minScore: number | undefined;
}

/** Whether a query cannot share the input of others. */
export function needsOwnInput({ narrowing, excludedIds, request }: RankableQuery): boolean {
  return narrowing !== undefined || request.isReweighed === true || excludedIds !== undefined;
}

/** Creates the input of a ranking. `own` is a query that needs its own input. Without it, queries share the input. */
export async function createRankingInput(
  context: SearchContext,
  own: RankableQuery | undefined,
): Promise<RankingInput> {
  const { snapshot, options } = context;
  const { condition } = options;
  const excludedIds = own?.excludedIds ? [...options.excludedIds, ...own.excludedIds] : options.excludedIds;
  const meeting = own?.narrowing && (await findMeetingDemands(context, own, own.narrowing));
  const matching = await findAllowedDocuments(snapshot, context.turns, condition, excludedIds, meeting);
  const reweighed = own?.request.isReweighed ? await reweighQuery(context, own) : undefined;
  // Without a semantic part, a document whose words are all in fields that are left out is not a hit.
  const allowed =
    reweighed && !hasSemanticPart(own!.request)
      ? reweighed.scoring.map((scoring, i) => matching[i]?.and(scoring) ?? scoring)
      : matching;
  const prefer = own?.narrowing?.prefer ?? NONE;
  const isAdded = options.boosts.length > 0 || prefer.length > 0 || reweighed !== undefined;
  const additions = isAdded ? await loadAdditions(context, prefer, reweighed?.additions) : undefined;
  return { condition, excludedIds, allowed, additions };
}

const NONE: readonly never[] = [];

/** The input of a ranking of all documents. Nothing is added to their scores. */
export async function createWholeInput(snapshot: Snapshot, turns: Turns): Promise<RankingInput> {
  const allowed = await findAllowedDocuments(snapshot, turns);
  return { condition: undefined, excludedIds: NONE, allowed, additions: undefined };
}

/** For each segment, the documents that meet the demands of a query. */
function findMeetingDemands(
  { index, snapshot, options, resources, turns }: SearchContext,
  { query }: RankableQuery,
  narrowing: Narrowing,
): Promise<Bits[]> {
  const spelled = new SpelledClauses(snapshot, index.preparer, options.wordRules, query, narrowing.must);
  return turns.raceAbort(findDocumentsMeetingDemands(snapshot, narrowing, resources, spelled, turns));
}

/** What other weights of text fields, and words of one field, change for a query. */
function reweighQuery(
  { snapshot, fieldWeights, resources, turns }: SearchContext,
  { prepared }: RankableQuery,
): Promise<ReweighedFields> {
  const terms = weighTerms(snapshot, prepared, fieldWeights);
  return turns.raceAbort(reweighFields(snapshot, prepared.row, terms, resources, turns));
}

/** For each segment, what boosts, preferred phrases and other weights of text fields add. */
async function loadAdditions(
  { snapshot, options, turns }: SearchContext,
  prefer: readonly PreferredPhrase[],
  ofWeights: readonly ScoreAdditions[] | undefined,
): Promise<ScoreAdditions[]> {
  const ofPhrases =
    prefer.length > 0 ? await turns.raceAbort(loadPhraseAdditions(snapshot, prefer, turns)) : undefined;
  return Promise.all(
    snapshot.segments.map(async (segment, i) => [
      ...(await loadBoostAdditions(segment, options.boosts)),
      ...(ofPhrases?.[i] ?? []),
      ...(ofWeights?.[i] ?? []),
    ]),
  );
}
