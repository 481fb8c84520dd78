// sluice train: a config → a trained model in the folder of the run.

import { basename, join } from "node:path";
import { isStaticConfig, readTrainConfig, type TrainStep, train } from "../../../lab/index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import { trainStaticEncoder } from "../../tasks/train-static-encoder.ts";
import type { Command } from "../../terminal/command.ts";
import { duration, formatCount } from "../../terminal/format.ts";
import { Interrupted, runStoppable } from "../../terminal/interrupt.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const trainCommand: Command = {
  name: "train",
  summary: "train an encoder on pairs of queries and passages",
  operands: "CONFIG [--out FOLDER]",
  details: [
    "CONFIG is a JSON file with the model, the data, the loss and the number of steps; only the model and the data are",
    "required. configs/ has the three configs of the paper, at full size and for a small model.",
    "",
    "FOLDER gets config.json, log.jsonl (one line per step), checkpoints/ and, at the end, curve.svg. Ctrl-C finishes the",
    "step and writes a checkpoint. --resume continues exactly from the newest checkpoint, and refuses another config or",
    "other data. A loss that is NaN or infinite stops the run; the checkpoint from before stays.",
    "",
    'A config with "kind": "static" trains a static encoder in minutes. FOLDER gets it as model/, and no checkpoints.',
  ].join("\n"),
  flags: {
    out: { type: "string", value: "FOLDER", help: "folder of the run; runs/NAME-OF-CONFIG by default" },
    resume: { type: "boolean", help: "continue the run in FOLDER" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice train configs/small/delade-cls.json",
    "sluice train my.json --out runs/first",
    "sluice train my.json --out runs/first --resume",
  ],

  async run(args, terminal) {
    const [file] = args.exactly("CONFIG");
    const folder = args.text("out") ?? join("runs", basename(file).replace(/\.json$/, ""));
    if (await isStaticConfig(file)) return trainStaticEncoder(file, folder, args, terminal);
    const config = await readTrainConfig(file);
    const progress = new ProgressLine(terminal);
    const say = (text: string) => {
      progress.clear();
      terminal.err(`${text}\n`);
    };
    const outcome = await runStoppable(terminal, "interrupted before the first step", (signal) =>
      train(config, folder, {
        resume: args.is("resume"),
        signal,
        onProgress: progress.report,
        onStep: (step) => progress.show("training", step.step, step.steps, stepText(step)),
        onEvaluation: ({ step, metric, value }) =>
          say(`step ${formatCount(step)}: ${metric} ${value.toFixed(4)}`),
        onNote: say,
      }),
    );
    progress.clear();
    const { step, finished, loss, checkpoint, curve } = outcome;
    if (!finished) {
      throw new Interrupted(
        `interrupted after step ${formatCount(step)}, which is saved in ${checkpoint}\n` +
          `  continue with: sluice train ${file} --out ${folder} --resume`,
      );
    }
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ folder, ...outcome })}\n`
        : `${folder}: ${formatCount(step)} steps, loss ${loss.toFixed(4)} (recent average), plotted in ${curve}\n` +
            `  use it: sluice export-encoder ${checkpoint} my-encoder\n`,
    );
  },
};

function stepText({ smoothed, gradientNorm, pairsPerSecond, secondsLeft }: TrainStep): string {
  return [
    `loss ${smoothed.toFixed(4)}`,
    `gradient ${gradientNorm.toPrecision(3)}`,
    `${formatCount(Math.round(pairsPerSecond))} pairs/s`,
    `${duration(secondsLeft)} left`,
  ].join(", ");
}
