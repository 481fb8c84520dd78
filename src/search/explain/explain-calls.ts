// The calls `explain` and `explainQuery` of an index: the options are checked, the query is prepared, and then explained. An
// index in Node and one in a page share them.

import type { CheckedBoost } from "../../documents/boost.ts";
import type { FieldWeights } from "../../documents/text-fields.ts";
import type { PreferredPhrase } from "../../query/ask/clause.ts";
import { joinNotices, WORDS_ONLY } from "../../query/ask/notice.ts";
import { checkQuery, type Query } from "../../query/ask/query.ts";
import type { PreparedQuery } from "../../query/prepare/query-preparer.ts";
import { wordRules } from "../../query/words/word-options.ts";
import {
  type ExplainedDocument,
  type Explanation,
  explainScore,
  readStoredDocument,
} from "../../rank/explain.ts";
import { requireDoc } from "../../store/snapshot/require-doc.ts";
import { checkId } from "../../support/options/options.ts";
import { Turns } from "../../support/work/turns.ts";
import { computeBoostParts } from "../additions/boosts.ts";
import { computePhraseParts } from "../additions/phrases.ts";
import { searchFieldWeights } from "../additions/reweigh-fields.ts";
import { type NarrowedQuery, narrowQueries } from "../demands/narrow.ts";
import type { ListedIndex } from "../list/list-documents.ts";
import { findFailedDemands } from "../match/meeting-demands.ts";
import { SpelledClauses } from "../match/spelled-clauses.ts";
import {
  checkExplainOptions,
  checkExplainQueryOptions,
  type ExplainOptions,
  type ExplainQueryOptions,
  type PreparingOptions,
} from "../options/explain-options.ts";
import type { RankedIndex } from "../ranking/ranked-index.ts";
import { addTextFields } from "./explain-fields.ts";
import { explainQuery, type QueryExplanation } from "./explain-query.ts";

/** @internal Throws if the query, the id or an option of `explain` is wrong. Returns the boosts. */
export function checkExplain(query: Query, id: string, options: ExplainOptions): readonly CheckedBoost[] {
  const boosts = checkExplainOptions(options);
  checkQuery(query);
  checkId(id);
  return boosts;
}

/** @internal Explains the score of a document. */
export async function explainDocument(
  index: RankedIndex & Pick<ListedIndex, "fieldsOf">,
  query: Query,
  id: string,
  options: ExplainOptions,
): Promise<Explanation> {
  const boosts = checkExplain(query, id, options);
  const weights = searchFieldWeights(index.snapshot, options.fieldWeights as FieldWeights | undefined);
  const doc = requireDoc(index.snapshot, id);
  const { prepared, lambda, notices, narrowed } = await prepareToExplain(index, query, options);
  const { prefer = [] } = narrowed.narrowing ?? {};
  const turns = new Turns(options.signal);
  const failed = await findFailed(index, doc, narrowed, options, turns);
  const [document] = await index.fieldsOf([doc]);
  const stored = await readStoredDocument(index.snapshot, doc, document);
  const plain = explainScore(index.snapshot, prepared, stored, lambda);
  const explanation = await addTextFields(index.snapshot, doc, plain, prepared, weights);
  const boosted = boosts.length > 0 ? await addBoosts(index, doc, explanation, boosts) : explanation;
  return {
    ...(prefer.length > 0 ? await addPhrases(index, doc, boosted, prefer, turns) : boosted),
    ...(failed.length > 0 && { failed }),
    ...(notices && { notices }),
  };
}

/** The demands that a document does not meet. */
async function findFailed(
  { snapshot, preparer, resources }: RankedIndex,
  doc: number,
  { query, narrowing }: NarrowedQuery,
  options: ExplainOptions,
  turns: Turns,
): Promise<string[]> {
  if (!narrowing) return [];
  const spelled = new SpelledClauses(snapshot, preparer, wordRules(options), query, narrowing.must);
  const searched = resources.takeSearchResources();
  return turns.raceAbort(findFailedDemands(snapshot, doc, narrowing, searched, spelled, turns));
}

/** @internal Explains the score of a document that is in no segment of this process. Call `checkExplain` before. */
export async function explainStoredDocument(
  index: RankedIndex,
  query: Query,
  stored: ExplainedDocument,
  options: ExplainOptions,
): Promise<Explanation> {
  const { prepared, lambda, notices } = await prepareToExplain(index, query, options);
  return { ...explainScore(index.snapshot, prepared, stored, lambda), ...(notices && { notices }) };
}

/** The explanation, with what each preferred phrase adds to the score. */
async function addPhrases(
  { snapshot }: RankedIndex,
  doc: number,
  explanation: Explanation,
  prefer: readonly PreferredPhrase[],
  turns: Turns,
): Promise<Explanation> {
  const phrases = await computePhraseParts(snapshot, doc, prefer, turns);
  const added = phrases.reduce((sum, { contribution }) => sum + contribution, 0);
  const { score, boost = 0 } = explanation;
  return { ...explanation, score: score + added, boost: boost + added, phrases };
}

/** The explanation, with what each boost adds to the score. */
async function addBoosts(
  index: RankedIndex,
  doc: number,
  explanation: Explanation,
  checked: readonly CheckedBoost[],
): Promise<Explanation> {
  for (const { field } of checked) index.checkCondition?.({ kind: "exists", field });
  const boosts = await computeBoostParts(index.snapshot, doc, checked);
  const boost = boosts.reduce((sum, { contribution }) => sum + contribution, 0);
  return { ...explanation, score: explanation.score + boost, boost, boosts };
}

/** @internal Explains a query for a plan. No document is read. */
export async function explainQueryFor(
  index: RankedIndex,
  query: Query,
  options: ExplainQueryOptions,
): Promise<QueryExplanation> {
  const plan = checkExplainQueryOptions(options);
  checkQuery(query);
  const { prepared, lambda, notices } = await prepareToExplain(index, query, options);
  return { ...explainQuery(index.snapshot.slicing, prepared, lambda, plan), ...(notices && { notices }) };
}

/** A query that is ready to be explained. */
interface QueryToExplain {
  readonly prepared: PreparedQuery;
  readonly lambda: number;
  /** What the explanation must say about the query. */
  readonly notices: Explanation["notices"];
  /** The query without demands, and the demands. */
  readonly narrowed: NarrowedQuery;
}

/** The query, prepared, and the λ it is searched with: 0 if only its words can be searched, which a notice says. */
async function prepareToExplain(
  index: RankedIndex,
  query: Query,
  options: PreparingOptions,
): Promise<QueryToExplain> {
  const { snapshot, preparer } = index;
  const { lambda = snapshot.lambda, syntax = false, signal } = options;
  signal?.throwIfAborted();
  const turns = new Turns(signal);
  const [narrowed] = await turns.raceAbort(Promise.resolve(narrowQueries(index, [query], syntax)));
  const prepared = await preparer.prepare(snapshot, narrowed.query, lambda, turns, wordRules(options));
  const ofWords = joinNotices(prepared.isWordsOnly ? WORDS_ONLY : undefined, prepared.cutNotices);
  return {
    prepared,
    lambda: prepared.isWordsOnly ? 0 : lambda,
    notices: joinNotices(ofWords, narrowed.notices),
    narrowed,
  };
}
