// Read requests (search, search-all, explain, explain-query) → calls of the library, within the limits; and its results →
// answers.

import { basename } from "node:path";
import type { z } from "zod";
import { UsageError } from "../errors.ts";
import type { Answer, Fields, Query, SearchOptions, Sluice } from "../index.ts";
import type { RerankedSearchOptions } from "../rank/rerank.ts";
import type {
  ExplainAnswer,
  ExplainQueryAnswer,
  HitAnswer,
  SearchAllAnswer,
  SearchAnswer,
} from "../schemas/index.ts";
import type {
  explainQueryRequest,
  explainRequest,
  searchAllRequest,
  searchRequest,
} from "../schemas/search-requests.ts";
import { beyond } from "./http-errors.ts";
import type { Limits } from "./limits.ts";

/** Queries of one request that are searched together before other requests get a turn. More is faster and less fair. */
const AT_ONCE = 8;

type Asked = Omit<z.output<typeof searchRequest>, "query">;

export async function answerSearch(
  index: Sluice,
  { query, ...asked }: z.output<typeof searchRequest>,
  limits: Limits,
  signal: AbortSignal,
  reranker?: string,
): Promise<SearchAnswer> {
  return (await answerAll(index, [query], asked, limits, signal, reranker))[0];
}

export async function answerSearchAll(
  index: Sluice,
  { queries, ...asked }: z.output<typeof searchAllRequest>,
  limits: Limits,
  signal: AbortSignal,
  reranker?: string,
): Promise<SearchAllAnswer> {
  if (queries.length > limits.queries) throw beyond("the number of queries", limits.queries, queries.length);
  return { answers: await answerAll(index, queries, asked, limits, signal, reranker) };
}

async function answerAll(
  index: Sluice,
  queries: readonly Query[],
  asked: Asked,
  limits: Limits,
  signal: AbortSignal,
  reranker?: string,
): Promise<SearchAnswer[]> {
  for (const query of queries) checkQuery(query, limits);
  const options = { ...optionsOf(asked, limits, signal), ...rerankOf(asked, limits, reranker) };
  const answers: SearchAnswer[] = [];
  for (let from = 0; from < queries.length; from += AT_ONCE) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    const started = performance.now();
    const found = await index.searchAll(queries.slice(from, from + AT_ONCE), options);
    const totalMs = (performance.now() - started) / found.length;
    answers.push(...found.map((answer) => answerOf(index, answer, asked, totalMs)));
  }
  return answers;
}

function answerOf(
  index: Sluice,
  { hits, terms, stats, notice }: Answer,
  { fields, highlight }: Asked,
  totalMs: number,
): SearchAnswer {
  const shown = hits.map(
    ({ document, ...hit }): HitAnswer => ({
      ...hit,
      document: fields ? pickFields(document, fields) : document,
      ...(highlight && { highlights: index.highlight(terms, document) }),
    }),
  );
  // Clients need not know the server's folders.
  const rerank = stats.rerank && { ...stats.rerank, model: basename(stats.rerank.model) };
  return {
    hits: shown,
    terms,
    stats: { ...stats, ...(rerank && { rerank }), totalMs },
    ...(notice && { notice }),
  };
}

function pickFields(document: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(document, field)).map((field) => [field, document[field]]),
  );
}

function optionsOf(asked: Asked, limits: Limits, signal: AbortSignal): SearchOptions {
  const { fields, highlight, rerank, ...options } = asked;
  const { k, offset, exclude = [] } = options;
  if (k > limits.k) throw beyond("k", limits.k, k);
  if (offset > limits.offset) throw beyond("offset", limits.offset, offset);
  if (exclude.length > limits.excludedIds)
    throw beyond("the number of excluded ids", limits.excludedIds, exclude.length);
  return { ...options, signal };
}

/** The model is the server's choice: a client must not name folders. */
function rerankOf(
  { rerank }: Asked,
  limits: Limits,
  model: string | undefined,
): Pick<RerankedSearchOptions, "rerank"> {
  if (!rerank) return {};
  if (model === undefined) {
    throw new UsageError(
      "this server has no model to rerank with",
      "leave out rerank, or give the server a model",
    );
  }
  const { top = Math.min(50, limits.k), mix } = rerank;
  if (top > limits.k) throw beyond("rerank.top", limits.k, top);
  return { rerank: { model, top, mix } };
}

function checkQuery(query: Query, { queryLength, queryTerms }: Limits): void {
  const { text = "", weights = {} } = typeof query === "string" ? { text: query } : query;
  // OpenAPI counts code points, not UTF-16 units.
  const length = text.length > queryLength ? [...text].length : text.length;
  if (length > queryLength) throw beyond("the length of the query", queryLength, length);
  const terms = Object.keys(weights).length;
  if (terms > queryTerms) throw beyond("the number of weights", queryTerms, terms);
}

export async function answerExplain(
  index: Sluice,
  { query, id, lambda, highlight }: z.output<typeof explainRequest>,
  limits: Limits,
): Promise<ExplainAnswer> {
  checkQuery(query, limits);
  const explanation = await index.explain(query, id, { lambda });
  const { terms, document } = explanation;
  return { ...explanation, ...(highlight && { highlights: index.highlight(terms, document) }) };
}

export async function answerExplainQuery(
  index: Sluice,
  { query, lambda, plan }: z.output<typeof explainQueryRequest>,
  limits: Limits,
): Promise<ExplainQueryAnswer> {
  checkQuery(query, limits);
  const started = performance.now();
  const explanation = await index.explainQuery(query, { lambda, plan });
  return { ...explanation, totalMs: performance.now() - started };
}
