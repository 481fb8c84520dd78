// Answers of a worker → answers with reranked hits. The page reranks them, because a cross-encoder cannot be sent to a worker. It
// loads this file with the first search that asks for it.

import type { Query } from "../query/query.ts";
import type { Answer } from "../search/hits/answer.ts";
import { optionsBeforeRerank, rerankAnswers } from "../search/hits/rerank.ts";
import { requireOpenScorer } from "../search/options/rerank-options.ts";
import { checkSearch, type SearchOptions } from "../search/options/search-options.ts";

/** Answers queries with reranked hits. `search` asks the worker. */
export async function rerankInPage<FieldsType>(
  queries: readonly Query[],
  options: SearchOptions,
  search: (options: SearchOptions) => Promise<Answer<FieldsType>[]>,
): Promise<Answer<FieldsType>[]> {
  const { excludedIds } = checkSearch(options);
  const scorer = requireOpenScorer(options.rerank!.model);
  return rerankAnswers(
    await search(optionsBeforeRerank({ ...options, exclude: excludedIds })),
    queries,
    scorer,
    options,
  );
}
