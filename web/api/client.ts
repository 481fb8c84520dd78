// Sends requests to the page's own server, with the key of this tab if there is one.

import type { ErrorAnswer } from "../../src/schemas/index.ts";

/** An error from the server, or that the server did not answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** The key is kept until the tab closes, and is only sent to this server. */
const KEY = "sluice-key";

/** The key in memory, for browsers that block storage. It is lost on reload. */
let unstored: string | null = null;

/** Codes of a key that may do less than was asked. */
const NEEDS_MORE = ["read_key", "not_admin", "wrong_index"];

/** Asks for a key. The promise is true when one was entered: then the request is sent again. */
type AskForKey = (error: ApiError) => Promise<boolean>;

/** Called when the server needs a key, or one that may do more; the page shows a form. */
let askForKey: AskForKey = async () => false;

export function onKeyNeeded(callback: AskForKey): void {
  askForKey = callback;
}

/** Keeps a key; undefined forgets it. */
export function setKey(key: string | undefined): void {
  unstored = null;
  try {
    if (key === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, key);
  } catch {
    unstored = key ?? null;
  }
}

/** Whether this tab has a key. */
export const hasKey = (): boolean => storedKey() !== null;

function storedKey(): string | null {
  try {
    return sessionStorage.getItem(KEY) ?? unstored;
  } catch {
    return unstored;
  }
}

export const get = <Answer>(path: string, signal: AbortSignal) =>
  send<Answer>("GET", path, undefined, signal);

/** Like `get`, for what a page can do without: it asks for no key. */
export const getIfAllowed = <Answer>(path: string, signal: AbortSignal) =>
  send<Answer>("GET", path, undefined, signal, true);

export const put = <Answer>(path: string, body: unknown, signal: AbortSignal) =>
  send<Answer>("PUT", path, JSON.stringify(body), signal);

export const remove = <Answer>(path: string, signal: AbortSignal) =>
  send<Answer>("DELETE", path, undefined, signal);

export const post = <Answer>(path: string, body: unknown, signal: AbortSignal) =>
  send<Answer>("POST", path, JSON.stringify(body), signal);

/** Whether a public path, such as /ready, answers with success. */
export const isOk = async (path: string, signal: AbortSignal) => (await fetch(path, { signal })).ok;

/** What a server answered, as it came. Status 0: it did not. */
export interface RawAnswer {
  readonly status: number;
  /** JSON with line breaks; anything else as it is. */
  readonly text: string;
  readonly ms: number;
}

/** Sends a request that a person wrote, and returns whatever comes back. */
export async function sendRaw(method: string, path: string, body: string | undefined): Promise<RawAnswer> {
  const started = performance.now();
  const answered = (status: number, text: string) => ({ status, text, ms: performance.now() - started });
  try {
    const response = await fetch(path, {
      method,
      headers: headersOf(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(body !== undefined && { body }),
    });
    return answered(response.status, indented(await response.text()));
  } catch {
    return answered(0, "The server does not answer.");
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** The headers of a request, with the key of this tab if there is one. */
function headersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const key = storedKey();
  return { ...headers, ...(key && { Authorization: `Bearer ${key}` }) };
}

async function send<Answer>(
  method: string,
  path: string,
  body: string | undefined,
  signal: AbortSignal,
  asksNoKey = false,
): Promise<Answer> {
  const headers: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
  const response = await request(path, {
    method,
    headers,
    signal,
    asksNoKey,
    ...(body !== undefined && { body }),
  });
  return response.json();
}

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Blob;
  readonly signal: AbortSignal;
  /** Whether the page asks for no key if one is missing. */
  readonly asksNoKey?: boolean;
}

/** Sends a request. Throws unless it succeeds. If a key is missing, or may not do it, the page asks for another and tries again. */
export async function request(path: string, { asksNoKey, ...sent }: Sent): Promise<Response> {
  const key = storedKey();
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(path, { ...sent, headers: headersOf(sent.headers) });
    if (response.ok) return response;
    answer = await response.json();
  } catch (error) {
    if (sent.signal.aborted) throw error;
    throw new ApiError(0, "unreachable", "The server does not answer.", "Is it still running?");
  }
  const error = toApiError(response.status, answer);
  if (asksNoKey || (error.status !== 401 && !NEEDS_MORE.includes(error.code))) throw error;
  // Another request may have asked for a key meanwhile.
  if (storedKey() !== key || (await askForKey(error))) return request(path, sent);
  throw error;
}

export function toApiError(status: number, answer: unknown): ApiError {
  const { error } = (answer ?? {}) as Partial<ErrorAnswer>;
  if (!error) return new ApiError(status, "unknown", `The server answered with status ${status}.`);
  return new ApiError(status, error.code, error.message, error.hint);
}
