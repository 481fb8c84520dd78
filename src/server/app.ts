// Indexes and options → a function that answers HTTP requests. It is the whole server except the socket.

import { type Context, Hono } from "hono";
import { type Sluice, UsageError } from "../index.ts";
import { type GuardOptions, guard } from "./access/guard.ts";
import { type KeyOptions, Keys } from "./access/keys.ts";
import { endpoint, type Shared } from "./endpoint.ts";
import { type Handler, handlersOf } from "./handlers.ts";
import { Reports } from "./indexes/reports.ts";
import { ServedIndexes } from "./indexes/served.ts";
import type { ServedFolder } from "./indexes/served-folder.ts";
import { builtPage, StaticFiles } from "./page/static.ts";
import { docsPage, docsStyle } from "./routes/docs-page.ts";
import { openApiDocument } from "./routes/openapi.ts";
import { ROUTES, type Route, type RouteName } from "./routes/routes.ts";
import { Metrics } from "./traffic/prometheus.ts";
import type { Log } from "./traffic/request-log.ts";
import { Turnstile } from "./traffic/turnstile.ts";
import { Workload } from "./traffic/work.ts";
import { HttpError, httpErrorOf } from "./wire/http-errors.ts";
import { type Limits, resolveLimits } from "./wire/limits.ts";
import { errorResponse, jsonResponse } from "./wire/responses.ts";

export interface ServerOptions extends GuardOptions {
  /** Keys that clients must send. Without keys, everyone may read and write. */
  keys?: KeyOptions | undefined;
  limits?: Partial<Limits> | undefined;
  /** A folder of indexes. All of them are served, and clients can create and drop indexes there. You close it, after the server. */
  folder?: ServedFolder | undefined;
  /** Where requests and errors are logged; nowhere by default. */
  log?: Log | undefined;
  /** The folder of the web page: by default the one in the package; false serves no page. */
  page?: string | false | undefined;
  /** A folder of reports that experiments wrote; the page lists and shows them. */
  reports?: string | undefined;
  /** The folder of a cross-encoder. Searches that ask for reranking use it. */
  rerank?: string | undefined;
  /** Milliseconds between two checks for commits of other processes, 2000 by default; 0 never checks. */
  refreshMs?: number | undefined;
}

/** A server without a socket. Pass `fetch` to an HTTP server, or mount `app` in your own Hono application. */
export interface SluiceServer {
  readonly app: Hono;
  fetch(request: Request): Response | Promise<Response>;
  /**
   * Refuses new requests and waits for running ones. After `graceMs` (10 seconds by default) they are aborted; a commit
   * still completes. The indexes stay open: you close them.
   */
  close(options?: { graceMs?: number | undefined }): Promise<void>;
}

/** Serves indexes by name. You close them yourself, after the server. */
export function createServer(
  indexes: Readonly<Record<string, Sluice>>,
  options: ServerOptions = {},
): SluiceServer {
  const limits = resolveLimits(options.limits);
  const keys = new Keys(options.keys);
  const metrics = new Metrics();
  const workload = new Workload(limits, metrics);
  const served = new ServedIndexes(indexes, limits, options.folder);
  const shared: Shared = {
    keys,
    limits,
    metrics,
    workload,
    reads: new Turnstile(),
    log: options.log,
  };
  const app = new Hono();
  app.onError((error) => {
    options.log?.error({ error: error.stack }, "failed");
    return errorResponse(httpErrorOf(error));
  });
  app.use("*", ...guard(options));

  const handlers = handlersOf(served, limits, new Reports(options.reports), options.rerank);
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const route: Route = ROUTES[name];
    if (route.access === "open") continue;
    const path = route.path.replace(/\{(\w+)\}/g, ":$1");
    app.on(route.method.toUpperCase(), path, endpoint(route, handlers[name] as Handler, shared));
  }
  // Health checks and metrics are outside the limits, so they are answered even when the server is busy.
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
  const files = filesOf(options.page);
  // Browsers get the page, whose view of the API can be tried; programs, and servers without a page, a plain one.
  app.get("/docs", (c) => (isForBrowsers(c) && files?.response("/docs", true)) || c.html(docsPage(openApi)));
  app.get("/docs/style.css", (c) => c.body(docsStyle, 200, { "Content-Type": "text/css; charset=utf-8" }));

  app.notFound((c) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (isRead && !c.req.path.startsWith("/v1/")) {
      const file = files?.response(c.req.path, isForBrowsers(c));
      if (file) return file;
      if (!files && c.req.path === "/") return c.redirect("/docs");
    }
    return errorResponse(notFound(c.req.path));
  });

  for (const [name, error] of options.folder?.unavailable ?? [])
    options.log?.error({ index: name, error: error.message }, "the index cannot be opened");
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

/** Whether the answer is to be shown by a browser. */
function isForBrowsers(c: Context): boolean {
  return (c.req.header("accept") ?? "").includes("text/html");
}

/** 405 for a known path with another method, 404 for an unknown path. */
function notFound(path: string): HttpError {
  const shape = (route: Route) => new RegExp(`^${route.path.replace(/\{\w+\}/g, "[^/]+")}$`);
  const methods = Object.values(ROUTES)
    .filter((route) => shape(route).test(path))
    .map(({ method }) => method.toUpperCase());
  if (methods.length === 0) {
    return new HttpError(404, "not_found", "there is nothing at this path", {
      hint: "GET /docs lists all routes",
    });
  }
  const allow = [...new Set(methods)].join(", ");
  return new HttpError(405, "wrong_method", `this path accepts ${allow}`, { headers: { Allow: allow } });
}

function filesOf(page: string | false | undefined): StaticFiles | undefined {
  if (page === false) return undefined;
  const folder = page ?? builtPage();
  if (folder === undefined) return undefined;
  try {
    return new StaticFiles(folder);
  } catch {
    throw new UsageError(`${folder}: expected a folder with the files of the page`);
  }
}

function refresher(served: ServedIndexes, ms: number, log: Log | undefined): NodeJS.Timeout | undefined {
  if (ms === 0) return undefined;
  return setInterval(() => {
    for (const { name, index, writes } of served) {
      if (index.location === undefined) continue;
      writes.refresh().catch((error) => log?.error({ index: name, error: String(error) }, "refresh failed"));
    }
  }, ms).unref();
}
