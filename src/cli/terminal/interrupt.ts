// Ctrl-C during long work. The first one prints a message at once, and the work stops at the next document or batch;
// uncommitted changes are dropped and the last commit stays. A second Ctrl-C ends the process at once; the last commit
// stays then, too.

import type { Terminal } from "./command.ts";

/** The user stopped the work. The command prints one line and exits with 130. */
export class Interrupted extends Error {}

/** Runs work that checks the signal now and then. The first Ctrl-C aborts the signal and prints `saying`. */
async function runInterruptible<T>(
  terminal: Terminal,
  work: (signal: AbortSignal) => Promise<T>,
  saying = () => "stopping…",
): Promise<T> {
  const controller = new AbortController();
  const stop = () => {
    if (terminal.isErrorTty) terminal.err("\r\u001b[K"); // removes a progress line and ^C
    terminal.err(`sluice: ${saying()} (Ctrl-C again ends at once)\n`);
    controller.abort();
  };
  process.once("SIGINT", stop); // once: a second Ctrl-C ends the process, as Node does by default
  try {
    return await work(controller.signal);
  } finally {
    process.removeListener("SIGINT", stop);
  }
}

/** Like `runInterruptible`, for work that throws the signal's reason when stopped. `message` says what state is left. */
export async function runStoppable<T>(
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
  return runInterruptible(terminal, translated, saying);
}
