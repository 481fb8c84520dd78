// One log entry for each request: method, route, status, time. Queries and documents never go into the log.

import { NAME_PATTERN } from "../../schemas/indexes/index-schema.ts";
import { HttpError, httpErrorOf } from "../wire/http-errors.ts";

/** Where entries go: a Pino logger, or any object with these three functions. */
export interface Log {
  info(entry: object, message: string): void;
  warn(entry: object, message: string): void;
  error(entry: object, message: string): void;
}

interface RequestEntry {
  readonly method: string;
  readonly route: string;
  /** The name in the request, whether or not such an index exists. */
  readonly index: string | undefined;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number | undefined;
}

/** Logs a request. An error of the server is logged with its stack, an error of the client with its code. */
export function logRequest(log: Log, { index = "", ms, ...rest }: RequestEntry, error?: unknown): void {
  const entry = {
    ...rest,
    ...(NAME_PATTERN.test(index) && { index }),
    ms: Math.round(ms * 100) / 100,
  };
  if (error === undefined) {
    log.info(entry, "answered");
  } else if (rest.status === 500 || (rest.status === 503 && !(error instanceof HttpError))) {
    log.error({ ...entry, error: error instanceof Error ? error.stack : String(error) }, "failed");
  } else {
    log.warn({ ...entry, code: httpErrorOf(error).code }, "refused");
  }
}
