// Any error → an HTTP status, a code and a message for the client. No stack trace and no file path ever leaves the server.

import type { z } from "@hono/zod-openapi";
import { UsageError } from "../index.ts";
import type { ErrorAnswer } from "./schemas.ts";

/** An error that is sent to the client as it is. */
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

/** The rest of the body is not read, so the connection cannot be reused. */
export const HANG_UP = { Connection: "close" };

/** The client disconnected. Status 499 is for the log only. */
export function cancelled(): HttpError {
  return new HttpError(499, "cancelled", "the client is gone", { headers: HANG_UP });
}

export function tooLarge(limit: number, what = "the body"): HttpError {
  return new HttpError(413, "too_large", `${what} is larger than ${limit} bytes`, {
    hint: "send less in one request; a stream of lines (application/x-ndjson) may be longer than a JSON body",
    headers: HANG_UP,
  });
}

export function beyond(what: string, limit: number, found: number): HttpError {
  return new HttpError(400, "limit", `${what} is ${found}; this server allows ${limit}`);
}

/** The first error that a schema found in a request, with its path. */
export function invalid({ issues: [issue] }: z.ZodError, where: string): HttpError {
  const path = [where, ...issue.path.map(String)].join(".");
  return new HttpError(400, "invalid", `${path}: ${issue.message}`);
}

/** Any error as an HTTP error. The client sees the message when it can fix the cause, and only a code otherwise. */
export function httpErrorOf(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof UsageError)) {
    return new HttpError(500, "internal", "an internal error occurred; the server's log has the details");
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
      // Files, locks, packages and devices of this machine: the operator finds the details in the log.
      return new HttpError(503, "unavailable", "the index cannot do this now; the server's log says why", {
        headers: { "Retry-After": "5" },
      });
  }
}

export function noDocument(): HttpError {
  return new HttpError(404, "no_document", "there is no document with this id");
}

export function readOnly(): HttpError {
  return new HttpError(403, "read_only", "the index is read-only");
}
