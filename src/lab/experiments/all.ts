// Lists every experiment in the order of the paper, and runs one by name.

import type { Report } from "../../report/report.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { beir } from "./beir.ts";
import { clsWidth, scoreComponents } from "./components.ts";
import { compress } from "./compress.ts";
import { densifyQuality } from "./densify-quality.ts";
import type { Collection, Experiment, ExperimentOptions } from "./experiment.ts";
import { fusion } from "./fusion.ts";
import { showcase } from "./showcase.ts";
import { slicing } from "./slicing-strategies.ts";
import { latency, recallCurve, tradeoff } from "./stages.ts";

export const EXPERIMENTS: readonly Experiment[] = [
  densifyQuality,
  compress,
  slicing,
  fusion,
  beir,
  scoreComponents,
  clsWidth,
  recallCurve,
  tradeoff,
  latency,
  showcase,
];

/** Runs an experiment and returns its report. `made` is the command, date and machine to put into the report. */
export async function runExperiment(
  name: string,
  collections: readonly Collection[],
  options: ExperimentOptions,
  made: Report["made"],
): Promise<Report> {
  const experiment = EXPERIMENTS.find((each) => each.name === name);
  if (!experiment) {
    throw new SluiceError(
      `there is no experiment "${name}"`,
      `the experiments are ${EXPERIMENTS.map((each) => each.name).join(", ")}`,
    );
  }
  const withoutVectors = collections.find(({ vectors }) => !vectors);
  if (experiment.needsVectors && withoutVectors) {
    throw new SluiceError(
      `${name} needs vectors of ${withoutVectors.name}`,
      "give the option encoder, or the option vectors",
    );
  }
  const { tables, plots = [], notes = [] } = await experiment.run(collections, options);
  return { name, title: experiment.title, about: experiment.about, made, tables, plots, notes };
}
