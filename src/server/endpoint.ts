// A route and its handler → an HTTP endpoint. It checks the key and the input, applies the limits, runs the handler, sends
// the answer or the error, and records both in the metrics and the log.

import type { Context } from "hono";
import { abridge } from "../support/errors/sluice-error.ts";
import { rejectOnAbort } from "../support/work/turns.ts";
import type { Handler, Input } from "./handlers.ts";
import type { Route } from "./routes/routes.ts";
import { type Records, RequestRecord } from "./traffic/request-record.ts";
import type { Turnstile } from "./traffic/turnstile.ts";
import type { Workload } from "./traffic/work.ts";
import { readDocumentsOfBody, readJsonBody } from "./wire/body.ts";
import { EventStream } from "./wire/events.ts";
import { HttpError, parseRequest, toHttpError } from "./wire/http-errors.ts";
import type { Limits } from "./wire/limits.ts";
import {
  type Download,
  downloadResponse,
  errorAnswerOf,
  errorResponse,
  jsonResponse,
} from "./wire/responses.ts";
import { spoolBody } from "./wire/spooled-body.ts";

/** What all endpoints share. */
export interface Shared extends Records {
  readonly limits: Limits;
  readonly workload: Workload;
  readonly reads: Turnstile;
}

export function endpoint(route: Route, handler: Handler, shared: Shared): (c: Context) => Promise<Response> {
  return async (c) => {
    const record = await RequestRecord.begin(c, route, shared);
    let response: Response;
    try {
      response = await answerRequest(c, route, handler, shared, record);
    } catch (error) {
      const httpError = toHttpError(error);
      await record.end({ status: httpError.status, error });
      response = errorResponse(httpError, record.id);
    }
    for (const [name, value] of Object.entries(record.headers)) response.headers.set(name, value);
    return response;
  };
}

async function answerRequest(
  c: Context,
  route: Route,
  handler: Handler,
  { limits, workload, reads }: Shared,
  record: RequestRecord,
): Promise<Response> {
  const { raw } = c.req;
  const caller = record.admit();
  workload.requireCapacity();
  if (route.params || route.query) checkUtf8(raw.url);
  const params = checkedPath(route, c.req.param());
  const query = route.query && parseRequest(route.query, parametersOf(c), "query");
  // The request counts as running only after its body arrived, so a slow sender keeps nobody else out.
  const body =
    route.body && !route.streams
      ? parseRequest(route.body, await readJsonBody(raw, limits, raw.signal, route.mayBeEmpty), "body")
      : undefined;
  await record.beginChange();
  const work = workload.begin(raw.signal, route.access === "read" ? limits.readMs : limits.writeMs);
  const { signal, stop } = work;
  const documents = () => readDocumentsOfBody(raw, limits, signal);
  const file = (name?: string) => spoolBody(raw, name, limits, signal);
  const input = { params, query, body, documents, file, caller, signal, stop } as Omit<Input, "onProgress">;
  const handle = (onProgress: Input["onProgress"]) =>
    record.doWork(searchedFor(query ?? body), () => handler({ ...input, onProgress }));

  if (route.streams && acceptsType(c, "text/event-stream")) {
    const events = new EventStream();
    const run = async () => {
      try {
        const answer = await handle((progress) => events.send("progress", progress));
        await record.end({ status: 200 });
        events.send("done", answer);
      } catch (error) {
        const httpError = toHttpError(error);
        await record.end({ status: httpError.status, error });
        events.send("error", errorAnswerOf(httpError, record.id));
      } finally {
        work.end();
        events.end();
      }
    };
    run();
    return events.response;
  }
  const ask = async () => handle(() => {});
  const isReading = route.access === "read";
  const waited = record.wait();
  const askInTurn = () => {
    waited();
    return ask();
  };
  // The request counts until its work has stopped. A read that takes too long is answered at once. A change is answered
  // only when it is known whether it was committed.
  const working = (isReading ? reads.pass(askInTurn, signal) : ask()).finally(() => work.end());
  const answer = await (isReading ? rejectOnAbort(working, signal) : working);
  // A download is not part of the work: a slow client may take as long as it needs.
  const response = route.downloads ? downloadResponse(answer as Download) : jsonResponse(200, answer);
  await record.end({ status: 200, bytes: Number(response.headers.get("content-length")) });
  return response;
}

/** Throws if escaped bytes of a URL are not UTF-8. Hono leaves them as they are, so %ff would be the word "ff" of a query. */
function checkUtf8(url: string): void {
  for (const [bytes] of url.matchAll(/(?:%[0-9a-f]{2})+/gi)) {
    try {
      decodeURIComponent(bytes);
    } catch {
      const shown = abridge(bytes);
      throw new HttpError(400, "invalid", `the URL has ${shown}, which is not UTF-8`, {
        hint: "escape the bytes of the text in UTF-8: é is %C3%A9",
      });
    }
  }
}

/** The parameters of the URL. One that is given twice is refused: nobody knows which was meant. */
function parametersOf(c: Context): Record<string, string> {
  const twice = Object.entries(c.req.queries()).find(([, values]) => values.length > 1);
  if (!twice) return c.req.query();
  const [name, values] = twice;
  throw new HttpError(400, "invalid", `query: ${name} is given ${values.length} times`, {
    hint: 'give it once; a list is written as JSON, such as ["year", "kind"]',
  });
}

/** What a search is asked for, wherever the request has it. */
function searchedFor(body: unknown): unknown {
  const { query, queries, text } = (body ?? {}) as { query?: unknown; queries?: unknown; text?: unknown };
  return query ?? queries ?? text;
}

/** A name that breaks the pattern cannot be the name of an index. */
function checkedPath({ params, creates }: Route, names: Record<string, string>): unknown {
  if (params && creates) return parseRequest(params, names, "path");
  const { success, data } = params?.safeParse(names) ?? { success: true };
  if (success) return data;
  throw new HttpError(404, "no_index", "there is no index with this name");
}

function acceptsType(c: Context, type: string): boolean {
  return (c.req.header("accept") ?? "").split(",").some((one) => one.split(";")[0].trim() === type);
}
