// sluice train with a config of the kind "static".

import { readStaticConfig, trainStatic } from "../../lab/index.ts";
import type { Arguments, Terminal } from "../terminal/command.ts";
import { duration, formatCount } from "../terminal/format.ts";
import { runStoppable } from "../terminal/interrupt.ts";
import { ProgressLine } from "../terminal/progress-line.ts";

/** Trains a static encoder into `folder`, and prints where it is. */
export async function trainStaticEncoder(
  file: string,
  folder: string,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  args.refuseFlags(["resume"], "with a static encoder, which has no checkpoints");
  const config = await readStaticConfig(file);
  const progress = new ProgressLine(terminal);
  const outcome = await runStoppable(terminal, "interrupted; nothing was written", (signal) =>
    trainStatic(config, folder, {
      signal,
      onProgress: progress.report,
      onStep: ({ step, smoothed, seconds }, steps) =>
        progress.show(
          "training",
          step,
          steps,
          `loss ${smoothed.toFixed(4)}, ${duration(seconds * (steps - step))} left`,
        ),
    }),
  );
  progress.clear();
  const { steps, loss, model, curve } = outcome;
  terminal.out(
    args.is("json")
      ? `${JSON.stringify({ folder, ...outcome })}\n`
      : `${model}: ${formatCount(steps)} steps, loss ${loss.toFixed(4)} (recent average), plotted in ${curve}\n` +
          `  use it: sluice index my-index documents.jsonl --encoder ${model}\n`,
  );
}
