// Questions as they come over the wire → what the library is asked, within the limits; and its answers → the wire.

import type { z } from "@hono/zod-openapi";
import type { Answer, Fields, Filter, Query, SearchOptions, Sluice } from "../index.ts";
import { beyond } from "./errors.ts";
import { parsedJson } from "./json.ts";
import type { Limits } from "./limits.ts";
import type {
  BatchRequest,
  ExplainAnswer,
  ExplainRequest,
  QueryAnswer,
  QueryRequest,
  SearchAnswer,
  SearchRequest,
  searchParameters,
} from "./schemas.ts";

/** Queries that are answered together before others get a turn. */
const AT_ONCE = 8;

type Asked = Omit<SearchRequest, "query">;

export async function search(
  index: Sluice,
  { query, ...asked }: SearchRequest,
  limits: Limits,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  return (await searchAll(index, [query], asked, limits, signal))[0];
}

export async function batch(
  index: Sluice,
  { queries, ...asked }: BatchRequest,
  limits: Limits,
  signal: AbortSignal,
): Promise<{ answers: SearchAnswer[] }> {
  if (queries.length > limits.batch) throw beyond("the number of queries", limits.batch, queries.length);
  return { answers: await searchAll(index, queries, asked, limits, signal) };
}

async function searchAll(
  index: Sluice,
  queries: readonly Query[],
  asked: Asked,
  limits: Limits,
  signal: AbortSignal,
): Promise<SearchAnswer[]> {
  for (const query of queries) checkQuery(query, limits);
  const options = optionsOf(asked, limits, signal);
  const answers: SearchAnswer[] = [];
  for (let at = 0; at < queries.length; at += AT_ONCE) {
    const started = performance.now();
    const found = await index.searchAll(queries.slice(at, at + AT_ONCE), options);
    const totalMs = (performance.now() - started) / found.length;
    for (const answer of found) answers.push(answerOf(index, answer, asked, totalMs));
    if (at + AT_ONCE < queries.length) await new Promise((resolve) => setImmediate(resolve));
  }
  return answers;
}

function answerOf(
  index: Sluice,
  { hits, terms, stats }: Answer,
  { fields, highlight }: Asked,
  totalMs: number,
): SearchAnswer {
  return {
    hits: hits.map((hit) => {
      const { id, score, lexical, semantic, document } = hit;
      return {
        id,
        score,
        lexical,
        semantic,
        document: fields ? picked(document, fields) : document,
        ...(highlight && { highlights: highlightsOf(index, terms, document) }),
      };
    }),
    terms: [...terms],
    stats: { ...stats, totalMs },
  };
}

function picked(document: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(document, field)).map((field) => [field, document[field]]),
  );
}

function highlightsOf(index: Sluice, terms: Answer["terms"], document: Fields) {
  return index.highlight(terms, document) as { title?: [number, number][]; text?: [number, number][] };
}

function optionsOf(asked: Asked, limits: Limits, signal: AbortSignal): SearchOptions {
  const { k = 10, offset = 0, plan, lambda, filter, exclude, minScore } = asked;
  if (k > limits.k) throw beyond("k", limits.k, k);
  if (offset + k > limits.depth) throw beyond("offset + k", limits.depth, offset + k);
  if (exclude && exclude.length > limits.depth)
    throw beyond("the number of excluded ids", limits.depth, exclude.length);
  return {
    k,
    offset,
    ...(plan && { plan }),
    ...(lambda !== undefined && { lambda }),
    ...(filter && { filter: filter as Filter }),
    ...(exclude && { exclude }),
    ...(minScore !== undefined && { minScore }),
    signal,
  };
}

function checkQuery(query: Query, { queryLength, queryTerms }: Limits): void {
  const { text = "", weights = {} } = typeof query === "string" ? { text: query } : query;
  if (text.length > queryLength) throw beyond("the length of the query", queryLength, text.length);
  const terms = Object.keys(weights).length;
  if (terms > queryTerms) throw beyond("the number of weights", queryTerms, terms);
}

/** A search by address as the search it stands for. */
export function searchByAddress(parameters: z.infer<typeof searchParameters>): SearchRequest {
  const { q, k, offset, lambda, minScore, theta, mass, filter, highlight } = parameters;
  const pruned = theta !== undefined || mass !== undefined;
  return {
    query: q,
    k,
    offset,
    lambda,
    minScore,
    highlight,
    ...(pruned && { plan: { kind: "pruned", theta, mass } }),
    ...(filter !== undefined && { filter: parsedJson(filter, "filter") as Record<string, unknown> }),
  };
}

export async function explain(
  index: Sluice,
  { query, id, lambda, highlight }: ExplainRequest,
  limits: Limits,
): Promise<ExplainAnswer> {
  checkQuery(query, limits);
  const explanation = await index.explain(query, id, lambda === undefined ? {} : { lambda });
  const { terms, lost, document } = explanation;
  return {
    ...explanation,
    terms: [...terms],
    lost: [...lost],
    ...(highlight && { highlights: highlightsOf(index, terms, document) }),
  };
}

export async function planQuery(
  index: Sluice,
  { query, lambda, plan }: QueryRequest,
  limits: Limits,
): Promise<QueryAnswer> {
  checkQuery(query, limits);
  const started = performance.now();
  const options = { ...(lambda !== undefined && { lambda }), ...(plan && { plan }) };
  const { terms, ...rest } = await index.plan(query, options);
  return { terms: [...terms], ...rest, totalMs: performance.now() - started };
}
