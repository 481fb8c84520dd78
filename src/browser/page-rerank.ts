// Answers of a worker → the same with their hits reranked in the page, where the cross-encoder is: it cannot be sent. The page
// loads this file with the first search that is to be reranked.

import type { Query } from "../query/query.ts";
import type { Answer } from "../search/hits/answer.ts";
import { optionsBeforeRerank, rerankAnswers } from "../search/hits/rerank.ts";
import { requireOpenScorer } from "../search/options/rerank-options.ts";
import { checkSearch, type SearchOptions } from "../search/options/search-options.ts";

/** `search` asks the worker. */
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
