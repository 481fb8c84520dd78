// Boosts, filters, synonyms and typos have several forms, and a schema only knows that a value has none of them. The library knows
// what is wrong with it.

import { checkBoosts } from "../../documents/boost.ts";
import { checkFilter } from "../../documents/filter.ts";
import { checkWordOptions } from "../../query/words/word-options.ts";
import { UsageError } from "../../support/errors/usage-error.ts";

const CHECKS: Readonly<Record<string, (value: never) => void>> = {
  boosts: (boosts) => checkBoosts(boosts, 0),
  filter: (filter) => checkFilter(filter),
  synonyms: (synonyms) => checkWordOptions({ synonyms }),
  typos: (typos) => checkWordOptions({ typos }),
};

/** What the library says about an option of a request that fits no form of the schema. A URL has the option as JSON. */
export function findLibraryError(name: string, value: unknown): UsageError | undefined {
  if (!Object.hasOwn(CHECKS, name)) return undefined;
  try {
    CHECKS[name]((typeof value === "string" ? JSON.parse(value) : value) as never);
  } catch (error) {
    if (error instanceof UsageError) return error;
  }
  return undefined;
}
