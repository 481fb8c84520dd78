// An address and the fields of an index → the search to ask for, and its answer. Counts beside filters follow the query: for each
// field, they count what the other filters accept, so that its own choices can be widened.

import type { SearchAnswer, SearchRequest } from "../../src/schemas/index.ts";
import { type Address, MOST_HITS } from "../address/address.ts";
import { askedQuery } from "../address/asked-query.ts";
import { type Filters, requestOfFilters, withFilter } from "../address/filters.ts";
import { search } from "../api/calls.ts";
import { countedRanges, type Facet, type Field, groupFieldOf, isFilterable } from "./field.ts";

/** Characters of a document's text in the list. */
const SNIPPET = 280;
/** Values of a field that are counted. */
const MOST_VALUES = 100;

interface SearchOfIndex {
  readonly index: string;
  readonly request: SearchRequest;
  /** For each filtered field, the search that counts it without its own filter. */
  readonly filterCounts: readonly SearchRequest[];
  /** By meaning: the search that counts the documents with a word of the query. */
  readonly wordCount: SearchRequest | undefined;
}

/** What the search page knows of an index. */
interface PageIndex {
  readonly name: string;
  readonly fields: readonly Field[];
  /** Whether words are completed and corrected. */
  readonly completes: boolean;
  /** Whether meaning is searched, too: then every document has a score, and only the best are counted. */
  readonly isByMeaning: boolean;
}

/** The search that an address asks for; undefined if it asks for none. */
export function searchOf(index: PageIndex, address: Address): SearchOfIndex | undefined {
  const { query, k, filters, sort } = address;
  const needsWords = index.isByMeaning && address.match === "any";
  if (query.trim() === "") return undefined;
  const group = groupOf(index.fields, address);
  const counted = index.fields.filter(isFilterable);
  const common = {
    ...askedQuery(address, index),
    ...(needsWords ? { match: "any" as const } : index.isByMeaning && { among: MOST_HITS }),
  };
  return {
    index: index.name,
    request: {
      ...common,
      k,
      total: true,
      snippets: { length: SNIPPET },
      facets: facetsOf(counted.filter(({ name }) => !Object.hasOwn(filters, name))),
      ...filterOf(filters),
      ...(sort !== undefined && { sort }),
      ...(group !== undefined && { groupBy: group }),
    },
    filterCounts: counted
      .filter(({ name }) => Object.hasOwn(filters, name))
      .map((field) => ({
        ...common,
        k: 0,
        facets: facetsOf([field]),
        ...filterOf(withFilter(filters, field.name, {})),
      })),
    wordCount:
      index.isByMeaning && !needsWords
        ? { ...common, among: undefined, match: "any", k: 0, total: true, ...filterOf(filters) }
        : undefined,
  };
}

/** The field of which each value is shown once. Passages of one document are shown once unless the address says otherwise. */
export function groupOf(fields: readonly Field[], { group }: Address): string | undefined {
  return group === "none" ? undefined : (group ?? groupFieldOf(fields));
}

function facetsOf(fields: readonly Field[]): NonNullable<SearchRequest["facets"]> {
  return fields.map(({ name, range, choices, denseRange }) =>
    choices || !range
      ? { field: name, limit: MOST_VALUES }
      : { field: name, ranges: countedRanges(range, denseRange) },
  );
}

function filterOf(filters: Filters): Pick<SearchRequest, "filter"> {
  return Object.keys(filters).length > 0 ? { filter: requestOfFilters(filters) } : {};
}

/** An answer with the counts of all fields. */
export interface CountedAnswer extends SearchAnswer {
  readonly facets: readonly Facet[];
  /** By meaning: how many documents have a word of the query. */
  readonly withWords?: number | undefined;
}

/** Asks for the hits, for the counts beside each filter, and for how many documents have the words. */
export async function askSearch(
  { index, request, filterCounts, wordCount }: SearchOfIndex,
  signal: AbortSignal,
): Promise<CountedAnswer> {
  const ask = (one: SearchRequest) => search(index, one, signal);
  const [wordAnswer, answer, ...filterAnswers] = await Promise.all([
    wordCount && ask(wordCount),
    ...[request, ...filterCounts].map(ask),
  ]);
  return {
    ...answer,
    facets: [answer, ...filterAnswers].flatMap(countedFacets),
    withWords: wordAnswer?.total,
  };
}

/** The counts of an answer. By meaning only the best are counted, and each count says so. */
function countedFacets({ facets = [], among, total = 0, stats }: SearchAnswer): Facet[] {
  const isPartial = among === "best" && total < stats.allowedCount;
  return facets.map((facet) => ({ ...facet, ...(isPartial && { countedBest: total }) }));
}
