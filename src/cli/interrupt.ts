// Ctrl-C while something long runs: it is acknowledged at once, the work stops at the next document or batch, what was not
// committed is forgotten, and the last commit stays. A second Ctrl-C ends the process at once, which leaves the last
// commit, too.

import type { Terminal } from "./command.ts";

/** Work was stopped by the user. Exit status 130, one line. */
export class Interrupted extends Error {}

/** Runs work that can be stopped: it looks at the signal now and then. `saying` is what the first Ctrl-C is told. */
export async function interruptible<T>(
  terminal: Terminal,
  work: (signal: AbortSignal) => Promise<T>,
  saying = () => "stopping…",
): Promise<T> {
  const controller = new AbortController();
  const stop = () => {
    if (terminal.errIsTty) terminal.err("\r\u001b[K"); // a progress line, and ^C, may stand there
    terminal.err(`sluice: ${saying()} (Ctrl-C again ends at once)\n`);
    controller.abort();
  };
  process.once("SIGINT", stop); // once: the second Ctrl-C does what it does without us
  try {
    return await work(controller.signal);
  } finally {
    process.removeListener("SIGINT", stop);
  }
}

/** The same for work that fails with the signal's reason where it is stopped; `message` says what that leaves. */
export async function stoppable<T>(
  terminal: Terminal,
  message: string | (() => string),
  work: (signal: AbortSignal) => Promise<T>,
  saying?: () => string,
): Promise<T> {
  const translated = async (signal: AbortSignal) => {
    try {
      return await work(signal);
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
      throw new Interrupted(typeof message === "string" ? message : message());
    }
  };
  return interruptible(terminal, translated, saying);
}

/** The same items, until the signal says stop: then it fails with the signal's reason, even while it waits for an item. */
export async function* until<T>(
  signal: AbortSignal,
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T> {
  const iterator = (async function* () {
    yield* items;
  })();
  let abandon = (_reason: unknown): void => {};
  const onAbort = () => abandon(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        abandon = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) break;
      yield next.value;
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", onAbort);
    const closed = iterator.return(undefined).catch(() => {});
    // Who is stopped does not wait for a source that itself waits: for a pipe in which nothing comes, say.
    if (!signal.aborted) await closed;
  }
}
