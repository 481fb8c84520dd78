// A route and its handler → an HTTP endpoint: the key, the checks, the time, the count, the answer or the error, the log.

import type { Context } from "hono";
import { readDocuments, readJson } from "./body.ts";
import { HANG_UP, HttpError, httpErrorOf, invalid } from "./errors.ts";
import { EventStream } from "./events.ts";
import type { Handler, Input } from "./handlers.ts";
import type { Keys } from "./keys.ts";
import type { Limits } from "./limits.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Route } from "./routes.ts";
import type { Workload } from "./work.ts";

/** What all endpoints share. */
export interface Shared {
  readonly keys: Keys;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly workload: Workload;
  readonly log: Log | undefined;
}

export function endpoint(route: Route, handler: Handler, shared: Shared): (c: Context) => Promise<Response> {
  return async (c) => {
    const started = performance.now();
    const finish = (status: number, error?: unknown) => {
      const ms = performance.now() - started;
      shared.metrics.record(c.req.method, route.path, status, ms);
      logged(shared.log, c, route, status, ms, error);
    };
    try {
      return await answered(c, route, handler, shared, finish);
    } catch (error) {
      const known = httpErrorOf(error);
      finish(known.status, error);
      return errorResponse(known);
    }
  };
}

async function answered(
  c: Context,
  route: Route,
  handler: Handler,
  { keys, limits, workload }: Shared,
  finish: (status: number, error?: unknown) => void,
): Promise<Response> {
  const { raw } = c.req;
  keys.check(c.req.header("authorization"), route.access);
  const params = checked(route.params, c.req.param(), "path");
  const query = checked(route.query, c.req.query(), "query");
  // A body is waited for before the request counts: whoever sends slowly keeps nobody else out.
  const json = route.body && !route.streams ? await readJson(raw, limits, raw.signal) : undefined;
  const body = json === undefined ? undefined : checked(route.body, json, "body");
  const work = workload.begin(raw.signal, route.access === "write" ? limits.changeMs : limits.questionMs);
  const { signal } = work;
  const documents = () => readDocuments(raw, limits, signal);
  const input = { params, query, body, documents, signal } as Omit<Input, "onProgress">;

  if (route.streams && accepts(c, "text/event-stream")) {
    const events = new EventStream();
    const run = async () => {
      try {
        const answer = await handler({
          ...input,
          onProgress: (progress) => events.send("progress", progress),
        });
        finish(200);
        events.send("done", answer);
      } catch (error) {
        const known = httpErrorOf(error);
        finish(known.status, error);
        events.send("error", known.answer);
      } finally {
        work.end();
        events.end();
      }
    };
    run();
    return events.response;
  }
  try {
    const answer = await handler({ ...input, onProgress: () => {} });
    finish(200);
    return jsonResponse(200, answer);
  } finally {
    work.end();
  }
}

function checked(schema: Route["body"], value: unknown, where: string): unknown {
  if (!schema) return undefined;
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  // A name that no index can have is the name of no index.
  if (where === "path") throw new HttpError(404, "no_index", "there is no index of this name");
  throw invalid(error, where);
}

function accepts(c: Context, type: string): boolean {
  return (c.req.header("accept") ?? "").split(",").some((one) => one.split(";")[0].trim() === type);
}

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const all = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", ...headers };
  return new Response(JSON.stringify(value), { status, headers: all });
}

export function errorResponse(error: HttpError): Response {
  // Nobody reads what is said to a client that is gone, and 499 is no status of the protocol.
  const status = error.status === 499 ? 408 : error.status;
  return jsonResponse(status, error.answer, error.status === 499 ? HANG_UP : error.headers);
}

/** Method, route, status, time: never what was asked, nor what was stored. */
function logged(
  log: Log | undefined,
  c: Context,
  route: Route,
  status: number,
  ms: number,
  error?: unknown,
): void {
  if (!log) return;
  const entry = {
    method: c.req.method,
    route: route.path,
    ...(route.params && { index: c.req.param("name") }),
    status,
    ms: Math.round(ms * 100) / 100,
    bytes: Number(c.req.header("content-length") ?? 0),
  };
  if (status === 500 || (status === 503 && !(error instanceof HttpError))) {
    log.error({ ...entry, error: error instanceof Error ? error.stack : String(error) }, "failed");
  } else if (error instanceof Error) {
    log.warn({ ...entry, code: httpErrorOf(error).code }, "refused");
  } else {
    log.info(entry, "answered");
  }
}
