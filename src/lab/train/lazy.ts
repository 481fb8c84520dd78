// Training, as the public API has it. What it needs is loaded when it is asked for: an app that only searches should not wait
// for it, nor keep it in memory.

import type { TrainConfig } from "./config.ts";
import type { TrainingSource } from "./data/examples.ts";
import type { Distilled, DistillOptions } from "./distill.ts";
import type { ExportCheckpointOptions, ExportedCheckpoint } from "./export-checkpoint.ts";
import type { Mined, MineOptions } from "./mine.ts";
import type { OpenSpeaker, SpeakerOptions } from "./speaker.ts";
import type { TrainOptions, TrainOutcome } from "./train.ts";

/** Trains a model into a folder, or goes on with it. */
export async function train(
  config: TrainConfig,
  folder: string,
  options: TrainOptions = {},
): Promise<TrainOutcome> {
  return (await import("./train.ts")).train(config, folder, options);
}

/** Encodes what the config's teacher will be asked about and keeps it (`teacher.keep`), so that a run begins at once. */
export async function prepareTeacher(
  config: TrainConfig,
  options: Pick<TrainOptions, "onPreparation"> = {},
): Promise<{ queries: number; passages: number }> {
  return (await import("./train.ts")).prepareTeacher(config, options);
}

/** Writes the scores of a teacher beside the passages of training examples. */
export async function distill(source: TrainingSource, options: DistillOptions): Promise<Distilled> {
  return (await import("./distill.ts")).distill(source, options);
}

/** Finds hard negatives for training queries: passages that a model ranks high, and that nobody called relevant. */
export async function mine(sources: readonly TrainingSource[], options: MineOptions): Promise<Mined> {
  return (await import("./mine.ts")).mine(sources, options);
}

/** Writes an encoder's folder from a checkpoint, or from the newest of a run. */
export async function exportCheckpoint(
  path: string,
  folder: string,
  options: ExportCheckpointOptions = {},
): Promise<ExportedCheckpoint> {
  return (await import("./export-checkpoint.ts")).exportCheckpoint(path, folder, options);
}

/** A model that turns texts into weights and vectors: from an encoder's folder, a checkpoint, or a run: then its newest checkpoint. */
export async function openSpeaker(path: string, options: SpeakerOptions = {}): Promise<OpenSpeaker> {
  return (await import("./speaker.ts")).openSpeaker(path, options);
}
