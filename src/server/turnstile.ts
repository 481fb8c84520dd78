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

  async pass<T>(work: () => Promise<T>): Promise<T> {
    await new Promise<void>((enter) => {
      this.#waiting.push(enter);
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#inside--;
      this.#admit();
    }
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
