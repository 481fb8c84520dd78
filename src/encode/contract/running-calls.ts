// The calls of an encoder that run now. Closing waits for them: freeing a model while it computes ends in an error of the runtime,
// which reads as if a file were damaged.

import { SluiceError } from "../../support/errors/sluice-error.ts";

export class RunningCalls {
  readonly #what: string;
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  /** `what` is what errors say is closed. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Does the work of a call. Throws if `close` was called before. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new SluiceError(`${this.#what} is closed`, undefined, "ERR_SLUICE_CLOSED");
    const call = work();
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  /** Waits for the calls that run, and then frees what they use. A second call waits for the first. */
  close(free: () => Promise<void>): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(free);
    return this.#closing;
  }
}
