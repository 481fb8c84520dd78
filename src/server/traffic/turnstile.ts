// Lets a few read requests run at a time, in the order of their arrival. A search holds the main thread while it
// computes; without a limit, many searches would delay a commit at each of its steps. Every few milliseconds everything
// else that waits on the event loop gets a turn.

import { TURN_MS } from "../../support/work/turns.ts";

/** Reads that run at once: enough to keep an encoder, a GPU or other threads busy. More makes commits wait longer. */
const MOST_RUNNING = 4;

export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** When the event loop last had a turn, and whether it has one now. */
  #turnStart = performance.now();
  #isYielding = false;

  /** Runs the work when it is its turn. Aborted before that, it never runs. */
  async pass<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#waitForTurn(signal);
    try {
      return await work();
    } finally {
      this.#running--;
      this.#admit();
    }
  }

  #waitForTurn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal!.reason);
      };
      signal?.throwIfAborted();
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(enter);
      this.#admit();
    });
  }

  #admit(): void {
    while (!this.#isYielding && this.#running < MOST_RUNNING && this.#waiting.length > 0) {
      if (performance.now() - this.#turnStart >= TURN_MS) {
        this.#yieldToEventLoop();
      } else {
        this.#running++;
        this.#waiting.shift()!();
      }
    }
  }

  #yieldToEventLoop(): void {
    this.#isYielding = true;
    setImmediate(() => {
      this.#isYielding = false;
      this.#turnStart = performance.now();
      this.#admit();
    });
  }
}
