// How much one request may ask of the server. Every limit can be set; the defaults suit a small machine on a network.
// A higher limit lets one request take more memory or time.

import { SluiceError } from "../../index.ts";
import { REQUEST_LIMITS } from "../../schemas/shared/request-limits.ts";
import { checkOptions } from "../../support/options/options.ts";

export interface Limits {
  /** Bytes of a JSON body after decompression, of one line of a stream, and of one document of a file. */
  readonly bodyBytes: number;
  /** Bytes of a stream of documents after decompression. */
  readonly streamBytes: number;
  /** Characters in the text of a query. */
  readonly queryLength: number;
  /** Terms in a query that is given as weights. */
  readonly queryTerms: number;
  /** Hits in one answer. */
  readonly k: number;
  /** Documents of a list, or passages of a document, in one answer. */
  readonly limit: number;
  /** The largest `offset`. */
  readonly offset: number;
  /** Ids in `exclude`. */
  readonly excludedIds: number;
  /** Queries in one request. */
  readonly queries: number;
  /** Indexes of a server that has a folder of them. */
  readonly indexes: number;
  /** Requests that run at once; more are refused with 503 and Retry-After. */
  readonly concurrent: number;
  /** Milliseconds for a read request (a search, an explanation), and for its body to arrive. */
  readonly readMs: number;
  /** Milliseconds for a change, with its body and its commit. */
  readonly writeMs: number;
  /** Milliseconds: how long a stream is waited for until it brings the next document. */
  readonly pauseMs: number;
  /** Milliseconds that a change waits for other changes of its index. */
  readonly waitMs: number;
  /** Milliseconds without a change after which a transaction is rolled back. */
  readonly transactionMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 16 * 2 ** 20,
  streamBytes: 512 * 2 ** 20,
  ...REQUEST_LIMITS,
  limit: 1000,
  queryTerms: 10_000,
  excludedIds: 10_000,
  queries: 100,
  indexes: 1000,
  concurrent: 128,
  readMs: 30_000,
  writeMs: 600_000,
  pauseMs: 15_000,
  waitMs: 60_000,
  transactionMs: 60_000,
};

const LIMIT_NAMES = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, true as const]));

export function resolveLimits(given: Partial<Limits> = {}): Limits {
  checkOptions(given, LIMIT_NAMES, "limits");
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 1)) {
      throw new SluiceError(`the limit ${name} must be a whole number of at least 1, not ${value}`);
    }
  }
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)) };
}
