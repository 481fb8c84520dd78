// One log entry for each request: method, route, status, time. A slow search gets a second one, with its statistics. Queries and
// documents never go into the log, unless the operator asks for the queries of slow searches.

import { NAME_PATTERN } from "../../schemas/indexes/index-schema.ts";
import { HttpError, toHttpError } from "../wire/http-errors.ts";

/** Where entries go: a Pino logger, or any object with these three functions. */
export interface Log {
  info(entry: object, message: string): void;
  warn(entry: object, message: string): void;
  error(entry: object, message: string): void;
}

interface RequestEntry {
  readonly requestId: string;
  /** The id of the trace that the request belongs to. */
  readonly trace: string | undefined;
  /** The name of the key, or the first digits of its hash. */
  readonly key: string | undefined;
  readonly method: string;
  readonly route: string;
  /** The name in the request, whether or not such an index exists. */
  readonly index: string | undefined;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number | undefined;
}

/** What is logged of a search that took long. */
interface SlowSearch {
  /** Milliseconds before it was its turn. */
  readonly waitMs: number | undefined;
  /** What the search did; unknown if it was stopped. */
  readonly stats?: unknown;
  /** The query, if the operator wants queries in the log. */
  readonly query?: unknown;
}

const rounded = (ms: number) => Math.round(ms * 100) / 100;

/** The name of an index, if it can be one: anything else may be words. */
export function loggedIndex(index: string | undefined): { readonly index?: string } {
  return index !== undefined && NAME_PATTERN.test(index) ? { index } : {};
}

/** Logs a request. An error of the server is logged with its stack, an error of the client with its code. */
export function logRequest(log: Log, { index, ms, ...rest }: RequestEntry, error?: unknown): void {
  const entry = { ...rest, ...loggedIndex(index), ms: rounded(ms) };
  if (error === undefined) {
    log.info(entry, "answered");
  } else if (rest.status === 500 || (rest.status === 503 && !(error instanceof HttpError))) {
    log.error({ ...entry, error: error instanceof Error ? error.stack : String(error) }, "failed");
  } else {
    log.warn({ ...entry, code: toHttpError(error).code }, "refused");
  }
}

export function logSlowSearch(log: Log, entry: RequestEntry, { waitMs, ...search }: SlowSearch): void {
  const { requestId, trace, route, index, status, ms } = entry;
  const times = { ms: rounded(ms), ...(waitMs !== undefined && { waitMs: rounded(waitMs) }) };
  log.warn({ requestId, trace, route, ...loggedIndex(index), status, ...times, ...search }, "slow");
}
