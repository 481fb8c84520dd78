// Read requests (search, search-all, suggest, explain, explain-query, list) → calls of the library, within the limits; and its
// results → answers.

import { basename } from "node:path";
import type { z } from "zod";
import type { Answer, Query, SearchOptions, Sluice } from "../../index.ts";
import type {
  ExplainAnswer,
  ExplainQueryAnswer,
  ListAnswer,
  PassagesAnswer,
  SearchAllAnswer,
  SearchAnswer,
  SuggestAnswer,
} from "../../schemas/index.ts";
import type { listRequestSchema } from "../../schemas/requests/list-request.ts";
import type {
  explainQueryRequestSchema,
  explainRequestSchema,
  searchAllRequestSchema,
  searchRequestSchema,
} from "../../schemas/requests/search-requests.ts";
import type { suggestRequestSchema } from "../../schemas/requests/suggest-request.ts";
import { charactersIn } from "../../schemas/shared/request-limits.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { waitForTurn } from "../../support/work/turns.ts";
import { beyondLimitError } from "../wire/http-errors.ts";
import type { Limits } from "../wire/limits.ts";

/** Queries of one request that are searched together before other requests get a turn. More is faster and less fair. */
const AT_ONCE = 8;

type SearchBody = Omit<z.output<typeof searchRequestSchema>, "query">;

export async function answerSearch(
  index: Sluice,
  { query, ...body }: z.output<typeof searchRequestSchema>,
  limits: Limits,
  signal: AbortSignal,
  rerankModel?: string,
): Promise<SearchAnswer> {
  return (await answerAll(index, [query], body, limits, signal, rerankModel))[0];
}

export async function answerSearchAll(
  index: Sluice,
  { queries, ...body }: z.output<typeof searchAllRequestSchema>,
  limits: Limits,
  signal: AbortSignal,
  rerankModel?: string,
): Promise<SearchAllAnswer> {
  if (queries.length > limits.queries)
    throw beyondLimitError("the number of queries", limits, "queries", queries.length);
  return { answers: await answerAll(index, queries, body, limits, signal, rerankModel) };
}

async function answerAll(
  index: Sluice,
  queries: readonly Query[],
  body: SearchBody,
  limits: Limits,
  signal: AbortSignal,
  rerankModel?: string,
): Promise<SearchAnswer[]> {
  for (const query of queries) requireWithinLimits(query, limits);
  const options = { ...searchOptionsOf(body, limits, signal), ...rerankOf(body, limits, rerankModel) };
  const answers: SearchAnswer[] = [];
  for (let from = 0; from < queries.length; from += AT_ONCE) {
    if (from > 0) await waitForTurn();
    const started = performance.now();
    const found = await index.searchAll(queries.slice(from, from + AT_ONCE), options);
    const totalMs = (performance.now() - started) / found.length;
    for (const answer of found) answers.push(answerOf(answer, totalMs));
  }
  return answers;
}

function answerOf({ hits, terms, stats, notices, ...counted }: Answer, totalMs: number): SearchAnswer {
  // Clients need not know the server's folders.
  const rerank = stats.rerank && { ...stats.rerank, model: basename(stats.rerank.model) };
  return {
    hits: hits.map((hit) => ({ ...hit })), // reads the documents now, while their commit is open
    ...counted,
    terms,
    stats: { ...stats, ...(rerank && { rerank }) },
    ...(notices && { notices }),
    totalMs,
  };
}

function searchOptionsOf(body: SearchBody, limits: Limits, signal: AbortSignal): SearchOptions {
  const { rerank, ...options } = body;
  const { k, offset, exclude = [], among } = options;
  if (k > limits.k) throw beyondLimitError("k", limits, "k", k);
  if (offset > limits.offset) throw beyondLimitError("offset", limits, "offset", offset);
  if (typeof among === "number" && among > limits.offset)
    throw beyondLimitError("among", limits, "offset", among);
  if (exclude.length > limits.excludedIds)
    throw beyondLimitError("the number of excluded ids", limits, "excludedIds", exclude.length);
  return { ...options, signal };
}

/** The model is the server's choice: a client must not name folders. */
function rerankOf(
  { rerank }: SearchBody,
  limits: Limits,
  model: string | undefined,
): Pick<SearchOptions, "rerank"> {
  if (!rerank) return {};
  if (model === undefined) {
    throw new SluiceError(
      "this server has no model to rerank with",
      "leave out rerank, or give the server a model",
    );
  }
  const { top, mix } = rerank;
  if (top !== undefined && top > limits.k) throw beyondLimitError("rerank.top", limits, "k", top);
  return { rerank: { model, top, mix } };
}

/** The limits of the server. What a query may hold is the library's to check. */
function requireWithinLimits(query: Query, limits: Limits): void {
  const { queryLength, queryTerms } = limits;
  const { text = "", weights = {}, termFactors = {} } = typeof query === "string" ? { text: query } : query;
  const length = charactersIn(text);
  if (length > queryLength) throw beyondLimitError("the length of the query", limits, "queryLength", length);
  for (const [what, given] of Object.entries({ weights, termFactors })) {
    const terms = Object.keys(given).length;
    if (terms > queryTerms) throw beyondLimitError(`the number of ${what}`, limits, "queryTerms", terms);
  }
}

export async function answerExplain(
  index: Sluice,
  { query, id, highlight, ...options }: z.output<typeof explainRequestSchema>,
  limits: Limits,
  signal: AbortSignal,
): Promise<ExplainAnswer> {
  requireWithinLimits(query, limits);
  const started = performance.now();
  const explanation = await index.explain(query, id, { ...options, signal });
  const { terms, document } = explanation;
  const highlights = highlight ? { highlights: await index.highlight(terms, document) } : {};
  return { ...explanation, ...highlights, totalMs: performance.now() - started };
}

export async function answerExplainQuery(
  index: Sluice,
  { query, ...options }: z.output<typeof explainQueryRequestSchema>,
  limits: Limits,
  signal: AbortSignal,
): Promise<ExplainQueryAnswer> {
  requireWithinLimits(query, limits);
  const started = performance.now();
  const explanation = await index.explainQuery(query, { ...options, signal });
  return { ...explanation, totalMs: performance.now() - started };
}

export async function answerSuggest(
  index: Sluice,
  { text, ...options }: z.output<typeof suggestRequestSchema>,
  limits: Limits,
  signal: AbortSignal,
): Promise<SuggestAnswer> {
  requireWithinLimits(text, limits);
  const started = performance.now();
  const suggestions = await index.suggest(text, { ...options, signal });
  return { suggestions, totalMs: performance.now() - started };
}

export async function answerList(
  index: Sluice,
  body: z.output<typeof listRequestSchema>,
  limits: Limits,
  signal: AbortSignal,
): Promise<ListAnswer> {
  if (body.limit > limits.limit) throw beyondLimitError("limit", limits, "limit", body.limit);
  const started = performance.now();
  const list = await index.list({ ...body, signal });
  return { ...list, totalMs: performance.now() - started };
}

/** The passages of a document, or itself if it was not cut. */
export async function answerPassages(
  index: Sluice,
  id: string,
  limits: Limits,
  signal: AbortSignal,
): Promise<PassagesAnswer> {
  const { limit } = limits;
  const started = performance.now();
  const passages = await index.passages(id, { limit: limit + 1, signal });
  if (passages.length > limit)
    throw beyondLimitError("the number of passages", limits, "limit", `more than ${limit}`);
  return { id, passages, totalMs: performance.now() - started };
}
