// What a server says about what it does: method, route, status, time; never what was asked, nor what was stored.

import { HttpError, httpErrorOf } from "./http-errors.ts";
import { NAME_PATTERN } from "./schemas.ts";

/** Where it goes. Pino fits, and so does anything with the same three functions. */
export interface Log {
  info(entry: object, message: string): void;
  warn(entry: object, message: string): void;
  error(entry: object, message: string): void;
}

export interface RequestEntry {
  readonly method: string;
  readonly route: string;
  /** As it was asked for, whether or not it is there. */
  readonly index: string | undefined;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number | undefined;
}

/** A mistake of ours comes with its stack, one of the client's with its code. */
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
