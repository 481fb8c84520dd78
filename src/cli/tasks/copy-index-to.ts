// The task that push and pull share: an open index and a location → a copy there, with progress and one line at the end.

import type { Sluice } from "../../index.ts";
import type { Arguments, Terminal } from "../terminal/command.ts";
import { countOf, milliseconds } from "../terminal/format.ts";
import { runStoppable } from "../terminal/interrupt.ts";
import { ProgressLine } from "../terminal/progress-line.ts";

export async function copyIndexTo(
  index: Sluice,
  location: string,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  const started = performance.now();
  const progress = new ProgressLine(terminal);
  const copy = await runStoppable(
    terminal,
    "interrupted; the same command goes on, or begins again",
    (signal) =>
      index.save(location, { overwrite: args.is("overwrite"), onProgress: progress.report, signal }),
  );
  progress.clear();
  const ms = performance.now() - started;
  terminal.out(
    args.is("json")
      ? `${JSON.stringify({ location, ...copy, totalMs: Math.round(ms) })}\n`
      : `${location}: ${countOf(copy.docs, "document")} in ${milliseconds(ms)}\n`,
  );
}
