// Requests that never reach the application → answers like all others: Node could not read them, or they have no usable address.

import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { HttpError, toHttpError } from "../wire/http-errors.ts";
import { errorResponse } from "../wire/responses.ts";
import type { Log } from "./request-log.ts";

const ERRORS: Readonly<Record<string, readonly [status: number, code: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "too_large", "the headers of the request are too long"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "slow_body", "the request did not arrive in time"],
};
const UNREADABLE = [400, "invalid", "the request is not valid HTTP, or its address or Host is not"] as const;

/** The answer to a request that cannot be read. It has an id, which the log has, too. */
export function answerUnread(error: unknown, log: Log | undefined): Response {
  const requestId = randomUUID();
  const httpError = toUnreadError(error);
  const { status, code } = httpError;
  if (status === 500) log?.error({ requestId, status, error: String(error) }, "failed");
  else log?.warn({ requestId, status, code }, "refused");
  const response = errorResponse(httpError, requestId);
  response.headers.set("X-Request-Id", requestId);
  response.headers.set("Connection", "close");
  return response;
}

function toUnreadError(error: unknown): HttpError {
  const { code, name } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === undefined && name !== "RequestError") return toHttpError(error);
  const [status, kind, message] = ERRORS[code ?? ""] ?? UNREADABLE;
  return new HttpError(status, kind, message);
}

/** Writes the answer to a connection, whose request was not read, and ends it. */
export async function answerConnection(
  error: Error,
  connection: Duplex,
  log: Log | undefined,
): Promise<void> {
  const isGone = (error as NodeJS.ErrnoException).code === "ECONNRESET" || !connection.writable;
  if (isGone) {
    connection.destroy();
    return;
  }
  const response = answerUnread(error, log);
  const { status, headers } = response;
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  connection.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${await response.text()}`);
}
