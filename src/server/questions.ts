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

/** The notice on an answer without a semantic part, when the index has one and the client did not turn it off. */
const WORDS_ONLY =
  "answered by words only: this index holds your own vectors and has no encoder for the text of a query; " +
  "send a vector to search by meaning as well";

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
  const shown = hits.map(
    ({ document, ...hit }): HitAnswer => ({
      ...hit,
      document: fields ? pickFields(document, fields) : document,
      ...(highlight && { highlights: index.highlight(terms, document) }),
    }),
  );
  return { hits: shown, terms, stats: { ...stats, totalMs } };
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
  const notice = noticeOf(index, query, lambda);
  const explanation = await index.explain(query, id, weightOf(notice, lambda));
  const { terms, document } = explanation;
  return {
    ...explanation,
    ...(highlight && { highlights: index.highlight(terms, document) }),
    ...(notice && { notice }),
  };
}

export async function answerExplainQuery(
  index: Sluice,
  { query, lambda, plan }: z.output<typeof explainQueryRequest>,
  limits: Limits,
): Promise<ExplainQueryAnswer> {
  checkQuery(query, limits);
  const started = performance.now();
  const notice = noticeOf(index, query, lambda);
  const explanation = await index.explainQuery(query, { ...weightOf(notice, lambda), plan });
  return { ...explanation, totalMs: performance.now() - started, ...(notice && { notice }) };
}

function weightOf(notice: string | undefined, lambda: number | undefined): { lambda?: number } {
  if (notice !== undefined) return { lambda: 0 };
  return lambda === undefined ? {} : { lambda };
}
