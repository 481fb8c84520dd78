// Queries, boosts, filters, synonyms and typos have several forms, and a schema only knows that a value has none of them. The
// library knows what is wrong with it.

import { checkBoosts } from "../../documents/boost.ts";
import { checkFilter } from "../../documents/filter.ts";
import { checkQueries, checkQuery } from "../../query/ask/query.ts";
import { checkWordOptions } from "../../query/words/word-options.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";

type Checks = Readonly<Record<string, (value: never) => void>>;

const CHECKS: Checks = {
  boosts: (boosts) => checkBoosts(boosts, 0),
  filter: (filter) => checkFilter(filter),
  synonyms: (synonyms) => checkWordOptions({ synonyms }),
  typos: (typos) => checkWordOptions({ typos }),
};

const QUERY_CHECKS: Checks = {
  query: (query) => checkQuery(query),
  queries: (queries) => checkQueries(queries),
};

/** What the library says about an option of a request that fits no form of the schema. A URL has the option as JSON. */
export function findLibraryError(name: string, value: unknown): SluiceError | undefined {
  return findErrorBy(CHECKS, name, value);
}

/** What the library says about the query of a request, or about its queries. */
export function findQueryError(name: string, value: unknown): SluiceError | undefined {
  return findErrorBy(QUERY_CHECKS, name, value);
}

function findErrorBy(checks: Checks, name: string, value: unknown): SluiceError | undefined {
  if (!Object.hasOwn(checks, name)) return undefined;
  try {
    checks[name]((typeof value === "string" ? JSON.parse(value) : value) as never);
  } catch (error) {
    if (error instanceof SluiceError) return error;
  }
  return undefined;
}
