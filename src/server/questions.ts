// Read requests (search, search-all, explain, explain-query) → calls of the library, within the limits; and its results →
// answers.

import type { z } from "zod";
import type { Answer, Fields, Query, SearchOptions, Sluice } from "../index.ts";
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
): Promise<SearchAnswer> {
  return (await answerAll(index, [query], asked, limits, signal))[0];
}

export async function answerSearchAll(
  index: Sluice,
  { queries, ...asked }: z.output<typeof searchAllRequest>,
  limits: Limits,
  signal: AbortSignal,
): Promise<SearchAllAnswer> {
  if (queries.length > limits.queries) throw beyond("the number of queries", limits.queries, queries.length);
  return { answers: await answerAll(index, queries, asked, limits, signal) };
}

async function answerAll(
  index: Sluice,
  queries: readonly Query[],
  asked: Asked,
  limits: Limits,
  signal: AbortSignal,
): Promise<SearchAnswer[]> {
  for (const query of queries) checkQuery(query, limits);
  const options = optionsOf(asked, limits, signal);
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
  return { hits: shown, terms, stats: { ...stats, totalMs }, ...(notice && { notice }) };
}

function pickFields(document: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(document, field)).map((field) => [field, document[field]]),
  );
}

function optionsOf(asked: Asked, limits: Limits, signal: AbortSignal): SearchOptions {
  const { fields, highlight, ...options } = asked;
  const { k, offset, exclude = [] } = options;
  if (k > limits.k) throw beyond("k", limits.k, k);
  if (offset > limits.offset) throw beyond("offset", limits.offset, offset);
  if (exclude.length > limits.excludedIds)
    throw beyond("the number of excluded ids", limits.excludedIds, exclude.length);
  return { ...options, signal };
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
