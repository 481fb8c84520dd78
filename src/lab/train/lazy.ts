// The public functions of training. Each loads its code on the first call, so an app that only searches neither waits for
// it nor keeps it in memory.

import type { TrainingSource } from "./data/examples.ts";
import type { Distilled, DistillOptions } from "./distill.ts";
import type { ExportBertOptions, ExportedBert } from "./export/export-bert.ts";
import type { ExportCheckpointOptions, ExportedCheckpoint } from "./export/export-checkpoint.ts";
import type { AnyEncoderOptions, OpenedEncoder } from "./measure/any-encoder.ts";
import type { Mined, MineOptions } from "./mine.ts";
import type { TrainConfig } from "./run/config.ts";
import type { StaticConfig } from "./static/static-config.ts";
import type { StaticOutcome, StaticTrainOptions } from "./static/train-static.ts";
import type { TrainOptions, TrainOutcome } from "./train.ts";

/** Reads and checks a config file. */
export async function readTrainConfig(file: string): Promise<TrainConfig> {
  return (await import("./run/config.ts")).readTrainConfig(file);
}

/** Checks a config that is not in a file and fills in defaults. Paths are relative to the folder of `file`, which errors name. */
export async function checkedTrainConfig(value: unknown, file: string): Promise<TrainConfig> {
  return (await import("./run/config.ts")).checkedTrainConfig(value, file);
}

/** Trains a model into a folder, or resumes the run in that folder. */
export async function train(
  config: TrainConfig,
  folder: string,
  options: TrainOptions = {},
): Promise<TrainOutcome> {
  return (await import("./train.ts")).train(config, folder, options);
}

/** Trains a static encoder into a folder. */
export async function trainStatic(
  config: StaticConfig,
  folder: string,
  options: StaticTrainOptions = {},
): Promise<StaticOutcome> {
  return (await import("./static/train-static.ts")).trainStatic(config, folder, options);
}

/** Encodes all texts with the config's teacher and keeps the encodings (`teacher.keep`), so that a run starts at once. */
export async function prepareTeacher(
  config: TrainConfig,
  options: Pick<TrainOptions, "onProgress"> = {},
): Promise<{ queries: number; passages: number }> {
  return (await import("./train.ts")).prepareTeacher(config, options);
}

/** Adds a teacher's scores to the examples of a training file. */
export async function distill(source: TrainingSource, options: DistillOptions): Promise<Distilled> {
  return (await import("./distill.ts")).distill(source, options);
}

/** Finds hard negatives for training queries: passages that an encoder or BM25 ranks high and that are not marked relevant. */
export async function mine(sources: readonly TrainingSource[], options: MineOptions): Promise<Mined> {
  return (await import("./mine.ts")).mine(sources, options);
}

/** Writes an encoder's folder from the folder or the archive of a BERT-like sentence encoder. */
export async function exportBert(
  path: string,
  folder: string,
  options: ExportBertOptions = {},
): Promise<ExportedBert> {
  return (await import("./export/export-bert.ts")).exportBert(path, folder, options);
}

/** Writes an encoder's folder from a checkpoint, or from the newest checkpoint of a run. */
export async function exportCheckpoint(
  path: string,
  folder: string,
  options: ExportCheckpointOptions = {},
): Promise<ExportedCheckpoint> {
  return (await import("./export/export-checkpoint.ts")).exportCheckpoint(path, folder, options);
}

/** Opens an encoder from its folder, from a checkpoint, or from a run (its newest checkpoint). */
export async function openAnyEncoder(path: string, options: AnyEncoderOptions = {}): Promise<OpenedEncoder> {
  return (await import("./measure/any-encoder.ts")).openAnyEncoder(path, options);
}
