// How much one request may ask of the server. All of it can be set; these are for a small machine that others reach.

import { UsageError } from "../index.ts";

export interface Limits {
  /** Bytes of a body that is taken as a whole, inflated; and of one line of a stream. */
  readonly bodyBytes: number;
  /** Bytes of a stream of documents, inflated. */
  readonly streamBytes: number;
  /** Characters of a query's text. */
  readonly queryLength: number;
  /** Terms of a query that brings weights. */
  readonly queryTerms: number;
  /** Hits of an answer. */
  readonly k: number;
  /** Hits on the pages before an answer, and ids that are excluded from it. */
  readonly depth: number;
  /** Queries of a batch. */
  readonly batch: number;
  /** Requests that are worked on at once; others are asked to come back. */
  readonly concurrent: number;
  /** Time for a question, and for its body to arrive. */
  readonly questionMs: number;
  /** Time for a change, its body and its commit. */
  readonly changeMs: number;
  /** The longest pause in a stream of documents. */
  readonly pauseMs: number;
  /** A transaction without a change for so long is forgotten. */
  readonly transactionMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 16 * 2 ** 20,
  streamBytes: 512 * 2 ** 20,
  queryLength: 8192,
  queryTerms: 10_000,
  k: 1000,
  depth: 10_000,
  batch: 100,
  concurrent: 64,
  questionMs: 30_000,
  changeMs: 600_000,
  pauseMs: 15_000,
  transactionMs: 60_000,
};

export function limitsWith(given: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 1)) {
      throw new UsageError(`the limit ${name} must be a whole number of at least 1, not ${value}`);
    }
  }
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)) };
}
