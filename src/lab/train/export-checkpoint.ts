// A checkpoint → a folder that encoders read.

import { dirname, join } from "node:path";
import { readCheckpoint } from "./checkpoint.ts";
import { type Exported, exportEncoder } from "./export/export-model.ts";
import type { Precision } from "./export/weights.ts";
import { checkpointAt } from "./run-folder.ts";

export interface ExportCheckpointOptions {
  /** float32 when left out. */
  readonly weights?: Precision;
  /** Longest texts in tokens; those of the training when left out. A model can read longer ones than it was trained on. */
  readonly maxLength?: { readonly query?: number; readonly passage?: number };
  /** Weights of words up to this are dropped; what vanishes in float16 when left out. */
  readonly least?: number;
  /** Weight of the semantic part beside the lexical one, put into its vectors; 1 when left out. */
  readonly lambda?: number;
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
  { weights = "float32", maxLength, least, lambda }: ExportCheckpointOptions = {},
): Promise<ExportedCheckpoint> {
  const checkpoint = await checkpointAt(path);
  const { model, trainer, config } = await readCheckpoint(checkpoint);
  const exported = await exportEncoder(model, trainer.parameters, {
    folder,
    tokenizer: join(dirname(dirname(checkpoint)), "tokenizer.json"),
    maxLength: { ...config.model.maxLength, ...maxLength },
    precision: weights,
    ...(least !== undefined && { least }),
    ...(lambda !== undefined && { lambda }),
  });
  return { ...exported, checkpoint, step: trainer.step };
}
