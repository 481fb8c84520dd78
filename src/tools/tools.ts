// What a language model may ask of an index, whatever brings its questions: search, explain and get, each with a schema for what
// goes in, a plain object for what comes out, and the same as a short text, since a model pays for every word it reads.

import type { Filter } from "../documents/filter.ts";
import { UsageError } from "../errors.ts";
import type { Hit } from "../rank/answer.ts";
import type { Sluice } from "../sluice.ts";

/** What the caller of a tool is held to. */
export interface ToolLimits {
  /** Hits when the model does not say how many; 5 when left out. */
  k?: number;
  /** Characters of a text that a hit shows; 1,000 when left out. `get` shows all of it. */
  textLength?: number;
  /** What every document that is found must fulfil, besides what the model asks. */
  filter?: Filter;
  /** Leaves out hits that score less, whatever the model asks. */
  minScore?: number;
}

const MOST_HITS = 100;
const LONGEST_QUERY = 10_000;

const QUERY = { type: "string", minLength: 1, maxLength: LONGEST_QUERY } as const;
const ID = { type: "string", description: "the id of a document, as search gives it" } as const;
const NUMBER = { type: "number" } as const;
const FIELDS = { type: "object", additionalProperties: true } as const;

/** The schemas of what tools are asked, in JSON Schema. */
export const TOOL_INPUT = {
  search: {
    type: "object",
    properties: {
      query: {
        ...QUERY,
        minLength: 0,
        description: "a question or keywords; words and, where the index has it, meaning count",
      },
      k: { type: "integer", minimum: 1, maximum: MOST_HITS, description: "how many hits" },
      offset: {
        type: "integer",
        minimum: 0,
        maximum: 10_000,
        description: "how many of the best to leave out",
      },
      minScore: {
        ...NUMBER,
        description: "leave out hits that score less; scores have no upper end, so look at some first",
      },
      filter: {
        ...FIELDS,
        description:
          'what fields must fulfil: {"year": {"gte": 1919, "lt": 1933}, "kind": {"in": ["a", "b"]}}; operators are eq, ne, ' +
          "in, lt, lte, gt, gte, exists, combined by and, or, not",
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
    isCut: { type: "boolean", description: "the text goes on: get has all of it" },
    fields: FIELDS,
  },
  required: ["id", "score", "lexical", "semantic", "fields"],
} as const;

/** The schemas of what tools answer. */
export const TOOL_OUTPUT = {
  search: {
    type: "object",
    properties: {
      hits: { type: "array", items: FOUND },
      unknown: { type: "array", items: { type: "string" }, description: "terms of the query in no document" },
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

/** A document as a model is shown it. */
export interface FoundDocument {
  readonly id: string;
  readonly title?: string;
  readonly text?: string;
  /** Everything else the document has. */
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

/** What a model sent, when it is what the schema says; the filter is checked by the search. */
export function checkedSearchInput(input: unknown): SearchInput {
  const { query, k, offset, minScore, filter, ...others } = (input ?? {}) as Record<string, unknown>;
  if (typeof query !== "string") throw new UsageError('"query" must be a text');
  if (query.length > LONGEST_QUERY)
    throw new UsageError(`"query" has ${query.length} characters, at most ${LONGEST_QUERY} are taken`);
  if (k !== undefined && !(Number.isInteger(k) && Number(k) >= 1 && Number(k) <= MOST_HITS))
    throw new UsageError(`"k" must be a whole number from 1 to ${MOST_HITS}, not ${JSON.stringify(k)}`);
  if (offset !== undefined && !(Number.isInteger(offset) && Number(offset) >= 0))
    throw new UsageError(`"offset" must be a whole number, not ${JSON.stringify(offset)}`);
  if (minScore !== undefined && !Number.isFinite(minScore))
    throw new UsageError(`"minScore" must be a number, not ${JSON.stringify(minScore)}`);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new UsageError(`there is no ${JSON.stringify(other)}`);
  return input as SearchInput;
}

/** Searches as a model asks. */
export async function searchFor(
  index: Sluice,
  { query, k, offset, minScore, filter }: SearchInput,
  limits: ToolLimits = {},
): Promise<SearchOutput> {
  const filters = [limits.filter, filter].filter((one) => one !== undefined);
  const least = [limits.minScore, minScore].filter((one) => one !== undefined);
  const answer = await index.search(query, {
    k: k ?? limits.k ?? 5,
    ...(offset !== undefined && { offset }),
    ...(least.length > 0 && { minScore: Math.max(...least) }),
    ...(filters.length > 0 && { filter: filters.length === 1 ? filters[0] : { and: filters } }),
  });
  return {
    hits: answer.hits.map((hit) => found(hit, limits.textLength ?? 1000)),
    unknown: answer.terms.filter(({ fate }) => fate === "unknown").map(({ term }) => term),
  };
}

/** Explains as a model asks. */
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

/** A document, whole. */
export function getFor(index: Sluice, id: string): FoundDocument {
  const { title, text, ...fields } = index.document(id) as { title?: string; text?: string };
  return { id, ...(title && { title }), ...(text && { text }), fields };
}

function found({ id, score, lexical, semantic, document }: Hit, textLength: number): FoundHit {
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

/** Hits for a model to read. */
export function searchText({ hits, unknown }: SearchOutput): string {
  if (hits.length === 0) return ["No document matches.", ...inNoDocument(unknown)].join("\n\n");
  const parts = hits.map((hit, i) => {
    const parts = hit.semantic === 0 ? "" : ` = ${round(hit.lexical)} words + ${round(hit.semantic)} meaning`;
    return `${i + 1}. id ${JSON.stringify(hit.id)}, score ${round(hit.score)}${parts}\n${documentText(hit)}`;
  });
  return [...parts, ...inNoDocument(unknown)].join("\n\n");
}

function inNoDocument(unknown: readonly string[]): string[] {
  return unknown.length === 0 ? [] : [`In no document: ${unknown.join(", ")}`];
}

/** An explanation for a model to read. */
export function explainText({ id, score, semantic, matched, missed }: ExplainOutput): string {
  return [
    `${JSON.stringify(id)} scores ${round(score)}:`,
    ...matched.map(({ term, contribution }) => `  ${term} ${round(contribution)}`),
    ...(semantic === 0 ? [] : [`  meaning ${round(semantic)}`]),
    ...(missed.length === 0 ? [] : [`not in the document, or without a slot: ${missed.join(", ")}`]),
  ].join("\n");
}

/** A document for a model to read. */
export function documentText({ title, text, fields }: FoundDocument): string {
  const others = Object.entries(fields).map(([name, value]) =>
    typeof value === "string" ? `${name}: ${value}` : `${name}: ${JSON.stringify(value)}`,
  );
  return [title, text, others.join(", ")].filter(Boolean).join("\n");
}

function round(value: number): string {
  return value.toFixed(2);
}
