// Answers and errors → HTTP responses.

import type { HttpError } from "./http-errors.ts";

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const text = JSON.stringify(value);
  return new Response(text, {
    status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(text)),
      "Cache-Control": "no-store",
      ...headers,
    },
  });
}

export function errorResponse(error: HttpError): Response {
  // 499 is not an HTTP status; it is for the log only.
  return jsonResponse(error.status === 499 ? 408 : error.status, error.answer, error.headers);
}
