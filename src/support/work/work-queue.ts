// Work that changes an index → the same work, one piece after another, in the order in which it was asked for.

import { SluiceError } from "../errors/sluice-error.ts";

export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** Whether the source of an `add` runs. A change that the source makes would wait for itself, so `run` refuses it. */
  isSourceRunning = false;

  /** Runs work when all work before it is done. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isSourceRunning) {
      const error = new SluiceError(
        "the source of documents changes the index that they are added to, which waits for the source",
        "change the index before or after the call",
      );
      return Promise.reject(error);
    }
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
