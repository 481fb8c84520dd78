// The tools that a language model can call on an index: search, explain and get. Each has a schema of its input, a plain
// object as output, and the same output as a short text, because a model pays for every token that it reads.
// The AI SDK and MCP adapters share this file.

import type { Filter } from "../documents/filter.ts";
import { UsageError } from "../errors.ts";
import type { Hit } from "../rank/answer.ts";
import type { Sluice } from "../sluice.ts";

/** Limits that the program sets for the model. */
export interface ToolLimits {
  /** The number of hits, unless the model asks for another; 10 by default. */
  k?: number;
  /** The most characters of a hit's text, 1,000 by default. `get` returns the whole text. */
  textLength?: number;
  /** A filter that every hit must match, in addition to the model's own filter. */
  filter?: Filter;
  /** Leaves out hits with a lower score. The model can only raise it. */
  minScore?: number;
}

/** The largest `k` that a model may ask for. */
const MAX_HITS = 100;
/** Characters of the longest query. */
const MAX_QUERY_LENGTH = 10_000;

const QUERY = { type: "string", minLength: 1, maxLength: MAX_QUERY_LENGTH } as const;
const ID = { type: "string", description: "the id of a document, as search returns it" } as const;
const NUMBER = { type: "number" } as const;
const FIELDS = { type: "object", additionalProperties: true } as const;

/** The inputs of the tools, as JSON Schema. */
export const TOOL_INPUT = {
  search: {
    type: "object",
    properties: {
      query: {
        ...QUERY,
        minLength: 0,
        description: "a question or keywords; matched by words and, if the index supports it, by meaning",
      },
      k: { type: "integer", minimum: 1, maximum: MAX_HITS, description: "number of hits" },
      offset: {
        type: "integer",
        minimum: 0,
        maximum: 10_000,
        description: "number of best hits to skip",
      },
      minScore: {
        ...NUMBER,
        description: "leave out hits with a lower score; scores have no upper bound, so look at some first",
      },
      filter: {
        ...FIELDS,
        description:
          'a condition on fields: {"year": {"gte": 1919, "lt": 1933}, "kind": {"in": ["a", "b"]}}; operators are eq, ne, ' +
          "in, lt, lte, gt, gte, exists; combine with and, or, not",
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  explain: {
    type: "object",
    properties: { query: QUERY, id: ID },
    required: ["query", "id"],
    additionalProperties: false,
  },
  get: { type: "object", properties: { id: ID }, required: ["id"], additionalProperties: false },
} as const;

const FOUND = {
  type: "object",
  properties: {
    id: { type: "string" },
    score: NUMBER,
    lexical: NUMBER,
    semantic: NUMBER,
    title: { type: "string" },
    text: { type: "string" },
    isCut: { type: "boolean", description: "the text is cut; get returns all of it" },
    fields: FIELDS,
  },
  required: ["id", "score", "lexical", "semantic", "fields"],
} as const;

/** The outputs of the tools, as JSON Schema. */
export const TOOL_OUTPUT = {
  search: {
    type: "object",
    properties: {
      hits: { type: "array", items: FOUND },
      unknown: {
        type: "array",
        items: { type: "string" },
        description: "terms of the query that no document holds",
      },
    },
    required: ["hits", "unknown"],
  },
  explain: {
    type: "object",
    properties: {
      id: { type: "string" },
      score: NUMBER,
      lexical: NUMBER,
      semantic: NUMBER,
      matched: {
        type: "array",
        items: {
          type: "object",
          properties: { term: { type: "string" }, contribution: NUMBER },
          required: ["term", "contribution"],
        },
      },
      missed: { type: "array", items: { type: "string" } },
    },
    required: ["id", "score", "lexical", "semantic", "matched", "missed"],
  },
  get: {
    type: "object",
    properties: {
      id: { type: "string" },
      title: { type: "string" },
      text: { type: "string" },
      fields: FIELDS,
    },
    required: ["id", "fields"],
  },
} as const;

export interface SearchInput {
  readonly query: string;
  readonly k?: number;
  readonly offset?: number;
  readonly minScore?: number;
  readonly filter?: Filter;
}

/** A document as the model sees it. */
export interface FoundDocument {
  readonly id: string;
  readonly title?: string;
  readonly text?: string;
  /** All other fields of the document. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface FoundHit extends FoundDocument {
  readonly score: number;
  readonly lexical: number;
  readonly semantic: number;
  readonly isCut?: true;
}

export interface SearchOutput {
  readonly hits: readonly FoundHit[];
  readonly unknown: readonly string[];
}

export interface ExplainOutput {
  readonly id: string;
  readonly score: number;
  readonly lexical: number;
  readonly semantic: number;
  readonly matched: readonly { readonly term: string; readonly contribution: number }[];
  readonly missed: readonly string[];
}

/** Checks the input of a model against the schema. The filter is checked by the search. */
export function checkedSearchInput(input: unknown): SearchInput {
  const { query, k, offset, minScore, filter, ...others } = (input ?? {}) as Record<string, unknown>;
  if (typeof query !== "string") throw new UsageError('"query" must be a string');
  if (query.length > MAX_QUERY_LENGTH)
    throw new UsageError(`"query" has ${query.length} characters, expected at most ${MAX_QUERY_LENGTH}`);
  if (k !== undefined && !(Number.isInteger(k) && Number(k) >= 1 && Number(k) <= MAX_HITS))
    throw new UsageError(`"k" must be a whole number from 1 to ${MAX_HITS}, not ${JSON.stringify(k)}`);
  if (offset !== undefined && !(Number.isInteger(offset) && Number(offset) >= 0))
    throw new UsageError(`"offset" must be a whole number of at least 0, not ${JSON.stringify(offset)}`);
  if (minScore !== undefined && !Number.isFinite(minScore))
    throw new UsageError(`"minScore" must be a number, not ${JSON.stringify(minScore)}`);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new UsageError(`${JSON.stringify(other)} is not a parameter of search`);
  return input as SearchInput;
}

/** Runs the search tool. */
export async function searchFor(
  index: Sluice,
  { query, k, offset, minScore, filter }: SearchInput,
  limits: ToolLimits = {},
): Promise<SearchOutput> {
  const filters = [limits.filter, filter].filter((one) => one !== undefined);
  const least = [limits.minScore, minScore].filter((one) => one !== undefined);
  const answer = await index.search(query, {
    k: k ?? limits.k ?? 10,
    ...(offset !== undefined && { offset }),
    ...(least.length > 0 && { minScore: Math.max(...least) }),
    ...(filters.length > 0 && { filter: filters.length === 1 ? filters[0] : { and: filters } }),
  });
  return {
    hits: answer.hits.map((hit) => shownHit(hit, limits.textLength ?? 1000)),
    unknown: answer.terms.filter(({ fate }) => fate === "unknown").map(({ term }) => term),
  };
}

/** Runs the explain tool. */
export async function explainFor(
  index: Sluice,
  { query, id }: { query: string; id: string },
): Promise<ExplainOutput> {
  const { score, lexical, semantic, matched, missed } = await index.explain(query, id);
  return {
    id,
    score,
    lexical,
    semantic,
    matched: matched.map(({ term, contribution }) => ({ term, contribution })),
    missed: missed.map(({ term }) => term),
  };
}

/** Runs the get tool: returns the whole document. */
export function getFor(index: Sluice, id: string): FoundDocument {
  const { title, text, ...fields } = index.document(id) as { title?: string; text?: string };
  return { id, ...(title && { title }), ...(text && { text }), fields };
}

function shownHit({ id, score, lexical, semantic, document }: Hit, textLength: number): FoundHit {
  const { title, text, ...fields } = document as { title?: string; text?: string };
  const isCut = text !== undefined && text !== null && text.length > textLength;
  const shown = isCut ? `${text.slice(0, textLength).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
  return {
    ...{ id, score, lexical, semantic },
    ...(title && { title }),
    ...(shown && { text: shown }),
    ...(isCut && { isCut }),
    fields,
  };
}

/** The hits as text for the model. */
export function searchText({ hits, unknown }: SearchOutput): string {
  if (hits.length === 0) return ["No document matches.", ...unknownText(unknown)].join("\n\n");
  const parts = hits.map((hit, i) => {
    const parts = hit.semantic === 0 ? "" : ` = ${round(hit.lexical)} words + ${round(hit.semantic)} meaning`;
    return `${i + 1}. id ${JSON.stringify(hit.id)}, score ${round(hit.score)}${parts}\n${documentText(hit)}`;
  });
  return [...parts, ...unknownText(unknown)].join("\n\n");
}

function unknownText(unknown: readonly string[]): string[] {
  return unknown.length === 0 ? [] : [`In no document: ${unknown.join(", ")}`];
}

/** The explanation as text for the model. */
export function explainText({ id, score, semantic, matched, missed }: ExplainOutput): string {
  return [
    `${JSON.stringify(id)} scores ${round(score)}:`,
    ...matched.map(({ term, contribution }) => `  ${term} ${round(contribution)}`),
    ...(semantic === 0 ? [] : [`  meaning ${round(semantic)}`]),
    ...(missed.length === 0 ? [] : [`not in the document, or without a slot: ${missed.join(", ")}`]),
  ].join("\n");
}

/** The document as text for the model. */
export function documentText({ title, text, fields }: FoundDocument): string {
  const others = Object.entries(fields).map(([name, value]) =>
    typeof value === "string" ? `${name}: ${value}` : `${name}: ${JSON.stringify(value)}`,
  );
  return [title, text, others.join(", ")].filter(Boolean).join("\n");
}

function round(value: number): string {
  return value.toFixed(2);
}
