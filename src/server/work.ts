// A request while it is worked on: what it may still take, and how it is told to stop. It is counted from when its work
// begins until its answer is complete, a stream of events included.

import { cancelled, HANG_UP, HttpError } from "./http-errors.ts";
import type { Limits } from "./limits.ts";
import type { Metrics } from "./prometheus.ts";

export class Workload {
  readonly #limits: Limits;
  readonly #metrics: Metrics;
  readonly #running = new Set<AbortController>();
  #stopping = false;
  #idle: (() => void) | undefined;

  constructor(limits: Limits, metrics: Metrics) {
    this.#limits = limits;
    this.#metrics = metrics;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Takes a request on, or refuses it when there are too many. `client` says when nobody waits any more. */
  begin(client: AbortSignal, ms: number): { signal: AbortSignal; end(): void } {
    if (this.#stopping) throw busy("stopping", "the server is stopping", HANG_UP);
    if (this.#running.size >= this.#limits.concurrent) throw busy("busy", "too many requests at once");
    const controller = new AbortController();
    const gone = () => controller.abort(cancelled());
    const late = () =>
      controller.abort(new HttpError(503, "timeout", `the request took longer than ${ms} ms`));
    const timer = setTimeout(late, ms);
    if (client.aborted) gone();
    else client.addEventListener("abort", gone, { once: true });
    this.#running.add(controller);
    this.#metrics.inFlight = this.#running.size;
    return {
      signal: controller.signal,
      end: () => {
        clearTimeout(timer);
        client.removeEventListener("abort", gone);
        this.#running.delete(controller);
        this.#metrics.inFlight = this.#running.size;
        if (this.#running.size === 0) this.#idle?.();
      },
    };
  }

  /** Takes nothing more on, and waits for what runs; after `graceMs` it is told to stop, and a commit still ends. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
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

function busy(code: string, message: string, headers = {}): HttpError {
  return new HttpError(503, code, message, { headers: { "Retry-After": "1", ...headers } });
}
