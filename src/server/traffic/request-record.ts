// The record of a request while it is answered, and the places it goes to at the end: metrics, the log, the audit log, the trace.

import type { Context } from "hono";
import { addressOf, networkOf } from "../access/addresses.ts";
import { type Caller, type Keys, refusedCaller, requireIndex } from "../access/keys.ts";
import { isOfIndex, type Route } from "../routes/routes.ts";
import { toHttpError } from "../wire/http-errors.ts";
import { requestIdOf } from "../wire/request-ids.ts";
import type { AuditLog } from "./audit.ts";
import type { Metrics } from "./prometheus.ts";
import type { RateLimits } from "./rates.ts";
import { type Log, loggedIndex, logRequest, logSlowSearch } from "./request-log.ts";
import { RequestTrace } from "./tracing.ts";

/** Where requests are recorded, and what decides whether they are let in. */
export interface Records {
  readonly keys: Keys;
  readonly rates: RateLimits;
  readonly metrics: Metrics;
  readonly log: Log | undefined;
  readonly audit: AuditLog | undefined;
  readonly trustProxy: boolean;
  /** Searches that take at least this long are logged once more. */
  readonly slowMs: number;
  readonly slowLogQueries: boolean;
}

/** How a request ended. */
interface RequestEnd {
  readonly status: number;
  /** Bytes of the answer, unless it is a stream. */
  readonly bytes?: number;
  readonly error?: unknown;
}

/** What the records read of an answer, whatever else it has. */
interface Recorded {
  readonly added?: number;
  readonly deleted?: number;
  readonly committed?: boolean;
  readonly stats?: SearchRecord;
  readonly answers?: readonly { readonly stats: SearchRecord; readonly totalMs: number }[];
}

type SearchRecord = Parameters<RequestTrace["search"]>[2];

export class RequestRecord {
  readonly id: string;
  /** Headers that every answer of this request gets. */
  headers: Readonly<Record<string, string>> = {};
  readonly #context: Context;
  readonly #route: Route;
  readonly #records: Records;
  readonly #trace: RequestTrace;
  readonly #started: number;
  readonly #address: string;
  #caller: Caller | undefined;
  #isAudited = false;
  /** When its work began, after its wait. */
  #workStarted: number | undefined;
  #waitMs: number | undefined;
  #query: unknown;
  #answer: Recorded | undefined;

  private constructor(c: Context, route: Route, records: Records, trace: RequestTrace, started: number) {
    this.id = requestIdOf(c);
    this.#context = c;
    this.#route = route;
    this.#records = records;
    this.#trace = trace;
    this.#started = started;
    this.#address = addressOf(c, records.trustProxy);
  }

  static async begin(c: Context, route: Route, records: Records): Promise<RequestRecord> {
    const started = performance.now();
    const trace = await RequestTrace.begin(`${c.req.method} ${route.path}`, c.req.raw.headers, {
      "http.request.method": c.req.method,
      "http.route": route.path,
      "sluice.request_id": requestIdOf(c),
    });
    return new RequestRecord(c, route, records, trace, started);
  }

  /** Lets the request in, or throws: too many from this address, no key for it, too many with this key. */
  admit(): Caller {
    const { keys, rates } = this.#records;
    // The address comes first, so that keys cannot be guessed faster.
    this.headers = rates.perAddress?.take(networkOf(this.#address)) ?? {};
    const caller = keys.identifyCaller(this.#context.req.header("authorization"), this.#route.access);
    this.#caller = caller;
    if (isOfIndex(this.#route)) requireIndex(caller, this.#context.req.param("name") ?? "");
    if (caller.key !== undefined && rates.perKey) {
      this.headers = {}; // if the key has no token left, the error has the headers
      this.headers = rates.perKey.take(caller.key);
    }
    return caller;
  }

  /** Writes down that a change begins; throws if the audit log cannot be written. */
  async beginChange(): Promise<void> {
    const { audit } = this.#records;
    if (!audit || this.#route.access === "read" || this.#route.access === "open") return;
    await audit.begin(this.#auditEntry());
    this.#isAudited = true;
  }

  /** Does the work of the request when it is its turn, and remembers what the records need of its answer. */
  async doWork<T>(query: unknown, handle: () => Promise<T>): Promise<T> {
    this.#query = query;
    const from = performance.now();
    this.#workStarted = from;
    const answer = await this.#trace.run(handle);
    this.#answer = answer as Recorded;
    const { stats } = this.#answer;
    if (stats) this.#trace.search(from, performance.now(), stats);
    return answer;
  }

  /** Notes that the request waits from now on, until its work begins. */
  wait(): () => void {
    const from = performance.now();
    return () => {
      const to = performance.now();
      this.#waitMs = to - from;
      this.#trace.recordPart("wait", from, to);
    };
  }

  async end({ status, bytes, error }: RequestEnd): Promise<void> {
    const { metrics, log, slowMs } = this.#records;
    const { method } = this.#context.req;
    const route = this.#route.path;
    const ms = performance.now() - this.#started;
    metrics.record(method, route, status, ms);
    const index = isOfIndex(this.#route) ? this.#context.req.param("name") : undefined;
    const key = (this.#caller ?? refusedCaller(error))?.key;
    const entry = { requestId: this.id, trace: this.#trace.id, key, method, route, index, status, ms, bytes };
    if (log) logRequest(log, entry, error);
    const isSlow = this.#route.tag === "search" && ms >= slowMs && this.#workStarted !== undefined;
    if (log && isSlow) logSlowSearch(log, entry, { waitMs: this.#waitMs, ...this.#search() });
    await this.#audit(status, error);
    const { index: name } = loggedIndex(index);
    this.#trace.end(status, { "sluice.index": name, "sluice.key": key });
  }

  /** What the slow log has of a search: of several, the slowest one. */
  #search(): { readonly stats?: unknown; readonly query?: unknown; readonly queries?: number } {
    const { stats, answers } = this.#answer ?? {};
    const query = this.#records.slowLogQueries ? { query: this.#query } : {};
    if (!answers) return { stats, ...query };
    const [slowest] = [...answers].sort((a, b) => b.totalMs - a.totalMs);
    return { queries: answers.length, stats: slowest?.stats, ...query };
  }

  async #audit(status: number, error: unknown): Promise<void> {
    const { audit } = this.#records;
    if (!audit) return;
    const code = error === undefined ? {} : { code: toHttpError(error).code };
    const entry = { ...this.#auditEntry(error), status, ...code };
    if (this.#isAudited) {
      const { added, deleted, committed } = this.#answer ?? {};
      await audit.end({
        ...entry,
        ...(added !== undefined && { added }),
        ...(deleted !== undefined && { deleted }),
        ...(committed !== undefined && { committed }),
      });
      // Requests over a rate are not written down: otherwise one client could fill the disk.
    } else if (status === 401 || status === 403) await audit.writeRefused(entry);
  }

  #auditEntry(error?: unknown) {
    const { req } = this.#context;
    const index = isOfIndex(this.#route) ? loggedIndex(req.param("name")) : {};
    return {
      requestId: this.id,
      key: (this.#caller ?? refusedCaller(error))?.key,
      address: this.#address,
      method: req.method,
      route: this.#route.path,
      ...index,
    };
  }
}
