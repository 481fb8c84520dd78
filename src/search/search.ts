// The conductor of a search: queries and an index → answers. The steps of a search, and where each of them is:
//
//   check the options                            options/
//   take demands and operators out of queries    demands/
//   find out which documents may be hits         search-context.ts, score/search-snapshot.ts
//   prepare the queries: rows and vectors        rank-queries.ts, query/query-preparer.ts
//   find what must be near by meaning            score/meaning-threshold.ts
//   load what fields add to scores               score/boosts.ts, score/reweighed.ts
//   find and rank documents, in two stages       rank/engine.ts → scan/
//   count, sort and group, if that is asked for  shape/
//   make hits of documents                       hits/hits.ts, or fetched in a page; hits/snippets.ts
//   reorder the best hits                        hits/rerank.ts
//
// Every index uses it: in memory, in a folder, or in a page.

import type { Fields } from "../documents/document.ts";
import { shownTexts } from "../query/highlights.ts";
import { likeOf } from "../query/like.ts";
import { type AskedQuery, checkQueries, type Query, type QueryTerm } from "../query/query.ts";
import { Turns } from "../support/work/turns.ts";
import { textFieldsIn, type Weighting } from "../weigh/weighting.ts";
import { meetingDocuments, phraseBoosts } from "./demands/demands.ts";
import { type NarrowedQuery, narrowedQueries, needsNarrowing } from "./demands/narrow.ts";
import { SpelledClauses } from "./demands/spelled-clauses.ts";
import type { Answer, Hit } from "./hits/answer.ts";
import { firstStageOptions, rerankAnswers } from "./hits/rerank.ts";
import { snippetsOf } from "./hits/snippets.ts";
import { checkSearchOptions, type SearchOptions } from "./options/search-options.ts";
import { type RankedAnswer, rankQueries } from "./rank-queries.ts";
import { contextOf, type SearchContext, type SearchedIndex } from "./search-context.ts";

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
  queries: readonly AskedQuery[],
  options: SearchOptions,
  turns: Turns,
  asked: readonly NarrowedQuery[] | undefined,
): Promise<RankedAnswer[]> {
  // Words of one field narrow a query, too.
  const isNarrowed =
    asked?.some(({ narrowing, notice }) => narrowing !== undefined || notice !== undefined) ?? false;
  const isPlain = queries.every((query) => likeOf(query) === undefined) && !options.fieldWeights;
  if (!isNarrowed && isPlain) return rankQueries(contextOf(index, options, turns), queries);
  const excluded = [...(options.exclude ?? [])];
  const ranked: RankedAnswer[] = [];
  for (const [i, query] of queries.entries()) {
    const like = likeOf(query);
    const exclude = like === undefined ? excluded : [...excluded, like];
    const context = contextOf(index, { ...options, exclude }, turns);
    ranked.push(...(await rankQueries(asked ? await narrowed(context, asked[i]) : context, [query])));
  }
  return ranked;
}

/** The context of a query with demands. */
async function narrowed(
  context: SearchContext,
  { query, narrowing, notice }: NarrowedQuery,
): Promise<SearchContext> {
  if (!narrowing) return notice ? { ...context, notice } : context;
  const { snapshot, where, turns } = context;
  const spelled = new SpelledClauses(context, query, narrowing.must);
  const meeting = await turns.until(meetingDocuments(snapshot, narrowing, where, spelled));
  const { prefer } = narrowing;
  const phrases = prefer.length > 0 ? await turns.until(phraseBoosts(snapshot, prefer)) : undefined;
  return { ...context, where: { ...where, meeting, ...(phrases && { phrases }) }, notice };
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
