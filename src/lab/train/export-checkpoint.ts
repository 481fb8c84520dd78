// Exports a checkpoint as a folder that `Encoder.open` reads.

import { readCheckpoint } from "./checkpoint.ts";
import { type ExportedEncoder, exportEncoder } from "./export/export-model.ts";
import type { Arithmetic, Precision } from "./export/weights.ts";
import { checkpointAt, tokenizerPathOf } from "./run-folder.ts";

export interface ExportCheckpointOptions {
  /** Precision of the model's parameters. Default: float32, or int8 if it computes in int8. */
  readonly weights?: Precision;
  /** What the encoder computes with. Default: float32. */
  readonly compute?: Arithmetic;
  /** Longest texts in tokens. Default: as in training. A model can read longer texts than it was trained on. */
  readonly maxLength?: { readonly query?: number; readonly passage?: number };
  /** Weights of terms up to this are dropped. Default: those that are 0 in float16. */
  readonly least?: number;
  /** Weight of the semantic part, relative to the lexical part; the vectors are scaled by it. Default 1. */
  readonly lambda?: number;
}

export interface ExportedCheckpoint extends ExportedEncoder {
  /** The exported checkpoint, and its step. */
  readonly checkpoint: string;
  readonly step: number;
}

/** Writes an encoder's folder from a checkpoint, or from the newest checkpoint of a run. */
export async function exportCheckpoint(
  path: string,
  folder: string,
  { weights, compute, maxLength, least, lambda }: ExportCheckpointOptions = {},
): Promise<ExportedCheckpoint> {
  const checkpoint = await checkpointAt(path);
  const { model, trainer, config } = await readCheckpoint(checkpoint);
  const exported = await exportEncoder(model, trainer.parameters, {
    folder,
    tokenizer: tokenizerPathOf(checkpoint),
    maxLength: { ...config.model.maxLength, ...maxLength },
    ...(weights && { precision: weights }),
    ...(compute && { compute }),
    ...(least !== undefined && { least }),
    ...(lambda !== undefined && { lambda }),
  });
  return { ...exported, checkpoint, step: trainer.step };
}
