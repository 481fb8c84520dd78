// The conductor of a search: queries and an index → answers. These are the steps of a search, where each of them is, and the file
// that calls it:
//
//   check the options                                options/                                          search.ts
//   take demands, operators and like out of queries  demands/                                          search.ts
//   put together what all queries share              ranking/search-context.ts                         search.ts
//   rank documents, in batches of queries            ranking/rank-queries.ts                           search.ts
//   prepare the queries: rows and vectors            query/prepare/query-preparer.ts                   ranking/rank-queries.ts
//   if no word is known, say how near hits must be   ranking/meaning-threshold.ts                      ranking/rank-queries.ts
//   say which fields no document has                 ranking/field-notice.ts                           ranking/rank-queries.ts
//   find the documents that meet the demands         match/meeting-demands.ts                          ranking/ranking-input.ts
//   find out which documents may be hits             match/allowed-documents.ts                        ranking/ranking-input.ts
//   weigh text fields otherwise, if asked to         additions/reweigh-fields.ts                       ranking/ranking-input.ts
//   load what phrases and boosts add to scores       additions/phrases.ts, additions/boosts.ts         ranking/ranking-input.ts
//   find candidates and rank them                    ranking/rank-documents.ts, rank/engine.ts, scan/  ranking/rank-queries.ts
//   or rank what is counted, sorted or grouped       ranking/rank-counted-query.ts, count/             ranking/rank-queries.ts
//   make hits of documents                           hits/searched-index.ts; in Node hits/hits.ts      search.ts
//   reorder the best hits, and cut out the page      hits/rerank.ts                                    search.ts
//   add snippets and highlights, if asked to         hits/snippets.ts, hits/highlights.ts              search.ts
//   keep the fields of documents that are wanted     hits/pick-fields.ts                               search.ts
//
// The rooms of this folder are in the order of these steps. `ranking/` comes after the rooms that it calls. Every index is searched
// like this: in memory, in a folder, in a page, on a cluster.

import { checkQueries, type Query, type QueryTerm } from "../query/ask/query.ts";
import type { Writable } from "../support/options/writable.ts";
import { Turns } from "../support/work/turns.ts";
import { textFieldsIn, type Weighting } from "../weigh/weighting.ts";
import { narrowQueries } from "./demands/narrow.ts";
import type { Answer, Hit } from "./hits/answer.ts";
import { highlightDocument, shownTexts } from "./hits/highlights.ts";
import { pickAnswerFields } from "./hits/pick-fields.ts";
import { optionsBeforeRerank, rerankAnswers } from "./hits/rerank.ts";
import type { SearchedIndex } from "./hits/searched-index.ts";
import { createSnippets } from "./hits/snippets.ts";
import type { CheckedAnswerOptions } from "./options/answer-options.ts";
import { checkSearch, type SearchOptions } from "./options/search-options.ts";
import { rankQueries } from "./ranking/rank-queries.ts";
import { createContext } from "./ranking/search-context.ts";

/**
 * After this many searches others have a turn. A loop that awaits one fast search after the other would let neither timers run nor
 * the garbage collector free weak references, which each answer has.
 */
const SEARCHES_BETWEEN_TURNS = 64;
/** Searches of this process so far. */
let searches = 0;

/** @internal Answers queries that have the same options. `callName` names the caller's function in errors. */
export async function searchIndex<FieldsType>(
  index: SearchedIndex,
  queries: readonly Query[],
  options: SearchOptions,
  callName: string,
): Promise<Answer<FieldsType>[]> {
  const checked = checkSearch(options, index.snapshot.lambda, callName);
  checkQueries(queries);
  const { rerank, answer, signal } = checked;
  signal?.throwIfAborted();
  const turns = new Turns(signal);
  if (++searches % SEARCHES_BETWEEN_TURNS === 0) await turns.next();
  const narrowing = narrowQueries(index, queries, checked.syntax);
  const narrowed = narrowing instanceof Promise ? await turns.raceAbort(narrowing) : narrowing;
  const context = createContext(index, rerank ? optionsBeforeRerank(checked, rerank) : checked, turns);
  const rankedAnswers = await rankQueries(context, narrowed);
  const rankings = rankedAnswers.map(({ ranked }) => ranked);
  const hits = (await index.createHits(index.snapshot, rankings, turns)) as Hit<FieldsType>[][];
  let answers = rankedAnswers.map(
    ({ ranked: _, ...others }, i): Answer<FieldsType> => ({ hits: hits[i], ...others }),
  );
  const { weighting } = context.snapshot;
  if (rerank) {
    const scorer = await index.resources.openCrossEncoder(rerank.model);
    const plain = narrowed.map(({ query }) => query);
    answers = await rerankAnswers(answers, plain, scorer, checked, rerank, textFieldsIn(weighting));
  }
  if (answer.snippets || answer.highlight) {
    for (const { hits, terms } of answers) markHits(weighting, hits, terms, answer);
  }
  return pickAnswerFields(answers, answer.fields);
}

/** Adds snippets and highlights to hits, which are nobody else's yet. Their documents are read now. */
function markHits<FieldsType>(
  weighting: Weighting,
  hits: readonly Hit<FieldsType>[],
  terms: readonly QueryTerm[],
  { snippets, highlight }: CheckedAnswerOptions,
): void {
  for (const hit of hits as readonly Writable<Hit>[]) {
    const texts = snippets ? shownTexts(weighting, hit.document) : [];
    if (snippets) hit.snippets = createSnippets(weighting.analyzer, terms, texts, snippets);
    if (highlight) hit.highlights = highlightDocument(weighting, terms, hit.document);
  }
}
