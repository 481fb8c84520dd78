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

/** Called when the server needs a key; the page shows a form. */
let askForKey: (error: ApiError) => void = () => {};

export function onKeyNeeded(callback: (error: ApiError) => void): void {
  askForKey = callback;
}

export function setKey(key: string): void {
  try {
    sessionStorage.setItem(KEY, key);
  } catch {
    unstored = key;
  }
}

function storedKey(): string | null {
  try {
    return sessionStorage.getItem(KEY) ?? unstored;
  } catch {
    return unstored;
  }
}

export const get = <Answer>(path: string, signal: AbortSignal) =>
  send<Answer>("GET", path, undefined, signal);

export const post = <Answer>(path: string, body: unknown, signal: AbortSignal) =>
  send<Answer>("POST", path, JSON.stringify(body), signal);

/** Whether a public path, such as /ready, answers with success. */
export const isOk = async (path: string, signal: AbortSignal) => (await fetch(path, { signal })).ok;

async function send<Answer>(
  method: string,
  path: string,
  body: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const key = storedKey();
  const headers = {
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(key && { Authorization: `Bearer ${key}` }),
  };
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(path, { method, headers, signal, ...(body !== undefined && { body }) });
    answer = await response.json();
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ApiError(0, "unreachable", "The server does not answer.", "Is it still running?");
  }
  if (response.ok) return answer as Answer;
  const error = errorOf(response.status, answer);
  if (error.status === 401) askForKey(error);
  throw error;
}

function errorOf(status: number, answer: unknown): ApiError {
  const { error } = (answer ?? {}) as Partial<ErrorAnswer>;
  if (!error) return new ApiError(status, "unknown", `The server answered with status ${status}.`);
  return new ApiError(status, error.code, error.message, error.hint);
}
