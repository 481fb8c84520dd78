// Any error → an HTTP status, a code and a message for the client. No stack trace and no file path ever leaves the server.

import type { z } from "zod";
import { type ErrorCode, SluiceError } from "../../index.ts";
import type { ErrorAnswer } from "../../schemas/index.ts";
import { findLibraryError, findQueryError } from "../../schemas/requests/find-library-error.ts";
import { UnknownNames } from "../../schemas/shared/unknown-names.ts";
import type { Limits } from "./limits.ts";
import { describeIssue } from "./schema-words.ts";

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
export function canceledError(): HttpError {
  return new HttpError(499, "canceled", "the client is gone", { headers: HANG_UP });
}

/** The error about a body, or a part of it, that is too large. A JSON body could be sent as lines, which may be longer. */
export function tooLargeError(
  limit: number,
  { what = "the body", isJson = false, hint = "send less in one request" } = {},
): HttpError {
  const lines = "; a stream of lines (application/x-ndjson) may be longer than a JSON body";
  return new HttpError(413, "too_large", `${what} is larger than ${limit} bytes`, {
    hint: `${hint}${isJson ? lines : ""}`,
    headers: HANG_UP,
  });
}

/** The error about something above a limit of the server. */
export function beyondLimitError(
  what: string,
  limits: Limits,
  name: keyof Limits,
  found: number | string,
): HttpError {
  return new HttpError(400, "limit", `${what} is ${found}; this server allows ${limits[name]}`, {
    hint: `its operator can raise limits.${name}`,
  });
}

/** The most that may be wrong with a request. A schema finds all of it, and a client could keep it busy for long. */
const MOST_ISSUES = 1000;
/** The entries of each list that are checked again, to say what is wrong with a request that has more than that. */
const FIRST_ENTRIES = 10;

/** Thrown inside a schema, to end its check. */
class TooManyIssues extends Error {}

/**
 * The value with defaults filled in. Throws with the first thing that does not fit the schema, and where it is. An unknown name
 * comes before all others: it is often the reason why another is missing. What the library says better, it says.
 */
export function parseRequest<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  requireFilter(schema, value);
  try {
    return parseBySchema(schema, value, where);
  } catch (error) {
    if (!(error instanceof TooManyIssues)) throw error;
    parseBySchema(schema, withFirstEntries(value), where);
    throw new HttpError(400, "invalid", `${where}: more than ${MOST_ISSUES} of its parts are wrong`);
  }
}

/** Checks the filter of a request that may have one. The library stops at the first error, and at a filter that is too large. */
function requireFilter(schema: z.ZodType, value: unknown): void {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "filter")) return;
  const { filter } = value as { readonly filter?: unknown };
  if (filter === undefined || !("shape" in schema && "filter" in (schema as z.ZodObject).shape)) return;
  const error = findLibraryError("filter", filter);
  if (error) throw toHttpError(error);
}

/** The value with only the first entries of its lists. */
function withFirstEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, FIRST_ENTRIES).map(withFirstEntries);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withFirstEntries(part)]));
}

function parseBySchema<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const unknown = new UnknownNames();
  let issues = 0;
  const { success, data, error } = schema.safeParse(value, {
    error: (issue) => {
      if (++issues > MOST_ISSUES) throw new TooManyIssues();
      unknown.note(issue);
      return describeIssue(issue);
    },
  });
  if (success) return data;
  let place = error.issues[0].path;
  const named = unknown.errorIn(error.issues, (path) => {
    place = [...path];
    const what = where === "query" && path.length === 0 ? "parameter" : "field";
    return `${[where, ...path.map(String)].join(".")}: there is no ${what}`;
  });
  const name = String(place[0]);
  const given = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  const ofLibrary =
    findLibraryError(name, given) ?? named ?? (given === undefined ? undefined : findQueryError(name, given));
  if (ofLibrary) throw toHttpError(ofLibrary);
  const [{ path, message }] = error.issues;
  throw new HttpError(400, "invalid", `${[where, ...path.map(String)].join(".")}: ${message}`);
}

/** The code of an error of the library that a client can fix, as HTTP has it: ERR_SLUICE_NO_DOCUMENT is no_document. */
const codeOf = ({ code }: SluiceError) => code.replace("ERR_SLUICE_", "").toLowerCase();

/** What a client is told about an error of the library. The code alone decides; messages may change. */
const ANSWERS: Readonly<Record<ErrorCode, (error: SluiceError) => HttpError>> = {
  ERR_SLUICE_INVALID: (error) => new HttpError(400, codeOf(error), error.problem, { hint: error.hint }),
  ERR_SLUICE_DUPLICATE_ID: (error) =>
    new HttpError(409, codeOf(error), error.problem, {
      hint: "PUT replaces a document; so does an upload with upsert=true",
    }),
  ERR_SLUICE_NO_DOCUMENT: (error) => new HttpError(404, codeOf(error), "there is no document with this id"),
  ERR_SLUICE_READ_ONLY: readOnlyError,
  ERR_SLUICE_NO_INDEX: unavailableError,
  ERR_SLUICE_INDEX_EXISTS: unavailableError,
  ERR_SLUICE_LOCKED: unavailableError,
  ERR_SLUICE_CONFLICT: unavailableError,
  ERR_SLUICE_CLOSED: unavailableError,
  ERR_SLUICE_DAMAGED: unavailableError,
  ERR_SLUICE_FORMAT: unavailableError,
  ERR_SLUICE_FILE: unavailableError,
  ERR_SLUICE_MISSING_PACKAGE: (error) => lackingPackageError(error, "this server cannot do this"),
  ERR_SLUICE_DEVICE: unavailableError,
  ERR_SLUICE_CLUSTER: unavailableError,
};

/** Any error as an HTTP error. The client sees the message when it can fix the cause, and only a code otherwise. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof SluiceError) return ANSWERS[error.code](error);
  return new HttpError(500, "internal", "an internal error occurred; the server's log has the details");
}

export function readOnlyError(): HttpError {
  return new HttpError(403, "read_only", "the index is read-only");
}

/** The error about a name that an index has, or that one is just getting or losing. */
export function nameTakenError(): HttpError {
  return new HttpError(
    409,
    "index_exists",
    "an index has this name already, in this or another case, or is being created or dropped",
    { hint: "choose another name, or drop the index first" },
  );
}

/** The error about a package that the server lacks: waiting does not help. Its own message may name folders of the server. */
export function lackingPackageError(
  { missingPackage: name = "that does it" }: SluiceError,
  problem: string,
  otherwise = "",
): HttpError {
  return new HttpError(501, "missing_package", `${problem}: it lacks the package ${name}`, {
    hint: `its operator can install it: npm install ${name}, and then start the server again${otherwise}`,
  });
}

/** Files, locks and devices of this machine: the operator finds the details in the log. */
function unavailableError(): HttpError {
  return new HttpError(503, "unavailable", "the index cannot do this now; the server's log says why", {
    headers: { "Retry-After": "5" },
  });
}
