// Requests to the server this page came from, with the key of this tab where there is one.

import type { ErrorAnswer } from "../../src/server/schemas.ts";

/** What the server said instead of an answer, or that it said nothing. */
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

/** The key lives as long as the tab, and is sent to this server alone. */
const KEY = "sluice-key";

/** The key where a browser lets pages store nothing: it lives as long as the page then. */
let unstored: string | null = null;

/** What to do when the server asks for a key; the page shows a form. */
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

/** Whether an address that anyone may ask says yes. */
export const saysYes = async (path: string, signal: AbortSignal) => (await fetch(path, { signal })).ok;

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
