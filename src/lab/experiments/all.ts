// Every experiment, in the order of the paper.

import { UsageError } from "../../errors.ts";
import type { Report } from "../report/report.ts";
import { beir } from "./beir.ts";
import { clsWidth, components } from "./components.ts";
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
  components,
  clsWidth,
  recallCurve,
  tradeoff,
  latency,
  showcase,
];

/** Runs an experiment; `made` says with what command, when and where. */
export async function runExperiment(
  name: string,
  collections: readonly Collection[],
  options: ExperimentOptions,
  made: Report["made"],
): Promise<Report> {
  const experiment = EXPERIMENTS.find((each) => each.name === name);
  if (!experiment) {
    throw new UsageError(
      `there is no experiment "${name}"`,
      `there are ${EXPERIMENTS.map((each) => each.name).join(", ")}`,
    );
  }
  const bare = collections.find(({ vectors }) => !vectors);
  if (experiment.needsVectors && bare) {
    throw new UsageError(
      `${name} needs embeddings of ${bare.name}`,
      "give --encoder MODEL, or --vectors and --query-vectors",
    );
  }
  const { tables, plots = [], notes = [] } = await experiment.run(collections, options);
  return { name, title: experiment.title, about: experiment.about, made, tables, plots, notes };
}
