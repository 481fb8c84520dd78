// What an address asks → the part of a request that decides which words are searched and what they score. Searches, explanations
// and the playground all take it from here, so that the parts of a score add up to the score of the hit.

import type { ExplainQueryRequest } from "../../src/schemas/index.ts";
import type { Address } from "./address.ts";

/** What is not in the address, or only some pages read there. */
interface ReadOptions {
  /** Whether words are completed and corrected. */
  readonly completes: boolean;
  /** The weight of the semantic part; undefined is the index's own. */
  readonly lambda?: number | undefined;
}

/** The options that decide the score of a document: those that `search`, `explain` and `explain-query` share. */
export type AskedQuery = Pick<ExplainQueryRequest, "query" | "syntax" | "typos" | "prefix" | "lambda">;

export function askedQuery(
  { query, typos }: Pick<Address, "query" | "typos">,
  { completes, lambda }: ReadOptions,
): AskedQuery {
  return {
    query,
    syntax: true,
    ...(completes && { typos: typos !== false, prefix: true }),
    ...(lambda !== undefined && { lambda }),
  };
}
