// What went wrong → a status and a sentence for whoever asked. Nothing of the machine gets out: no stack, no path.

import type { z } from "@hono/zod-openapi";
import { UsageError } from "../index.ts";
import type { ErrorAnswer } from "./schemas.ts";

/** An answer that is an error. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    { hint, headers = {} }: { hint?: string | undefined; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.headers = headers;
  }

  get answer(): ErrorAnswer {
    const { code, message, hint } = this;
    return { error: { code, message, ...(hint !== undefined && { hint }) } };
  }
}

/** The rest of the body is not waited for, so the connection cannot be used again. */
export const HANG_UP = { Connection: "close" };

/** Nobody waits for the answer any more; the status is for the log. */
export function cancelled(): HttpError {
  return new HttpError(499, "cancelled", "the client is gone", { headers: HANG_UP });
}

export function tooLarge(limit: number, what = "the body"): HttpError {
  return new HttpError(413, "too_large", `${what} is larger than ${limit} bytes`, {
    hint: "send less at once; a stream of lines (application/x-ndjson) may be longer than one body",
    headers: HANG_UP,
  });
}

export function beyond(what: string, limit: number, found: number): HttpError {
  return new HttpError(400, "limit", `${what} is ${found}; this server allows ${limit}`);
}

/** What a schema says about a request: the first complaint, with its place. */
export function invalid({ issues: [issue] }: z.ZodError, where: string): HttpError {
  const path = [where, ...issue.path.map(String)].join(".");
  return new HttpError(400, "invalid", `${path}: ${issue.message}`);
}

/** Any error as an answer. What went wrong is told where the client can mend it, and by the code alone otherwise. */
export function httpErrorOf(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof UsageError)) {
    return new HttpError(500, "internal", "something went wrong on the server; its log says what");
  }
  switch (error.code) {
    case "ERR_SLUICE_INVALID":
      return new HttpError(400, "bad_request", error.message, { hint: error.hint });
    case "ERR_SLUICE_DUPLICATE_ID":
      return new HttpError(409, "duplicate_id", error.message, { hint: "PUT replaces a document" });
    case "ERR_SLUICE_NO_DOCUMENT":
      return noDocument();
    case "ERR_SLUICE_READ_ONLY":
      return readOnly();
    default:
      // Files, locks, packages and devices of this machine: who runs the server finds them in its log.
      return new HttpError(503, "unavailable", "the index cannot do this now; the server's log says why", {
        headers: { "Retry-After": "5" },
      });
  }
}

export function noDocument(): HttpError {
  return new HttpError(404, "no_document", "there is no document of this id");
}

export function readOnly(): HttpError {
  return new HttpError(403, "read_only", "the index is only read here");
}
