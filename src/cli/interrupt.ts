// Ctrl-C while an index is being written: the work stops at the next document, what was not committed is forgotten, and the
// last commit stays. A second Ctrl-C ends the process at once, which leaves the last commit, too.

/** Work was stopped by the user. Exit status 130, one line. */
export class Interrupted extends Error {}

/** Runs work that can be stopped: it looks at the signal now and then. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once("SIGINT", stop);
  try {
    return await work(controller.signal);
  } finally {
    process.removeListener("SIGINT", stop);
  }
}

/** The same for work that throws where the signal stops it; `message` says what that leaves. */
export async function stoppable<T>(message: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return interruptible(async (signal) => {
    try {
      return await work(signal);
    } catch (error) {
      throw error === signal.reason ? new Interrupted(message) : error;
    }
  });
}

/** The same items, until the signal says stop. */
export async function* until<T>(
  signal: AbortSignal,
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal.aborted) throw new Interrupted();
    yield item;
  }
  if (signal.aborted) throw new Interrupted();
}
