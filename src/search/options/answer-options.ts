// The options of a search that shape its answer: which documents may be hits by their words, what is counted, how hits are
// sorted and grouped, and which parts of them are shown.

import type { Fields } from "../../documents/document.ts";
import { checkFieldName, type FieldName } from "../../documents/filter.ts";
import {
  checkBoolean,
  checkNumber,
  checkParts,
  checkTextList,
  isObject,
  type KnownOptions,
  MOST_DOCS,
  optionError,
  showValue,
  wrongValueError,
} from "../../support/options/options.ts";
import { type CheckedFacet, checkFacets, type FacetRequest } from "./facet-options.ts";

/** How hits are sorted, instead of by their scores. */
export interface SortOptions<Name extends string = string> {
  readonly field: Name;
  /** The smallest value first, or the largest; `asc` by default. */
  readonly order?: "asc" | "desc" | undefined;
}

/** A field to sort by, with an order behind it or without: "year", "year:desc". */
export type SortName<Name extends string> = Name | `${Name}:${"asc" | "desc"}`;

/** A field of the documents themselves, no path into one. Where nothing is known of the documents, every name. */
export type ReturnedField<FieldsType> = FieldsType extends unknown
  ? (keyof FieldsType & string) | "passage"
  : never;

/** The default of `snippets.length`. */
export const DEFAULT_SNIPPET_LENGTH = 160;
/** The bounds of `snippets.length` and of `snippets.count`. Longer snippets are texts, and more of them are a list of all words. */
export const SNIPPET_BOUNDS = {
  length: { least: 20, most: 10_000, isWhole: true },
  count: { least: 1, most: 100, isWhole: true },
} as const;

export interface SnippetOptions {
  /** The length of a snippet in characters, more or less; 160 by default. */
  readonly length?: number | undefined;
  /** The most snippets of one text; 1 by default. */
  readonly count?: number | undefined;
}

export interface AnswerOptions<FieldsType = Fields> {
  /** Hits must hold at least one (`any`) or all (`all`) of the query's words. By default meaning alone may find a document. */
  readonly match?: "any" | "all" | undefined;
  /** Counts the values of fields, or ranges of values: ["year", { field: "price", ranges: [{ lt: 10 }, { gte: 10 }] }]. */
  readonly facets?: readonly FacetRequest<FieldsType>[] | undefined;
  /** Counts the documents that match. */
  readonly total?: boolean | undefined;
  /**
   * Which documents are counted and sorted: all that the filter accepts (`filter`), or this many of the best, which are then the
   * only hits. By default all documents that hold a word of the query; if meaning is searched, too, the best 1,000. The answer's
   * `among` says which.
   */
  readonly among?: "filter" | number | undefined;
  /**
   * Sorts by a field instead of the score: "year", "year:desc", or { field: "year", order: "desc" }. Equal values are sorted by
   * score. Documents without a value come last.
   */
  readonly sort?: SortName<FieldName<FieldsType>> | SortOptions<FieldName<FieldsType>> | undefined;
  /** Returns only the best hit of all documents with the same value in this field. One without a value is a group of its own. */
  readonly groupBy?: FieldName<FieldsType> | undefined;
  /** Gives each hit the parts of its text that hold the most of the query's words, with the words marked. */
  readonly snippets?: boolean | SnippetOptions | undefined;
  /**
   * Gives each hit the places of the query's words in its title and text, or in its text fields, as `highlight` of an index does.
   */
  readonly highlight?: boolean | undefined;
  /** The fields of the documents to return; all by default, none for an empty list. */
  readonly fields?: readonly ReturnedField<FieldsType>[] | undefined;
}

/** `AnswerOptions`, checked and complete. Undefined: the answer does without. */
export interface CheckedAnswerOptions {
  readonly match: AnswerOptions["match"];
  readonly facets: readonly CheckedFacet[] | undefined;
  readonly total: boolean;
  readonly among: AnswerOptions["among"];
  readonly sort: CheckedSort | undefined;
  readonly groupBy: string | undefined;
  readonly snippets: SnippetOptions | undefined;
  readonly highlight: boolean;
  /** Undefined: all fields. */
  readonly fields: readonly string[] | undefined;
}

/** The field and the order that hits are sorted by. */
export interface CheckedSort {
  readonly field: string;
  readonly order: "asc" | "desc";
}

/** The names of the options that shape an answer. */
export const ANSWER_OPTIONS: KnownOptions<AnswerOptions> = {
  match: true,
  facets: true,
  total: true,
  among: true,
  sort: true,
  groupBy: true,
  snippets: true,
  highlight: true,
  fields: true,
};

const SORT_OPTIONS: KnownOptions<SortOptions> = { field: true, order: true };
const SNIPPET_OPTIONS: KnownOptions<SnippetOptions> = { length: true, count: true };

/** Throws if an option is wrong. */
export function checkAnswerOptions({
  match,
  facets,
  total = false,
  among,
  sort,
  groupBy,
  snippets = false,
  highlight = false,
  fields,
  rerank,
}: AnswerOptions & { readonly rerank?: unknown }): CheckedAnswerOptions {
  if (match !== undefined && match !== "any" && match !== "all")
    throw wrongValueError("match", '"any" or "all"', match);
  const checkedFacets = facets === undefined ? undefined : checkFacets(facets);
  checkBoolean("total", total);
  if (among !== undefined && among !== "filter") {
    if (typeof among !== "number") throw wrongValueError("among", '"filter" or a number of hits', among);
    checkNumber("among", among, { least: 1, most: MOST_DOCS, isWhole: true });
  }
  const checkedSort = sort === undefined ? undefined : checkSort(sort);
  if (sort !== undefined && rerank !== undefined)
    throw optionError(
      "sort",
      "a search has either sort or rerank: each of them orders the hits",
      "leave one out",
    );
  if (groupBy !== undefined) checkFieldName(groupBy, "groupBy");
  if (isObject(snippets)) {
    checkParts("snippets", snippets, SNIPPET_OPTIONS);
    const { length, count } = snippets as SnippetOptions;
    checkNumber("snippets.length", length, SNIPPET_BOUNDS.length);
    checkNumber("snippets.count", count, SNIPPET_BOUNDS.count);
  } else checkBoolean("snippets", snippets);
  checkBoolean("highlight", highlight);
  checkReturnedFields(fields);
  return {
    match,
    facets: checkedFacets,
    total,
    among,
    sort: checkedSort,
    groupBy,
    snippets: toSnippets(snippets),
    highlight,
    fields,
  };
}

/** Throws unless these are names of fields, or all fields are wanted. */
export function checkReturnedFields(fields: unknown): void {
  if (fields !== undefined) checkTextList("fields", "names of fields", fields);
}

function toSnippets(snippets: boolean | SnippetOptions): SnippetOptions | undefined {
  if (typeof snippets === "object") return snippets;
  return snippets ? {} : undefined;
}

function toSort(sort: string | SortOptions): SortOptions {
  if (typeof sort !== "string") return sort;
  const colon = sort.lastIndexOf(":");
  if (colon < 0) return { field: sort };
  const [field, order] = [sort.slice(0, colon), sort.slice(colon + 1)];
  if (order === "asc" || order === "desc") return { field, order };
  throw optionError(
    "sort",
    `sort: ${showValue(order)} is not an order, expected asc or desc`,
    `a field with a colon in its name is sorted by ${JSON.stringify(`${sort}:asc`)}`,
  );
}

function checkSort(sort: string | SortOptions): CheckedSort {
  if (typeof sort !== "string") checkParts("sort", sort, SORT_OPTIONS);
  const { field, order = "asc" } = toSort(sort);
  checkFieldName(field, typeof sort === "string" ? "sort" : "sort.field");
  if (order !== "asc" && order !== "desc") throw wrongValueError("sort.order", '"asc" or "desc"', order);
  return { field, order };
}

/** A field whose values an answer needs, and the option that asks for it. */
export interface NeededField {
  readonly field: string;
  readonly option: "facets" | "sort" | "groupBy";
}

const NO_FIELDS: readonly NeededField[] = [];

/** The fields whose values an answer needs. */
export function fieldsNeeded({ facets, sort, groupBy }: CheckedAnswerOptions): readonly NeededField[] {
  if (!facets && !sort && groupBy === undefined) return NO_FIELDS;
  return [
    ...(facets ?? []).map(({ field }) => ({ field, option: "facets" as const })),
    ...(sort ? [{ field: sort.field, option: "sort" as const }] : []),
    ...(groupBy === undefined ? [] : [{ field: groupBy, option: "groupBy" as const }]),
  ];
}

/** Whether an answer needs all documents that match, and not only the best by score: to count, sort or group them. */
export function needsAllMatches({
  match,
  facets,
  total,
  among,
  sort,
  groupBy,
}: CheckedAnswerOptions): boolean {
  return (match ?? facets ?? sort ?? groupBy) !== undefined || total || typeof among === "number";
}
