// Questions take the thread for as long as they compute, and many that come at once would keep a commit waiting at each of
// its steps. So a few go at a time, in the order they came, and every few milliseconds whatever else waits has its turn.

/** Enough to keep a model, a GPU or other threads busy meanwhile. */
const AT_ONCE = 4;
const SLICE_MS = 5;

export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #inside = 0;
  #since = performance.now();

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= AT_ONCE) await new Promise<void>((enter) => this.#waiting.push(enter));
    else this.#inside++;
    try {
      return await work();
    } finally {
      if (performance.now() - this.#since < SLICE_MS) this.#leave();
      else setImmediate(() => this.#leave());
    }
  }

  /** Whoever waits longest takes the place. */
  #leave(): void {
    if (performance.now() - this.#since >= SLICE_MS) this.#since = performance.now();
    const enter = this.#waiting.shift();
    if (enter) enter();
    else this.#inside--;
  }
}
