// A route and its handler → an HTTP endpoint. It checks the key and the input, applies the limits, runs the handler, sends
// the answer or the error, and records both in the metrics and the log.

import type { Context } from "hono";
import { unlessAborted } from "../support/turns.ts";
import { documentsOfBody, jsonOfBody } from "./body.ts";
import { EventStream } from "./events.ts";
import type { Handler, Input } from "./handlers.ts";
import { checked, HttpError, httpErrorOf } from "./http-errors.ts";
import type { Keys } from "./keys.ts";
import type { Limits } from "./limits.ts";
import type { Metrics } from "./prometheus.ts";
import { type Log, logRequest } from "./request-log.ts";
import { errorResponse, jsonResponse } from "./responses.ts";
import type { Route } from "./routes.ts";
import type { Turnstile } from "./turnstile.ts";
import type { Workload } from "./work.ts";

/** How a request ended. */
interface End {
  readonly status: number;
  /** Bytes of the answer, unless it is a stream. */
  readonly bytes?: number;
  readonly error?: unknown;
}

/** What all endpoints share. */
export interface Shared {
  readonly keys: Keys;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly workload: Workload;
  readonly questions: Turnstile;
  readonly log: Log | undefined;
}

export function endpoint(route: Route, handler: Handler, shared: Shared): (c: Context) => Promise<Response> {
  return async (c) => {
    const started = performance.now();
    const finish = ({ status, bytes, error }: End) => {
      const ms = performance.now() - started;
      shared.metrics.record(c.req.method, route.path, status, ms);
      const entry = {
        method: c.req.method,
        route: route.path,
        index: c.req.param("name"),
        status,
        ms,
        bytes,
      };
      if (shared.log) logRequest(shared.log, entry, error);
    };
    try {
      return await answerRequest(c, route, handler, shared, finish);
    } catch (error) {
      const known = httpErrorOf(error);
      finish({ status: known.status, error });
      return errorResponse(known);
    }
  };
}

async function answerRequest(
  c: Context,
  route: Route,
  handler: Handler,
  { keys, limits, workload, questions }: Shared,
  finish: (end: End) => void,
): Promise<Response> {
  const { raw } = c.req;
  keys.check(c.req.header("authorization"), route.access);
  const params = checkedPath(route.params, c.req.param());
  const query = route.query && checked(route.query, c.req.query(), "query");
  // The request counts as running only after its body arrived, so a slow sender keeps nobody else out.
  const body =
    route.body && !route.streams
      ? checked(route.body, await jsonOfBody(raw, limits, raw.signal), "body")
      : undefined;
  const work = workload.begin(raw.signal, route.access === "write" ? limits.changeMs : limits.questionMs);
  const { signal } = work;
  const documents = () => documentsOfBody(raw, limits, signal);
  const input = { params, query, body, documents, signal } as Omit<Input, "onProgress">;

  if (route.streams && accepts(c, "text/event-stream")) {
    const events = new EventStream();
    const run = async () => {
      try {
        const answer = await handler({
          ...input,
          onProgress: (progress) => events.send("progress", progress),
        });
        finish({ status: 200 });
        events.send("done", answer);
      } catch (error) {
        const known = httpErrorOf(error);
        finish({ status: known.status, error });
        events.send("error", known.answer);
      } finally {
        work.end();
        events.end();
      }
    };
    run();
    return events.response;
  }
  const ask = async () => handler({ ...input, onProgress: () => {} });
  const isQuestion = route.access === "read";
  // The request counts until its work has stopped. A read that takes too long is answered at once. A change is answered
  // only when it is known whether it was committed.
  const working = (isQuestion ? questions.pass(ask, signal) : ask()).finally(() => work.end());
  const response = jsonResponse(200, await (isQuestion ? unlessAborted(working, signal) : working));
  finish({ status: 200, bytes: Number(response.headers.get("content-length")) });
  return response;
}

/** A name that breaks the pattern cannot be the name of an index. */
function checkedPath(schema: Route["params"], names: Record<string, string>): unknown {
  const { success, data } = schema?.safeParse(names) ?? { success: true };
  if (success) return data;
  throw new HttpError(404, "no_index", "there is no index with this name");
}

function accepts(c: Context, type: string): boolean {
  return (c.req.header("accept") ?? "").split(",").some((one) => one.split(";")[0].trim() === type);
}
