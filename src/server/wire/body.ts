// The body of a request → one JSON value, or a stream of documents, within the limits of size and time. Bytes are counted
// on arrival and again after decompression, so neither a false Content-Length nor a gzip bomb gets past the limit.

import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Document } from "../../index.ts";
import { documentSchema, documentsRequestSchema } from "../../schemas/indexes/document-schema.ts";
import { Turns } from "../../support/work/turns.ts";
import { decodeUtf8, readBodyLines } from "./body-lines.ts";
import { canceledError, HANG_UP, HttpError, parseRequest, tooLargeError } from "./http-errors.ts";
import type { Limits } from "./limits.ts";
import { parseSafeJson } from "./safe-json.ts";

/**
 * How much of a gzip body is read ahead, in bytes. Node sees that a client is gone only when it has read all that the client sent,
 * and little gzip data may be many documents. Less: such a body is worked on for longer after its client is gone.
 */
const AHEAD_BYTES = 16 * 2 ** 20;

/** Reads the body as one JSON value. With `mayBeEmpty`, no body means `{}`, and needs no type. */
export async function readJsonBody(
  request: Request,
  limits: Limits,
  signal: AbortSignal,
  mayBeEmpty = false,
): Promise<unknown> {
  if (!mayBeEmpty || typeOf(request) !== "") requireType(request, ["application/json"]);
  const { bodyBytes, readMs } = limits;
  const deadline = Date.now() + readMs;
  const parts: Uint8Array[] = [];
  // HTTP enforces a stated Content-Length, so the whole body can be read at once.
  if (request.headers.has("content-length") && encodingOf(request) === "identity") {
    checkLength(request, bodyBytes);
    parts.push(new Uint8Array(await withTimeout(request.arrayBuffer(), readMs, signal)));
  } else {
    const patience = { left: () => Math.max(1, deadline - Date.now()) };
    for await (const part of receiveBytes(request, bodyBytes, patience, signal)) parts.push(part);
  }
  const text = decodeUtf8(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  if (mayBeEmpty && text.trim() === "") return {};
  requireType(request, ["application/json"]);
  if (text.trim() === "") throw new HttpError(400, "malformed_json", "the body is empty, expected JSON");
  return parseSafeJson(text, "the body");
}

/**
 * Reads the documents of a body: `{ "documents": […] }`, the list alone, or one JSON object per line. Stops when the signal
 * aborts.
 */
export async function* readDocumentsOfBody(
  request: Request,
  limits: Limits,
  signal: AbortSignal,
): AsyncGenerator<Document> {
  const type = requireType(request, ["application/json", "application/x-ndjson", "application/jsonl"]);
  const pace = new Pace(limits.pauseMs);
  const documents =
    type === "application/json"
      ? toDocuments(await readJsonBody(request, limits, signal))
      : parseLines(receiveBytes(request, limits.streamBytes, pace, signal), limits.bodyBytes);
  for await (const document of yieldInTurns(documents, signal)) {
    pace.noteDocument();
    yield document;
  }
}

/** How many bytes of a document count as much as a whole one, for the pace of a stream. */
const PACE_BYTES = 64 * 1024;

/** How long a body is waited for. */
interface Patience {
  /** How many milliseconds to wait for the next chunk. */
  left(): number;
  /** Notes a chunk, and how long it was waited for. */
  noteChunk?(waitedMs: number, bytes: number): void;
}

/**
 * Stops a stream that brings neither a document nor many bytes while it is waited for `pauseMs`, even if it sends blanks. Time
 * that the server takes itself does not count.
 */
class Pace implements Patience {
  readonly #pauseMs: number;
  #waitedMs = 0;
  #bytes = 0;

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  left(): number {
    return Math.max(1, this.#pauseMs - this.#waitedMs);
  }

  noteChunk(waitedMs: number, bytes: number): void {
    this.#waitedMs += waitedMs;
    this.#bytes += bytes;
    if (this.#bytes >= PACE_BYTES) this.noteDocument();
  }

  noteDocument(): void {
    this.#waitedMs = 0;
    this.#bytes = 0;
  }
}

/** The documents of a JSON body: an object with a list of them, or the list alone. */
function toDocuments(body: unknown): Document[] {
  const asked = Array.isArray(body) ? { documents: body } : body;
  return parseRequest(documentsRequestSchema, asked, "body").documents as Document[];
}

/** Yields the documents one by one. Other requests get turns meanwhile. */
export async function* yieldInTurns<DocumentType>(
  documents: Iterable<DocumentType> | AsyncIterable<DocumentType>,
  signal: AbortSignal,
): AsyncGenerator<DocumentType> {
  const turns = new Turns(signal);
  for await (const document of documents) {
    signal.throwIfAborted();
    if (turns.isDue) await turns.next();
    yield document;
  }
}

async function* parseLines(bytes: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<Document> {
  for await (const { number, text } of readBodyLines(bytes, longest)) {
    if (text.trim() === "") continue;
    const where = `line ${number}`;
    yield parseRequest(documentSchema, parseSafeJson(text, where), where) as Document;
  }
}

/** The bytes of a body, decompressed. */
export async function* receiveBytes(
  request: Request,
  limit: number,
  patience: Patience,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  checkLength(request, limit);
  const isJson = isJsonBody(request);
  const received = limitBytes(receiveChunks(request, patience, signal), limit, isJson);
  if (encodingOf(request) === "identity") {
    yield* received;
    return;
  }
  try {
    const ahead = new PassThrough({ readableHighWaterMark: AHEAD_BYTES });
    const gunzip = createGunzip();
    pipeline(received, ahead, gunzip).catch(() => {}); // the loop below gets the error from gunzip
    for await (const part of limitBytes(gunzip, limit, isJson)) {
      signal.throwIfAborted(); // a few bytes that arrived long ago may decompress to many
      yield part;
    }
  } catch (error) {
    if (error instanceof HttpError || signal.aborted) throw error;
    throw new HttpError(400, "damaged_gzip", "the body is not valid gzip data", { headers: HANG_UP });
  }
}

async function* receiveChunks(
  request: Request,
  patience: Patience,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const asked = performance.now();
      const { done, value } = await withTimeout(reader.read(), patience.left(), signal);
      if (done) return;
      patience.noteChunk?.(performance.now() - asked, value.byteLength);
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {}); // tells the sender to stop when the caller stops early
  }
}

export async function* limitBytes(
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
  isJson = false,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const part of bytes) {
    count += part.byteLength;
    if (count > limit) throw tooLargeError(limit, { isJson });
    yield part;
  }
}

/** Waits for `work`; throws when it takes longer than `ms` or the request is aborted. */
async function withTimeout<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
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
    // Any other error while a body is read means that the client disconnected.
    throw error instanceof HttpError ? error : canceledError();
  } finally {
    stop();
  }
}

/** The content type without its parameters; empty if there is none. */
function typeOf(request: Request): string {
  return (request.headers.get("content-type") ?? "").toLowerCase().split(";")[0].trim();
}

/** Accepts only types that a form or a link on another site cannot send, so that CORS decides who may send them. */
export function requireType(request: Request, types: readonly string[]): string {
  const type = typeOf(request);
  const found = types.find((expected) => expected === type);
  if (found) return found;
  throw new HttpError(415, "unsupported_type", `the Content-Type of the body must be ${types.join(" or ")}`, {
    hint: `send the header Content-Type: ${types[0]}`,
    headers: HANG_UP,
  });
}

function encodingOf(request: Request): "identity" | "gzip" {
  const encoding = (request.headers.get("content-encoding") ?? "identity").toLowerCase().trim();
  if (encoding === "identity" || encoding === "gzip") return encoding;
  throw new HttpError(415, "unsupported_encoding", "the body must be plain or gzip", {
    headers: { ...HANG_UP, "Accept-Encoding": "gzip" },
  });
}

function isJsonBody(request: Request): boolean {
  return typeOf(request) === "application/json";
}

function checkLength(request: Request, limit: number): void {
  if (Number(request.headers.get("content-length") ?? 0) > limit)
    throw tooLargeError(limit, { isJson: isJsonBody(request) });
}
