// Questions take the thread for as long as they compute, and many that come at once would keep a commit waiting at each of
// its steps. So a few go at a time, in the order they came, and every few milliseconds whatever else waits has its turn.

/** Enough to keep a model, a GPU or other threads busy meanwhile. */
const AT_ONCE = 4;
const SLICE_MS = 5;

export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #inside = 0;
  /** When others last had a turn, and whether they have it now. */
  #since = performance.now();
  #pausing = false;

  /** Does the work when it is its turn; not at all when it is given up before. */
  async pass<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#inside--;
      this.#admit();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
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
    while (!this.#pausing && this.#inside < AT_ONCE && this.#waiting.length > 0) {
      if (performance.now() - this.#since >= SLICE_MS) {
        this.#pause();
      } else {
        this.#inside++;
        this.#waiting.shift()!();
      }
    }
  }

  #pause(): void {
    this.#pausing = true;
    setImmediate(() => {
      this.#pausing = false;
      this.#since = performance.now();
      this.#admit();
    });
  }
}
