// The conductor of a search: queries and an index → answers. The steps of a search, and where each of them is:
//
//   check the options                               options/
//   take demands and operators out of queries       demands/
//   put together what all queries share             search-context.ts
//   find the documents that meet the demands        scope/meeting-demands.ts
//   prepare the queries: rows and vectors           rank-queries.ts, query/query-preparer.ts
//   if no word is known, say how near hits must be  score/meaning-threshold.ts
//   weigh text fields otherwise, if asked to        score/reweigh-fields.ts
//   find out which documents may be hits            scope/allowed-documents.ts
//   load what boosts add to scores                  score/boosts.ts
//   find candidates and rank them                   segments/rank-snapshot.ts, rank/engine.ts, scan/
//   count, sort and group, if asked to              shape/
//   make hits of documents                          hits/hits.ts; in a page they are fetched
//   add snippets and highlights, if asked to        hits/snippets.ts, query/highlights.ts
//   reorder the best hits, if asked to              hits/rerank.ts
//   keep the fields of documents that are wanted    hits/pick-fields.ts
//
// The rooms of this folder are in the order of these steps. Every index uses it: in memory, in a folder, in a page, on a cluster.

import type { Fields } from "../documents/document.ts";
import { highlightDocument, shownTexts } from "../query/highlights.ts";
import { excludeLikeWithPassages, likeId } from "../query/like.ts";
import { checkQueries, type PlainQuery, type Query, type QueryTerm } from "../query/query.ts";
import { Turns } from "../support/work/turns.ts";
import { textFieldsIn, type Weighting } from "../weigh/weighting.ts";
import { type NarrowedQuery, narrowQueries, needsNarrowing } from "./demands/narrow.ts";
import type { Answer, Hit } from "./hits/answer.ts";
import { pickAnswerFields } from "./hits/pick-fields.ts";
import { optionsBeforeRerank, rerankAnswers } from "./hits/rerank.ts";
import { createSnippets } from "./hits/snippets.ts";
import { type CheckedSearch, checkSearch, type SearchOptions } from "./options/search-options.ts";
import { type RankedAnswer, rankInBatches } from "./rank-queries.ts";
import { findDocumentsMeetingDemands } from "./scope/meeting-demands.ts";
import { SpelledClauses } from "./scope/spelled-clauses.ts";
import { loadPhraseAdditions } from "./score/phrases.ts";
import { createContext, type SearchContext } from "./search-context.ts";
import type { SearchedIndex } from "./searched-index.ts";

/**
 * After this many searches others have a turn. A loop that awaits one fast search after the other would let neither timers run nor
 * the garbage collector free weak references, which each answer has.
 */
const SEARCHES_AT_ONCE = 64;
/** Searches of this process so far. */
let searches = 0;

/** @internal Answers queries that have the same options. `callName` names the caller's function in errors. */
export async function searchIndex<FieldsType>(
  index: SearchedIndex,
  queries: readonly Query[],
  options: SearchOptions,
  callName: string,
): Promise<Answer<FieldsType>[]> {
  const checked = checkSearch(options, callName);
  checkQueries(queries);
  const { rerank, signal } = options;
  signal?.throwIfAborted();
  const turns = new Turns(signal);
  if (++searches % SEARCHES_AT_ONCE === 0) await turns.next();
  const narrowed = needsNarrowing(queries, options.syntax)
    ? await turns.raceAbort(narrowQueries(index.snapshot, queries, options.syntax))
    : undefined;
  const plain = narrowed ? narrowed.map(({ query }) => query) : queries;
  const rankingRules = rerank ? { ...checked, options: optionsBeforeRerank(checked.options) } : checked;
  const ranked = await rankTogetherOrAlone(index, plain, rankingRules, turns, narrowed);
  const rankings = ranked.map(({ docs }) => docs);
  const hits = (await index.createHits(index.snapshot, rankings, turns)) as Hit<FieldsType>[][];
  const weighting = options.snippets || options.highlight ? index.snapshot.weighting : undefined;
  const answers = ranked.map(({ docs: _, ...answer }, i): Answer<FieldsType> => {
    if (!weighting) return { hits: hits[i], ...answer };
    return { hits: markHits(weighting, hits[i], answer.terms, options), ...answer };
  });
  if (!rerank) return pickAnswerFields(answers, options.fields);
  const scorer = await index.resources.openCrossEncoder(rerank.model);
  return rerankAnswers(answers, plain, scorer, options, textFieldsIn(index.snapshot.weighting));
}

/**
 * Ranks documents for all queries, together if they share a context. A `like` query leaves out the document that it names, and a
 * query with demands allows only some documents. Other weights of text fields change other documents for each query. Such queries
 * are ranked alone.
 */
async function rankTogetherOrAlone(
  index: SearchedIndex,
  queries: readonly PlainQuery[],
  search: CheckedSearch,
  turns: Turns,
  narrowed: readonly NarrowedQuery[] | undefined,
): Promise<RankedAnswer[]> {
  // Words of one field narrow a query, too.
  const isNarrowed =
    narrowed?.some(({ narrowing, notice }) => narrowing !== undefined || notice !== undefined) ?? false;
  const isPlain = queries.every((query) => likeId(query) === undefined) && !search.options.fieldWeights;
  if (!isNarrowed && isPlain) return rankInBatches(createContext(index, search, turns), queries);
  const ranked: RankedAnswer[] = [];
  for (const [i, query] of queries.entries()) {
    const excludedIds = await excludeLikeWithPassages(index.snapshot, search.excludedIds, query);
    const context = createContext(index, { ...search, excludedIds }, turns);
    ranked.push(
      ...(await rankInBatches(narrowed ? await narrowContext(context, narrowed[i]) : context, [query])),
    );
  }
  return ranked;
}

/** The context of a query with demands. */
async function narrowContext(
  context: SearchContext,
  { query, narrowing, notice }: NarrowedQuery,
): Promise<SearchContext> {
  if (!narrowing) return notice ? { ...context, notice } : context;
  const { snapshot, scope, turns } = context;
  const spelled = new SpelledClauses(context, query, narrowing.must);
  const meetingDemands = await turns.raceAbort(
    findDocumentsMeetingDemands(snapshot, narrowing, scope.resources, spelled, turns),
  );
  const { prefer } = narrowing;
  if (prefer.length === 0) return { ...context, scope: { ...scope, meetingDemands }, notice };
  const additions = await turns.raceAbort(loadPhraseAdditions(snapshot, prefer, turns));
  return { ...context, scope: { ...scope, meetingDemands, phraseAdditions: additions }, notice };
}

/** Hits with their snippets and highlights. Their documents are read now. */
function markHits<FieldsType>(
  weighting: Weighting,
  hits: readonly Hit<FieldsType>[],
  terms: readonly QueryTerm[],
  { snippets, highlight }: SearchOptions,
): Hit<FieldsType>[] {
  const how = typeof snippets === "object" ? snippets : {};
  return hits.map((hit) => {
    const copy = { ...hit }; // reads the document, once
    const texts = snippets ? shownTexts(weighting, copy.document as Fields) : [];
    return {
      ...copy,
      ...(snippets && { snippets: createSnippets(weighting.analyzer, terms, texts, how) }),
      ...(highlight && { highlights: highlightDocument(weighting, terms, copy.document as Fields) }),
    };
  });
}
