// Indexes and options → a function that answers HTTP requests. It is the whole server except the socket.

import { type Context, Hono } from "hono";
import { type Sluice, SluiceError } from "../index.ts";
import { addressOf, networkOf } from "./access/addresses.ts";
import { type GuardOptions, guard } from "./access/guard.ts";
import { type Caller, identifyCallerOrNobody, type KeyOptions, Keys } from "./access/keys.ts";
import { endpoint, type Shared } from "./endpoint.ts";
import { checkReadiness, type EndpointName, type Handler, handlersOf } from "./handlers.ts";
import { misnamedError, ServedIndexes } from "./indexes/served.ts";
import type { ServedFolder } from "./indexes/served-folder.ts";
import { Reports } from "./page/reports.ts";
import { builtPage, StaticFiles } from "./page/static.ts";
import { openApiDocument } from "./routes/openapi.ts";
import { listRoutes } from "./routes/route-list.ts";
import { ROUTES, type Route } from "./routes/routes.ts";
import { DEFAULT_GRACE_MS } from "./server-defaults.ts";
import { AuditLog } from "./traffic/audit.ts";
import { Metrics } from "./traffic/prometheus.ts";
import { RateLimits, type RateOptions } from "./traffic/rates.ts";
import type { Log } from "./traffic/request-log.ts";
import { Turnstile } from "./traffic/turnstile.ts";
import { Workload } from "./traffic/work.ts";
import { HttpError, toHttpError } from "./wire/http-errors.ts";
import { type Limits, resolveLimits } from "./wire/limits.ts";
import { giveRequestId, requestIdOf } from "./wire/request-ids.ts";
import { errorResponse, jsonResponse } from "./wire/responses.ts";

export interface ServerOptions extends GuardOptions {
  /** Keys that clients must send. Without keys, everyone may do everything. */
  readonly keys?: KeyOptions | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** How many requests a key, or an address, may send in a time; without a limit by default. */
  readonly rates?: RateOptions | undefined;
  /** Whether a proxy in front writes the address of the client at the end of X-Forwarded-For. False by default. */
  readonly trustProxy?: boolean | undefined;
  /** A folder of indexes. All of them are served, and clients can create and drop indexes there. You close it, after the server. */
  readonly folder?: ServedFolder | undefined;
  /** Where requests and errors are logged; nowhere by default. */
  readonly log?: Log | undefined;
  /** Milliseconds: a search that takes at least as long gets an entry of its own in the log, with its statistics. */
  readonly slowMs?: number | undefined;
  /** Whether such an entry has the query, too. False by default: the log has no words of anyone. */
  readonly slowLogQueries?: boolean | undefined;
  /**
   * A file that gets a line for every change, before it is made and after, and for every refused access. If it cannot be
   * written, changes are refused (503).
   */
  readonly audit?: string | undefined;
  /** The folder of the web page: by default the one in the package; false serves no page. */
  readonly page?: string | false | undefined;
  /** A folder of reports that experiments wrote; the page lists and shows them. */
  readonly reports?: string | undefined;
  /** The folder of a cross-encoder. Searches that ask for reranking use it. */
  readonly rerankModel?: string | undefined;
  /** Milliseconds between two checks for commits of other processes, 2000 by default; 0 never checks. */
  readonly refreshMs?: number | undefined;
}

/** A server without a socket. Pass `fetch` to an HTTP server, or mount `app` in your own Hono application. */
export interface SluiceServer {
  readonly app: Hono;
  /** `env` is what Hono's server for Node gives: it has the socket, which tells the client's address. */
  fetch(request: Request, env?: object): Response | Promise<Response>;
  /** Takes other keys from now on. A server that began with keys must keep some, and one without must not get any. */
  setKeys(keys: KeyOptions): void;
  /** Opens the audit log again, after its file was renamed. */
  reopenAudit(): Promise<void>;
  /** From now on `/ready` is 503, and answers ask clients to open no more requests on their connection. All are still answered. */
  drain(): void;
  /**
   * Refuses new requests and waits for running ones. After `graceMs` (10 seconds by default) they are aborted; a commit
   * still completes. The indexes stay open: you close them.
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
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
  const { trustProxy = false } = options;
  const audit = options.audit === undefined ? undefined : new AuditLog(options.audit, options.log);
  const rates = new RateLimits(options.rates);
  const takeToken = (c: Context) => rates.perAddress?.take(networkOf(addressOf(c, trustProxy)));
  /** Who asks outside the endpoints. There, too, keys are not guessed faster than the rate of an address allows. */
  const callerOf = (c: Context): Caller => {
    takeToken(c);
    return keys.identifyCaller(c.req.header("authorization"), "read");
  };
  /** Writes down a request that never reached an endpoint; not one over a rate, so that nobody can fill the disk. */
  const auditRefusal = async (c: Context, { status, code }: HttpError) => {
    if (status === 429) return;
    const entry = {
      requestId: requestIdOf(c),
      address: addressOf(c, trustProxy),
      method: c.req.method,
      route: routePathOf(c.req.path),
    };
    await audit?.writeRefused({ ...entry, status, code });
  };
  const auditStranger = async (c: Context, error: HttpError) => {
    try {
      takeToken(c);
    } catch {
      return;
    }
    await auditRefusal(c, error);
  };
  const shared: Shared = {
    keys,
    rates,
    limits,
    metrics,
    workload,
    reads: new Turnstile(),
    log: options.log,
    audit,
    trustProxy,
    slowMs: slowMsOf(options.slowMs),
    slowLogQueries: options.slowLogQueries ?? false,
  };
  const app = new Hono();
  app.onError((error, c) => {
    options.log?.error({ requestId: requestIdOf(c), error: error.stack }, "failed");
    return errorResponse(toHttpError(error), requestIdOf(c));
  });
  app.use("*", giveRequestId, ...guard(options, auditStranger));
  let isDraining = false;
  app.use("*", async (c, next) => {
    await next();
    if (isDraining) c.res.headers.set("Connection", "close");
  });

  const handlers = handlersOf(served, limits, new Reports(options.reports), options.rerankModel);
  const isEndpoint = (name: string): name is EndpointName => Object.hasOwn(handlers, name);
  for (const name of Object.keys(ROUTES).filter(isEndpoint)) {
    const route: Route = ROUTES[name];
    const path = route.path.replace(/\{(\w+)\}/g, ":$1");
    app.on(route.method.toUpperCase(), path, endpoint(route, handlers[name] as Handler, shared));
  }
  // Health checks and metrics are outside the limits, so they are answered even when the server is busy.
  app.get("/health", () => jsonResponse(200, { status: "ok" }));
  app.get("/ready", async (c) => {
    // Health probes send no key and are not rate-limited.
    const hasKey = c.req.header("authorization") !== undefined;
    const caller = identifyCallerOrNobody(() =>
      hasKey ? callerOf(c) : keys.identifyCaller(undefined, "read"),
    );
    const answer = await checkReadiness(served, caller);
    const status = isDraining || workload.isStopping ? "stopping" : answer.status;
    return jsonResponse(status === "ready" ? 200 : 503, { ...answer, status });
  });
  app.get("/metrics", async (c) => {
    let caller: Caller;
    try {
      caller = callerOf(c);
    } catch (error) {
      const httpError = toHttpError(error);
      await auditRefusal(c, httpError);
      return errorResponse(httpError, requestIdOf(c));
    }
    const shown = [...served].filter(({ name }) => caller.sees(name));
    return c.text(metrics.text(shown), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  });
  const openApi = openApiDocument(limits);
  app.get("/openapi.json", () => jsonResponse(200, openApi));
  const files = filesOf(options.page);
  // Browsers get the page, whose view of the API can be tried. Programs get a list, and browsers where there is no page.
  app.get("/docs", (c) => (isForBrowsers(c) && files?.response("/docs", true)) || c.text(listRoutes()));

  app.notFound((c) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (isRead && !c.req.path.startsWith("/v1/")) {
      const file = files?.response(c.req.path, isForBrowsers(c));
      if (file) return file;
      if (!files && c.req.path === "/") return c.redirect("/docs");
    }
    return errorResponse(notFoundError(c.req.path), requestIdOf(c));
  });

  for (const [name, error] of options.folder?.unavailable ?? [])
    options.log?.error({ index: name, error: error.message }, "the index cannot be opened");
  for (const name of options.folder?.misnamed ?? [])
    options.log?.warn({ folder: name, error: misnamedError(name).message }, "the index is not served");
  const refreshing = startRefreshing(served, options.refreshMs ?? 2000, options.log);
  return {
    app,
    fetch: (request, env) => app.fetch(request, env),
    setKeys: (next) => setKeys(keys, next),
    drain() {
      isDraining = true;
    },
    reopenAudit: async () => audit?.reopen(),
    async close({ graceMs = DEFAULT_GRACE_MS } = {}) {
      clearInterval(refreshing);
      await workload.stop(graceMs);
      for (const { queue } of served) await queue.finish();
      await audit?.close();
    },
  };
}

function slowMsOf(ms = Number.POSITIVE_INFINITY): number {
  if (ms >= 0) return ms;
  throw new SluiceError(`slowMs must be a number of milliseconds of at least 0, not ${ms}`);
}

/** Whether there are keys decides where a server may listen, so that cannot change while it runs. */
function setKeys(keys: Keys, next: KeyOptions): void {
  if (new Keys(next).hasKeys !== keys.hasKeys)
    throw new SluiceError("a server that runs keeps its kind: with keys, or without", "start it again");
  keys.replace(next);
}

/** Whether the answer is to be shown by a browser. */
function isForBrowsers(c: Context): boolean {
  return (c.req.header("accept") ?? "").includes("text/html");
}

/** The routes whose path this is, by any method. */
function routesAt(path: string): Route[] {
  const shape = (route: Route) => new RegExp(`^${route.path.replace(/\{\w+\}/g, "[^/]+")}$`);
  return Object.values(ROUTES).filter((route: Route) => shape(route).test(path));
}

/** Paths that are written down as they are. Others may hold anything, so a dash stands for them. */
const OTHER_PATHS = ["/", "/metrics", "/docs", "/openapi.json"];

function routePathOf(path: string): string {
  return routesAt(path)[0]?.path ?? (OTHER_PATHS.includes(path) ? path : "–");
}

/** 405 for a known path with another method, 404 for an unknown path. */
function notFoundError(path: string): HttpError {
  const methods = routesAt(path).map(({ method }) => method.toUpperCase());
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
    throw new SluiceError(`${folder}: expected a folder with the files of the page`);
  }
}

function startRefreshing(
  served: ServedIndexes,
  ms: number,
  log: Log | undefined,
): NodeJS.Timeout | undefined {
  if (ms === 0) return undefined;
  return setInterval(() => {
    for (const { name, index, queue } of served) {
      if (index.location === undefined) continue;
      queue.refresh().catch((error) => log?.error({ index: name, error: String(error) }, "refresh failed"));
    }
  }, ms).unref();
}
