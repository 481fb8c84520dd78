// Read requests (search, batch, explain, query) → calls of the library, within the limits; and its results → answers.

import { basename } from "node:path";
import type { z } from "@hono/zod-openapi";
import { UsageError } from "../errors.ts";
import type { Answer, Fields, Filter, Query, RerankedSearchOptions, Sluice } from "../index.ts";
import { beyond } from "./http-errors.ts";
import type { Limits } from "./limits.ts";
import { parseSafeJson } from "./safe-json.ts";
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

/** Queries of a batch that are searched together before other requests get a turn. More is faster and less fair. */
const AT_ONCE = 8;

type Asked = Omit<SearchRequest, "query">;

/** The notice on an answer without a semantic part, when the index has one and the client did not turn it off. */
const WORDS_ONLY =
  "answered by words only: this index holds your own vectors and has no encoder for the text of a query; " +
  "send a vector to search by meaning as well";

export async function search(
  index: Sluice,
  { query, ...asked }: SearchRequest,
  limits: Limits,
  signal: AbortSignal,
  reranker?: string,
): Promise<SearchAnswer> {
  return (await searchAll(index, [query], asked, limits, signal, reranker))[0];
}

export async function batch(
  index: Sluice,
  { queries, ...asked }: BatchRequest,
  limits: Limits,
  signal: AbortSignal,
  reranker?: string,
): Promise<{ answers: SearchAnswer[] }> {
  if (queries.length > limits.batch) throw beyond("the number of queries", limits.batch, queries.length);
  return { answers: await searchAll(index, queries, asked, limits, signal, reranker) };
}

async function searchAll(
  index: Sluice,
  queries: readonly Query[],
  asked: Asked,
  limits: Limits,
  signal: AbortSignal,
  reranker?: string,
): Promise<SearchAnswer[]> {
  for (const query of queries) checkQuery(query, limits);
  const options = { ...optionsOf(asked, limits, signal), ...rerankOf(asked, limits, reranker) };
  const answers: SearchAnswer[] = new Array(queries.length);
  for (const { places, notice } of groupsOf(index, queries, asked.lambda)) {
    const searched = notice === undefined ? options : { ...options, lambda: 0 };
    for (let at = 0; at < places.length; at += AT_ONCE) {
      if (at > 0) await new Promise((resolve) => setImmediate(resolve));
      const some = places.slice(at, at + AT_ONCE);
      const started = performance.now();
      const found = await index.searchAll(
        some.map((place) => queries[place]),
        searched,
      );
      const totalMs = (performance.now() - started) / found.length;
      for (const [i, answer] of found.entries()) {
        answers[some[i]] = { ...answerOf(index, answer, asked, totalMs), ...(notice && { notice }) };
      }
    }
  }
  return answers;
}

/** Positions of the queries in two groups: those searched as they are, and those searched by words only with a notice. */
function groupsOf(index: Sluice, queries: readonly Query[], lambda: number | undefined) {
  const places = [...queries.keys()];
  const notices = queries.map((query) => noticeOf(index, query, lambda));
  return [undefined, WORDS_ONLY]
    .map((notice) => ({ notice, places: places.filter((place) => notices[place] === notice) }))
    .filter((group) => group.places.length > 0);
}

/** A text without a vector cannot be compared with the user's own vectors: it is searched by words, with this notice. */
function noticeOf(index: Sluice, query: Query, lambda: number | undefined): string | undefined {
  if (!index.ownVectors || (typeof query !== "string" && query.vector)) return undefined;
  return (lambda ?? index.info().lambda) > 0 ? WORDS_ONLY : undefined;
}

function answerOf(
  index: Sluice,
  { hits, terms, stats }: Answer,
  { fields, highlight }: Asked,
  totalMs: number,
): SearchAnswer {
  const { rerank } = stats;
  return {
    hits: hits.map((hit) => {
      const { id, score, lexical, semantic, document, rerank } = hit;
      return {
        id,
        score,
        lexical,
        semantic,
        document: fields ? pickFields(document, fields) : document,
        ...(rerank && { rerank }),
        ...(highlight && { highlights: highlightsOf(index, terms, document) }),
      };
    }),
    terms: [...terms],
    // Clients need not know the server's folders.
    stats: { ...stats, ...(rerank && { rerank: { ...rerank, model: basename(rerank.model) } }), totalMs },
  };
}

function pickFields(document: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(document, field)).map((field) => [field, document[field]]),
  );
}

function highlightsOf(index: Sluice, terms: Answer["terms"], document: Fields) {
  return index.highlight(terms, document) as { title?: [number, number][]; text?: [number, number][] };
}

function optionsOf(asked: Asked, limits: Limits, signal: AbortSignal): RerankedSearchOptions {
  const { k = 10, offset = 0, plan, lambda, filter, exclude, minScore } = asked;
  if (k > limits.k) throw beyond("k", limits.k, k);
  if (offset > limits.depth) throw beyond("offset", limits.depth, offset);
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
      "start it with --rerank FOLDER, or leave out rerank",
    );
  }
  const { top = Math.min(50, limits.k), mix } = rerank;
  if (top > limits.k) throw beyond("rerank.top", limits.k, top);
  return { rerank: { model, top, ...(mix !== undefined && { mix }) } };
}

function checkQuery(query: Query, { queryLength, queryTerms }: Limits): void {
  const { text = "", weights = {} } = typeof query === "string" ? { text: query } : query;
  // OpenAPI counts code points, not UTF-16 units.
  const length = text.length > queryLength ? [...text].length : text.length;
  if (length > queryLength) throw beyond("the length of the query", queryLength, length);
  const terms = Object.keys(weights).length;
  if (terms > queryTerms) throw beyond("the number of weights", queryTerms, terms);
}

/** The parameters of a GET search → the body of the same POST search. */
export function searchByAddress(parameters: z.infer<typeof searchParameters>): SearchRequest {
  const { q, k, offset, lambda, minScore, theta, mass, filter, highlight } = parameters;
  // A query string cannot declare that the two exclude each other, so theta takes precedence.
  const pruning = theta !== undefined ? { theta } : mass !== undefined ? { mass } : undefined;
  return {
    query: q,
    k,
    offset,
    lambda,
    minScore,
    highlight,
    ...(pruning && { plan: { kind: "pruned", ...pruning } }),
    ...(filter !== undefined && { filter: parseSafeJson(filter, "filter") as Record<string, unknown> }),
  };
}

export async function explain(
  index: Sluice,
  { query, id, lambda, highlight }: ExplainRequest,
  limits: Limits,
): Promise<ExplainAnswer> {
  checkQuery(query, limits);
  const notice = noticeOf(index, query, lambda);
  const explanation = await index.explain(query, id, weightOf(notice, lambda));
  const { terms, lost, document } = explanation;
  return {
    ...explanation,
    terms: [...terms],
    lost: [...lost],
    ...(highlight && { highlights: highlightsOf(index, terms, document) }),
    ...(notice && { notice }),
  };
}

export async function planQuery(
  index: Sluice,
  { query, lambda, plan }: QueryRequest,
  limits: Limits,
): Promise<QueryAnswer> {
  checkQuery(query, limits);
  const started = performance.now();
  const notice = noticeOf(index, query, lambda);
  const { terms, ...rest } = await index.plan(query, { ...weightOf(notice, lambda), ...(plan && { plan }) });
  const totalMs = performance.now() - started;
  return { terms: [...terms], ...rest, totalMs, ...(notice && { notice }) };
}

function weightOf(notice: string | undefined, lambda: number | undefined): { lambda?: number } {
  if (notice !== undefined) return { lambda: 0 };
  return lambda === undefined ? {} : { lambda };
}
