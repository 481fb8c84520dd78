// A route and its handler → an HTTP endpoint. It checks the key and the input, applies the limits, runs the handler, sends
// the answer or the error, and records both in the metrics and the log.

import type { Context } from "hono";
import { unlessAborted } from "../support/work/turns.ts";
import { type Keys, requireIndex } from "./access/keys.ts";
import type { Handler, Input } from "./handlers.ts";
import { isOfIndex, type Route } from "./routes/routes.ts";
import type { Metrics } from "./traffic/prometheus.ts";
import { type Log, logRequest } from "./traffic/request-log.ts";
import type { Turnstile } from "./traffic/turnstile.ts";
import type { Workload } from "./traffic/work.ts";
import { documentsOfBody, jsonOfBody } from "./wire/body.ts";
import { EventStream } from "./wire/events.ts";
import { checked, HttpError, httpErrorOf } from "./wire/http-errors.ts";
import type { Limits } from "./wire/limits.ts";
import { type Download, downloadResponse, errorResponse, jsonResponse } from "./wire/responses.ts";
import { spoolBody } from "./wire/spooled-body.ts";

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
  readonly reads: Turnstile;
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
  { keys, limits, workload, reads }: Shared,
  finish: (end: End) => void,
): Promise<Response> {
  const { raw } = c.req;
  const caller = keys.check(c.req.header("authorization"), route.access);
  if (isOfIndex(route)) requireIndex(caller, c.req.param("name") ?? "");
  const params = checkedPath(route, c.req.param());
  const query = route.query && checked(route.query, c.req.query(), "query");
  // The request counts as running only after its body arrived, so a slow sender keeps nobody else out.
  const body =
    route.body && !route.streams
      ? checked(route.body, await jsonOfBody(raw, limits, raw.signal), "body")
      : undefined;
  const work = workload.begin(raw.signal, route.access === "read" ? limits.readMs : limits.writeMs);
  const { signal, stop } = work;
  const documents = () => documentsOfBody(raw, limits, signal);
  const file = (name?: string) => spoolBody(raw, name, limits, signal);
  const input = { params, query, body, documents, file, caller, signal, stop } as Omit<Input, "onProgress">;

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
  const onlyReads = route.access === "read";
  // The request counts until its work has stopped. A read that takes too long is answered at once. A change is answered
  // only when it is known whether it was committed.
  const working = (onlyReads ? reads.pass(ask, signal) : ask()).finally(() => work.end());
  const answer = await (onlyReads ? unlessAborted(working, signal) : working);
  // A download is not part of the work: a slow client may take as long as it needs.
  const response = route.downloads ? downloadResponse(answer as Download) : jsonResponse(200, answer);
  finish({ status: 200, bytes: Number(response.headers.get("content-length")) });
  return response;
}

/** A name that breaks the pattern cannot be the name of an index. */
function checkedPath({ params, creates }: Route, names: Record<string, string>): unknown {
  if (params && creates) return checked(params, names, "path");
  const { success, data } = params?.safeParse(names) ?? { success: true };
  if (success) return data;
  throw new HttpError(404, "no_index", "there is no index with this name");
}

function accepts(c: Context, type: string): boolean {
  return (c.req.header("accept") ?? "").split(",").some((one) => one.split(";")[0].trim() === type);
}
