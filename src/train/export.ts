// A checkpoint → a folder that encoders read, or an encoder at once.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Encoder, type EncoderOptions } from "../encode/encoder.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { type Exported, exportEncoder } from "./export/export.ts";
import type { Precision } from "./export/weights.ts";
import { checkpointAt, RunFolder } from "./run-folder.ts";

export interface ExportCheckpointOptions {
  /** float32 when left out. */
  readonly weights?: Precision;
  /** Longest texts in tokens; those of the training when left out. A model can read longer ones than it was trained on. */
  readonly maxLength?: { readonly query?: number; readonly passage?: number };
  /** Weights of words up to this are dropped; what vanishes in float16 when left out. */
  readonly least?: number;
}

export interface ExportedCheckpoint extends Exported {
  /** What was exported, and its steps. */
  readonly checkpoint: string;
  readonly step: number;
}

/** Writes an encoder's folder from a checkpoint, or from the newest of a run. */
export async function exportCheckpoint(
  path: string,
  folder: string,
  { weights = "float32", maxLength, least }: ExportCheckpointOptions = {},
): Promise<ExportedCheckpoint> {
  const checkpoint = await checkpointAt(path);
  const { model, trainer, config } = await readCheckpoint(checkpoint);
  const exported = await exportEncoder(model, trainer.parameters, {
    folder,
    tokenizer: join(dirname(dirname(checkpoint)), "tokenizer.json"),
    maxLength: { ...config.model.maxLength, ...maxLength },
    precision: weights,
    ...(least !== undefined && { least }),
  });
  return { ...exported, checkpoint, step: trainer.step };
}

export interface OpenEncoderOptions extends EncoderOptions {
  /** Of a model that is exported for this: weights of words up to this are dropped. */
  least?: number;
}

/** An encoder from its folder, or from a checkpoint or a run that was never exported. */
export async function openEncoder(
  name: string,
  { least, ...options }: OpenEncoderOptions = {},
): Promise<Encoder> {
  if (!name.endsWith(".safetensors") && !(await RunFolder.holdsRun(name))) return Encoder.open(name, options);
  const folder = await mkdtemp(join(tmpdir(), "sluice-encoder-"));
  try {
    await exportCheckpoint(name, folder, { ...(least !== undefined && { least }) });
    return await Encoder.open(folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true }); // the encoder has it in memory
  }
}
