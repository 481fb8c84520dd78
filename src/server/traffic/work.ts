// Keeps track of running requests: how many there are, how long each may take, and how each is told to stop. A request
// counts from the start of its work to the end of its answer; a stream of events is part of the answer.

import { canceledError, HANG_UP, HttpError } from "../wire/http-errors.ts";
import type { Limits } from "../wire/limits.ts";
import type { Metrics } from "./prometheus.ts";

/** A request that runs. */
interface Work {
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  stop(reason: HttpError): void;
  end(): void;
}

export class Workload {
  readonly #limits: Limits;
  readonly #metrics: Metrics;
  readonly #running = new Set<AbortController>();
  #isStopping = false;
  #idle: (() => void) | undefined;

  constructor(limits: Limits, metrics: Metrics) {
    this.#limits = limits;
    this.#metrics = metrics;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Refuses a request when too many run, or when the server stops. Ask before a body is read: then a refusal costs little. */
  requireCapacity(): void {
    if (this.#isStopping) throw unavailableError("stopping", "the server is stopping", HANG_UP);
    if (this.#running.size >= this.#limits.concurrent)
      throw unavailableError("busy", "too many requests at once");
  }

  /** Starts a request that may take `ms`, or refuses it when too many run. `client` aborts when the client disconnects. */
  begin(client: AbortSignal, ms: number): Work {
    this.requireCapacity();
    const controller = new AbortController();
    const gone = () => controller.abort(canceledError());
    const late = () =>
      controller.abort(new HttpError(503, "timeout", `the request took longer than ${ms} ms`));
    const timer = setTimeout(late, ms);
    if (client.aborted) gone();
    else client.addEventListener("abort", gone, { once: true });
    this.#running.add(controller);
    this.#metrics.inFlight = this.#running.size;
    return {
      signal: controller.signal,
      stop: (reason) => controller.abort(reason),
      end: () => {
        clearTimeout(timer);
        client.removeEventListener("abort", gone);
        this.#running.delete(controller);
        this.#metrics.inFlight = this.#running.size;
        if (this.#running.size === 0) this.#idle?.();
      },
    };
  }

  /** Refuses new requests and waits for running ones. After `graceMs` they are aborted; a commit still completes. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    if (this.#running.size === 0) return;
    const late = () => {
      for (const controller of this.#running)
        controller.abort(new HttpError(503, "stopping", "the server is stopping"));
    };
    const timer = setTimeout(late, graceMs);
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    clearTimeout(timer);
  }
}

function unavailableError(code: string, message: string, headers = {}): HttpError {
  return new HttpError(503, code, message, { headers: { "Retry-After": "1", ...headers } });
}
