// Runs long work in turns: it pauses every few milliseconds, so that timers, other requests and an abort are not held up. Work
// that is done sooner never pauses.

/** How long work runs before it pauses, in ms. Larger: others wait longer. Smaller: more time is spent on pauses. */
export const TURN_MS = 5;

/** The turns of one piece of work, such as a search. Its signal, if it has one, is checked after every turn. */
export class Turns {
  readonly signal: AbortSignal | undefined;
  readonly #pause: () => Promise<void>;
  #since = performance.now();

  constructor(signal?: AbortSignal, pause: () => Promise<void> = waitForTurn) {
    this.signal = signal;
    this.#pause = pause;
  }

  /** Whether the work has run for long enough. If so, await `next()`. */
  get isDue(): boolean {
    return performance.now() - this.#since >= TURN_MS;
  }

  /** Lets other work run. Rejects with the signal's reason if it was aborted. */
  async next(): Promise<void> {
    await this.#pause();
    this.signal?.throwIfAborted();
    this.#since = performance.now();
  }

  /** Runs work that yields wherever it may be interrupted. Returns the result itself, not a promise, if no pause was due. */
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
      steps.return(undefined as never); // after an abort, runs the work's own `finally` blocks
    }
  }

  /** Awaits `work`, but rejects as soon as the signal aborts. The work itself is not stopped. */
  raceAbort<T>(work: Promise<T>): Promise<T> {
    return this.signal ? rejectOnAbort(work, this.signal) : work;
  }
}

/** Runs the steps of work to their end, without a pause. */
export function runToEnd<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Resolves like `work`, or rejects with the signal's reason as soon as the signal aborts. The work may go on. */
export async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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

/**
 * Lets timers and other requests of this process run: waits for one turn of the event loop. What was due before it has run when
 * it resolves.
 */
export function waitForTurn(): Promise<void> {
  return new Promise(startNextTurn);
}

/**
 * Only Node has setImmediate. There a message would be too early: it arrives before callbacks of setImmediate that were set
 * first. In a browser a message is sent, because nested timers wait 4 ms.
 */
const startNextTurn: (run: () => void) => void = globalThis.setImmediate ?? sendMessage;

function sendMessage(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  const receive = () => {
    port1.close();
    run();
  };
  port1.addEventListener("message", receive, { once: true });
  port1.start();
  port2.postMessage(undefined);
}

/** Turns that others get for one of the background, while they need them. More: merges take longer beside searches. */
const OTHERS_TURNS = 6;
/** A pause that is shorter than this, in ms, was needed by nobody. */
const UNUSED_MS = 1;

/** Lets others run for a few turns, or until they need none: the pause of work that nobody waits for, such as merges. */
export async function waitInBackground(): Promise<void> {
  for (let turn = 0; turn < OTHERS_TURNS; turn++) {
    const started = performance.now();
    await waitForTurn();
    if (performance.now() - started < UNUSED_MS) return;
  }
}
