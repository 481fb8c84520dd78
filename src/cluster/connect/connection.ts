// Requests to an OpenSearch cluster → answers. A request that the cluster may answer later (a node died, a queue is full) is asked
// again, with growing pauses, at any node. Everything that is sent this way may be done twice: documents have ids of our own.

import { setTimeout as pause } from "node:timers/promises";
import { missingPackageError } from "../../support/environment/packages.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { ClusterAccess, ClusterAddress } from "./cluster-address.ts";

/** An answer of the cluster that says no: its status, and OpenSearch's own reason. */
export class ClusterError extends SluiceError {
  readonly status: number;
  /** OpenSearch's name of the error, such as `index_not_found_exception`. */
  readonly type: string;

  constructor(message: string, status: number, type: string, hint?: string) {
    super(message, hint, "ERR_SLUICE_CLUSTER");
    this.status = status;
    this.type = type;
  }
}

interface ClusterRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "HEAD";
  /** Without the host: "/name/_search". */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
  /** Lines of JSON, for `_bulk` and `_msearch`. */
  readonly lines?: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether the caller itself asks again. */
  readonly isAskedOnce?: boolean;
}

/** The part of the client's package that is used. */
interface Transport {
  request(params: object, options: object): PromiseLike<{ body: unknown }> & { abort?: () => void };
}

/** Statuses of a cluster that may answer later: too busy, or without the shard or the manager that is needed. */
const LATER = new Set([429, 502, 503, 504]);
/** Reasons of OpenSearch that say that a node or a copy of a shard was lost just now. Their status may be 404 or 500. */
const LOST = new Set([
  ...["node_disconnected_exception", "node_not_connected_exception", "node_closed_exception"],
  ...[
    "connect_transport_exception",
    "send_request_transport_exception",
    "receive_timeout_transport_exception",
  ],
  ...["no_shard_available_action_exception", "shard_not_found_exception", "already_closed_exception"],
  ...[
    "illegal_index_shard_state_exception",
    "index_shard_not_started_exception",
    "index_shard_closed_exception",
  ],
]);
const LATER_ERRORS = new Set(["ConnectionError", "TimeoutError", "NoLivingConnectionsError"]);
/** The first pause, in ms. Each is twice as long as the one before. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
/** How long one request may take, in ms. A node that hangs costs this much time. */
const REQUEST_MS = 60_000;
/** How long a request is asked again, in ms. A cluster chooses another manager, and other copies of shards, within seconds. */
const PATIENCE_MS = 60_000;

export class Connection {
  readonly address: ClusterAddress;
  readonly #transport: Transport;
  readonly #patienceMs: number;
  readonly #close: () => Promise<void>;
  /** How often a request was asked again. */
  retries = 0;

  private constructor(
    address: ClusterAddress,
    client: { transport: unknown; close(): Promise<void> },
    patienceMs: number,
  ) {
    this.address = address;
    this.#transport = client.transport as Transport;
    this.#patienceMs = patienceMs;
    this.#close = () => client.close();
  }

  static async open(
    address: ClusterAddress,
    access: ClusterAccess,
    patienceMs = PATIENCE_MS,
  ): Promise<Connection> {
    const { Client } = await import("@opensearch-project/opensearch").catch((error) => {
      throw missingPackageError("@opensearch-project/opensearch", "an index on a cluster needs", error);
    });
    const { auth, headers, ca } = access;
    const client = new Client({
      nodes: [...address.nodes],
      maxRetries: 0, // ours are below: the client's know neither 429 nor pauses
      requestTimeout: REQUEST_MS,
      // Documents may have any keys. JSON.parse gives each an own property, so none reaches a prototype.
      disablePrototypePoisoningProtection: true,
      ...(auth && { auth }),
      ...(headers && { headers }),
      ...(ca !== undefined && { ssl: { ca } }),
    });
    return new Connection(address, client, patienceMs);
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** The answer, or a `ClusterError`. A status of `LATER` is asked again until the patience ends. */
  async ask<T = unknown>(request: ClusterRequest): Promise<T> {
    const { signal } = request;
    return this.#retryUntilDone<T>(async () => {
      signal?.throwIfAborted();
      try {
        return { done: (await this.#sendOnce(request)) as T };
      } catch (error) {
        signal?.throwIfAborted();
        if (!isLater(error)) throw this.#named(error, request);
        if (request.isAskedOnce) throw this.#noAnswerError(error);
        return { late: this.#noAnswerError(error) };
      }
    }, signal);
  }

  /** Tries again, with growing pauses, until `work` is done or the patience ends. Then `lateError` is thrown. */
  async waitUntil(work: () => Promise<boolean>, lateError: () => ClusterError): Promise<void> {
    await this.#retryUntilDone(async () => ((await work()) ? { done: undefined } : { late: lateError() }));
  }

  async #retryUntilDone<T>(
    attempt: () => Promise<{ done: T } | { late: ClusterError }>,
    signal?: AbortSignal,
  ): Promise<T> {
    const end = performance.now() + this.#patienceMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const outcome = await attempt();
      if ("done" in outcome) return outcome.done;
      if (performance.now() + pauseMs > end) throw outcome.late;
      this.retries++;
      // Between half and the whole pause, so that many clients do not come back together.
      await pause(pauseMs * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {});
    }
  }

  /** The answer; undefined if there is no such index or document. */
  async askIfThere<T>(request: ClusterRequest): Promise<T | undefined> {
    try {
      return await this.ask<T>(request);
    } catch (error) {
      if (error instanceof ClusterError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #sendOnce({ method, path, query, body, lines, signal }: ClusterRequest): Promise<unknown> {
    const asked = this.#transport.request(
      {
        method,
        path,
        ...(query && { querystring: query }),
        ...(body && { body }),
        ...(lines && { bulkBody: lines }),
      },
      { maxRetries: 0 },
    );
    const stop = () => asked.abort?.();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return (await asked).body;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** An answer that says no, with what OpenSearch says about it. */
  #named(error: unknown, { method, path }: ClusterRequest): unknown {
    const status = statusOf(error);
    if (status === undefined) return isAnsweredInPlain(error) ? this.#plainError() : error;
    const { type = "unknown", reason = "" } = causeOf(error);
    const { text } = this.address;
    if (status === 401 || status === 403) {
      return new ClusterError(
        `${text}: not allowed (${status})`,
        status,
        type,
        "set SLUICE_CLUSTER_USER and SLUICE_CLUSTER_PASSWORD, or SLUICE_CLUSTER_HEADER; a program may give cluster.auth or cluster.headers",
      );
    }
    return new ClusterError(`${text}: ${method} ${path}: ${status} ${type}: ${reason}`, status, type);
  }

  #plainError(): ClusterError {
    const { text } = this.address;
    return new ClusterError(
      `${text}: a node speaks http and not https`,
      400,
      "ConnectionError",
      `give ${text.replace("opensearchs:", "opensearch:")}`,
    );
  }

  #noAnswerError(error: unknown): ClusterError {
    const { type = (error as Error).name, reason = (error as Error).message } = causeOf(error);
    return new ClusterError(
      `${this.address.text}: the cluster did not answer within ${Math.round(this.#patienceMs / 1000)} s: ${type}: ${reason}`,
      statusOf(error) ?? 503,
      type,
      "look at the health of the cluster: GET /_cluster/health; nothing that was committed is lost",
    );
  }
}

function statusOf(error: unknown): number | undefined {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === "number" ? statusCode : undefined;
}

function isLater(error: unknown): boolean {
  const status = statusOf(error);
  if (status === undefined) return LATER_ERRORS.has((error as Error).name) && !isAnsweredInPlain(error);
  return LATER.has(status) || causesOf(error).some(({ type }) => isLost(type));
}

/** Whether a node was asked over https, and answered in http: what OpenSSL says of it. */
function isAnsweredInPlain(error: unknown): boolean {
  return (error as Error).name === "ConnectionError" && /wrong version number/.test((error as Error).message);
}

/** Whether a reason of OpenSearch says that a node or a copy of a shard was lost just now. */
export function isLost(type: string | undefined): boolean {
  return type !== undefined && LOST.has(type);
}

interface Cause {
  readonly type?: string;
  readonly reason?: string;
}

/** The reasons that an answer gives, the innermost first. */
function causesOf(error: unknown): Cause[] {
  const { error: said } = ((error as { body?: unknown }).body ?? {}) as {
    error?: Cause & { root_cause?: readonly Cause[]; failed_shards?: readonly { reason?: Cause }[] };
  };
  if (!said || typeof said !== "object") return [];
  const ofShards = (said.failed_shards ?? []).flatMap(({ reason }) => reason ?? []);
  return [...ofShards, ...(said.root_cause ?? []), said];
}

function causeOf(error: unknown): Cause {
  return causesOf(error)[0] ?? {};
}
