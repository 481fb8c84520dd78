// Indexes and options → a handler of requests: everything of the server but the socket.

import { Hono } from "hono";
import { type Sluice, UsageError } from "../index.ts";
import { docsPage, docsStyle } from "./docs-page.ts";
import { endpoint, type Shared } from "./endpoint.ts";
import { type GuardOptions, guard } from "./guard.ts";
import { type Handler, handlersOf } from "./handlers.ts";
import { HttpError, httpErrorOf } from "./http-errors.ts";
import { type KeyOptions, Keys } from "./keys.ts";
import { type Limits, limitsWith } from "./limits.ts";
import { openApiDocument } from "./openapi.ts";
import { Metrics } from "./prometheus.ts";
import { Reports } from "./reports.ts";
import type { Log } from "./request-log.ts";
import { errorResponse, jsonResponse } from "./responses.ts";
import { ROUTES, type Route, type RouteName } from "./routes.ts";
import { ServedIndexes } from "./served.ts";
import { builtPage, StaticFiles } from "./static.ts";
import { Turnstile } from "./turnstile.ts";
import { Workload } from "./work.ts";

export interface ServerOptions extends GuardOptions {
  /** Keys that clients must send; without any, everyone may do everything. */
  keys?: KeyOptions;
  limits?: Partial<Limits>;
  /** Where to say what is done; nowhere when left out. */
  log?: Log;
  /** The folder of the page; the one that came with the package when left out, none when false. */
  page?: string | false;
  /** A folder of reports, as `sluice experiment` writes them, to be listed and shown. */
  reports?: string;
  /** How often to look for what other processes committed; every 2 seconds when left out, never when 0. */
  refreshMs?: number;
}

/** A server without a socket. Give `fetch` to whatever listens, or mount `app` in an application of your own. */
export interface SluiceServer {
  readonly app: Hono;
  fetch(request: Request): Response | Promise<Response>;
  /**
   * Takes no more requests, waits for those that run, at most `graceMs` (10 seconds when left out) before they are told
   * to stop, and lets commits end. The indexes stay open: they are yours.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Serves indexes by name. They are the caller's, to be closed after the server. */
export function createServer(
  indexes: Readonly<Record<string, Sluice>>,
  options: ServerOptions = {},
): SluiceServer {
  const limits = limitsWith(options.limits);
  const keys = new Keys(options.keys);
  const metrics = new Metrics();
  const workload = new Workload(limits, metrics);
  const served = new ServedIndexes(indexes, limits.transactionMs);
  const shared: Shared = {
    keys,
    limits,
    metrics,
    workload,
    questions: new Turnstile(),
    log: options.log,
  };
  const app = new Hono();
  app.onError((error) => {
    options.log?.error({ error: error.stack }, "failed");
    return errorResponse(httpErrorOf(error));
  });
  app.use("*", ...guard(options));

  const handlers = handlersOf(served, limits, new Reports(options.reports));
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const route: Route = ROUTES[name];
    if (route.access === "open") continue;
    const path = route.path.replace(/\{(\w+)\}/g, ":$1");
    app.on(route.method.toUpperCase(), path, endpoint(route, handlers[name] as Handler, shared));
  }
  // Those who watch the server are answered when it is busy, too.
  app.get("/health", () => jsonResponse(200, { status: "ok" }));
  app.get("/ready", async () => {
    const answer = await handlers.ready({} as never);
    const status = workload.stopping ? "stopping" : answer.status;
    return jsonResponse(status === "ready" ? 200 : 503, { ...answer, status });
  });
  app.get("/metrics", (c) => {
    try {
      keys.check(c.req.header("authorization"), "read");
    } catch (error) {
      return errorResponse(httpErrorOf(error));
    }
    return c.text(metrics.text(served), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  });
  const openApi = openApiDocument(limits);
  app.get("/openapi.json", () => jsonResponse(200, openApi));
  app.get("/docs", (c) => c.html(docsPage(openApi)));
  app.get("/docs/style.css", (c) => c.body(docsStyle, 200, { "Content-Type": "text/css; charset=utf-8" }));

  const files = filesOf(options.page);
  app.notFound((c) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    const wantsPage = (c.req.header("accept") ?? "").includes("text/html");
    if (isRead && !c.req.path.startsWith("/v1/")) {
      const file = files?.response(c.req.path, wantsPage);
      if (file) return file;
      if (!files && c.req.path === "/") return c.redirect("/docs");
    }
    return errorResponse(notFound(c.req.path));
  });

  const refreshing = refresher(served, options.refreshMs ?? 2000, options.log);
  return {
    app,
    fetch: (request) => app.fetch(request),
    async close({ graceMs = 10_000 } = {}) {
      clearInterval(refreshing);
      await workload.stop(graceMs);
      for (const { writes } of served) await writes.finish();
    },
  };
}

/** A path of the table that knows other methods is another mistake than a path that nobody knows. */
function notFound(path: string): HttpError {
  const shape = (route: Route) => new RegExp(`^${route.path.replace(/\{\w+\}/g, "[^/]+")}$`);
  const methods = Object.values(ROUTES)
    .filter((route) => shape(route).test(path))
    .map(({ method }) => method.toUpperCase());
  if (methods.length === 0) {
    return new HttpError(404, "not_found", "there is nothing at this address", {
      hint: "GET /docs lists what is",
    });
  }
  const allow = [...new Set(methods)].join(", ");
  return new HttpError(405, "wrong_method", `this address takes ${allow}`, { headers: { Allow: allow } });
}

function filesOf(page: string | false | undefined): StaticFiles | undefined {
  if (page === false) return undefined;
  const folder = page ?? builtPage();
  if (folder === undefined) return undefined;
  try {
    return new StaticFiles(folder);
  } catch {
    throw new UsageError(`${folder}: no folder with a page`);
  }
}

function refresher(served: ServedIndexes, ms: number, log: Log | undefined): NodeJS.Timeout | undefined {
  const changing = [...served].filter(({ index }) => index.folder !== undefined);
  if (ms === 0 || changing.length === 0) return undefined;
  return setInterval(() => {
    for (const { name, writes } of changing) {
      writes.refresh().catch((error) => log?.error({ index: name, error: String(error) }, "refresh failed"));
    }
  }, ms).unref();
}
