// Values, such as documents, that an AbortSignal stops, even while their source waits.

import { PROGRESS_STEP } from "../options/progress.ts";
import { waitForTurn } from "./turns.ts";

/** Yields the values until the signal is aborted. Then it throws the signal's reason. */
export async function* stopOnAbort<T>(
  values: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const source = getIterator(values);
  const aborted = watchSignal(signal);
  try {
    for (let done = 0; ; ) {
      signal.throwIfAborted();
      const next = await aborted.race(() => source.next());
      signal.throwIfAborted();
      if (next.done) return;
      if (++done % PROGRESS_STEP === 0) await waitForTurn(); // lets a timer or another request abort the signal
      yield next.value;
    }
  } finally {
    aborted.forget();
    endIterator(source);
  }
}

/** Tells a source that no more values are wanted. It is not awaited: the source may wait forever. */
export function endIterator(source: AsyncIterator<unknown> | Iterator<unknown>): void {
  void Promise.resolve(source.return?.()).catch(() => {});
}

export function getIterator<T>(values: Iterable<T> | AsyncIterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
}

/**
 * Waits for one promise after another until the signal is aborted; `forget` lets go of the signal. It is not `Promise.race`
 * with one promise of the signal: that would keep the result of every race until the signal is aborted.
 */
function watchSignal(signal: AbortSignal): {
  race<R>(work: () => R | Promise<R>): Promise<R>;
  forget(): void;
} {
  let stopWaiting: (reason: unknown) => void = () => {};
  const abort = () => stopWaiting(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return {
    race: (work) =>
      new Promise((resolve, reject) => {
        stopWaiting = reject;
        Promise.resolve(work()).then(resolve, reject);
      }),
    forget: () => signal.removeEventListener("abort", abort),
  };
}
