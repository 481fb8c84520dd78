// The body of a request → JSON, or documents one after the other, within limits of size and time. Bytes are counted as
// they come and as they are inflated, so that neither a lie about the length nor a bomb gets further than the limit.

import { pipeline } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import type { Document } from "../index.ts";
import { bodyLines, decoded } from "./body-lines.ts";
import { cancelled, HANG_UP, HttpError, invalid, tooLarge } from "./http-errors.ts";
import type { Limits } from "./limits.ts";
import { parsedJson } from "./safe-json.ts";
import { documentSchema, documentsRequest } from "./schemas.ts";

/** Others get a turn after so long. */
const SLICE_MS = 5;

/** The body as one JSON value. */
export async function readJson(request: Request, limits: Limits, signal: AbortSignal): Promise<unknown> {
  requireType(request, ["application/json"]);
  const { bodyBytes, questionMs } = limits;
  const deadline = Date.now() + questionMs;
  const parts: Uint8Array[] = [];
  // A length that is stated is kept to by the protocol: the whole body can be asked for.
  if (request.headers.has("content-length") && encodingOf(request) === "identity") {
    checkLength(request, bodyBytes);
    parts.push(new Uint8Array(await inTime(request.arrayBuffer(), questionMs, signal)));
  } else {
    const left = () => Math.max(1, deadline - Date.now());
    for await (const part of bytesOf(request, bodyBytes, left, signal)) parts.push(part);
  }
  const text = decoded(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  if (text.trim() === "") throw new HttpError(400, "malformed_json", "the body is empty, expected JSON");
  return parsedJson(text, "the body");
}

/** Documents of a body: { "documents": […] }, or one a line. Reading stops when the signal says so. */
export async function* readDocuments(
  request: Request,
  limits: Limits,
  signal: AbortSignal,
): AsyncGenerator<Document> {
  const type = requireType(request, ["application/json", "application/x-ndjson", "application/jsonl"]);
  const documents =
    type === "application/json"
      ? listed(await readJson(request, limits, signal))
      : lined(
          bytesOf(request, limits.streamBytes, () => limits.pauseMs, signal),
          limits.bodyBytes,
        );
  let since = performance.now();
  for await (const document of documents) {
    signal.throwIfAborted();
    if (performance.now() - since > SLICE_MS) {
      await turn();
      since = performance.now();
    }
    yield document;
  }
}

function listed(body: unknown): Document[] {
  const { success, data, error } = documentsRequest.safeParse(body);
  if (!success) throw invalid(error, "body");
  return data.documents as Document[];
}

async function* lined(bytes: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<Document> {
  for await (const { number, text } of bodyLines(bytes, longest)) {
    if (text.trim() === "") continue;
    const { success, data, error } = documentSchema.safeParse(parsedJson(text, `line ${number}`));
    if (!success) throw invalid(error, `line ${number}`);
    yield data as Document;
  }
}

/** The bytes of a body, inflated; `patience` says how long to wait for the next ones. */
async function* bytesOf(
  request: Request,
  limit: number,
  patience: () => number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  checkLength(request, limit);
  const received = limited(arriving(request, patience, signal), limit);
  if (encodingOf(request) === "identity") {
    yield* received;
    return;
  }
  try {
    const gunzip = createGunzip();
    pipeline(received, gunzip).catch(() => {}); // whoever reads gunzip gets the error
    for await (const part of limited(gunzip, limit)) {
      signal.throwIfAborted(); // few bytes may have arrived long ago, and inflate to many
      yield part;
    }
  } catch (error) {
    if (error instanceof HttpError || signal.aborted) throw error;
    throw new HttpError(400, "damaged_gzip", "the body is not valid gzip data", { headers: HANG_UP });
  }
}

async function* arriving(
  request: Request,
  patience: () => number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), patience(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {}); // who stops early reads no more
  }
}

async function* limited(bytes: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const part of bytes) {
    count += part.byteLength;
    if (count > limit) throw tooLarge(limit);
    yield part;
  }
}

/** What is waited for; an error when it takes too long, or the request is given up. */
async function inTime<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const given = new Promise<never>((_, reject) => {
    const slow = () =>
      reject(new HttpError(408, "slow_body", "the body did not arrive in time", { headers: HANG_UP }));
    const timer = setTimeout(slow, ms);
    const aborted = () => reject(signal.reason);
    signal.addEventListener("abort", aborted, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
    };
  });
  try {
    return await Promise.race([work, given]);
  } catch (error) {
    // What else can go wrong while a body is read: whoever sent it hung up.
    throw error instanceof HttpError ? error : cancelled();
  } finally {
    stop();
  }
}

/** A type that a form or a link of another site cannot send, so that only who was let in by CORS can. */
function requireType(request: Request, types: readonly string[]): string {
  const [type] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  const found = types.find((expected) => expected === type.trim());
  if (found) return found;
  throw new HttpError(415, "unsupported_type", `the body's type must be ${types.join(" or ")}`, {
    hint: `send the header Content-Type: ${types[0]}`,
    headers: HANG_UP,
  });
}

function encodingOf(request: Request): "identity" | "gzip" {
  const encoding = (request.headers.get("content-encoding") ?? "identity").toLowerCase().trim();
  if (encoding === "identity" || encoding === "gzip") return encoding;
  throw new HttpError(415, "unsupported_encoding", "the body may be plain or gzip, nothing else", {
    headers: { ...HANG_UP, "Accept-Encoding": "gzip" },
  });
}

function checkLength(request: Request, limit: number): void {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
}
