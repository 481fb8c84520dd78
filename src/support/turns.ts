// Long work in turns: it stops every few milliseconds, so that timers, other requests and an abort get their chance. Work that
// takes less never waits.

/** How long work goes on before others get a turn, in ms. Larger: they wait longer. Smaller: more time goes into waiting. */
const TURN_MS = 5;

/** The turns of one piece of work, such as a search. Its signal, where it has one, is looked at after every turn. */
export class Turns {
  readonly signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.signal = signal;
  }

  /** Whether the work went on for long enough: then wait for `next`. */
  get isDue(): boolean {
    return performance.now() - this.#since >= TURN_MS;
  }

  /** Lets others have a turn. Rejects with the signal's reason when it was aborted. */
  async next(): Promise<void> {
    await turn();
    this.signal?.throwIfAborted();
    this.#since = performance.now();
  }

  /** Runs work that yields where it may be interrupted. The result comes at once when no turn was due. */
  run<T>(steps: Generator<undefined, T>): T | Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (this.isDue) return this.#runOn(steps);
    }
  }

  async #runOn<T>(steps: Generator<undefined, T>): Promise<T> {
    try {
      for (;;) {
        await this.next();
        do {
          const step = steps.next();
          if (step.done) return step.value;
        } while (!this.isDue);
      }
    } finally {
      steps.return(undefined as never); // gives back what it took, when it was aborted
    }
  }

  /** What others work on. An abort rejects at once; what was begun goes on, and is forgotten. */
  until<T>(work: Promise<T>): Promise<T> {
    return this.signal ? unlessAborted(work, this.signal) : work;
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", stop!);
  }
}

/** A turn of the event loop, by a message: nested timers would wait for 4 ms in a page, and setImmediate is Node's alone. */
function turn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise<void>((resolve) => {
    port1.addEventListener("message", () => resolve(), { once: true });
    port1.start();
    port2.postMessage(undefined);
  }).finally(() => port1.close());
}
