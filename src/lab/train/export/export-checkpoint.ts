// Exports a checkpoint as a folder that `Encoder.open` reads.

import { readCheckpoint } from "../run/checkpoint.ts";
import { findCheckpoint, tokenizerPathOf } from "../run/run-folder.ts";
import { type ExportedEncoder, exportEncoder } from "./export-model.ts";
import type { Arithmetic, Precision } from "./weights.ts";

export interface ExportCheckpointOptions {
  /** Precision of the model's parameters. Default: float32, or int8 if it computes in int8. */
  readonly weights?: Precision | undefined;
  /** What the encoder computes with. Default: float32. */
  readonly compute?: Arithmetic | undefined;
  /** Longest texts in tokens. Default: as in training. A model can read longer texts than it was trained on. */
  readonly maxLength?: { readonly query?: number | undefined; readonly passage?: number | undefined };
  /** Weights of terms up to this are dropped. Default: those that are 0 in float16. */
  readonly least?: number | undefined;
  /**
   * Weight of the semantic part, relative to the lexical part; the vectors are scaled by it. Default: vectors as they are, and
   * the run's "loss.semanticWeight" as the λ of an index.
   */
  readonly lambda?: number | undefined;
  /** Replace an encoder that is in the folder. Default: false. */
  readonly overwrite?: boolean | undefined;
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
  { weights, compute, maxLength, least, lambda, overwrite }: ExportCheckpointOptions = {},
): Promise<ExportedCheckpoint> {
  const checkpoint = await findCheckpoint(path);
  const { model, trainer, config } = await readCheckpoint(checkpoint);
  const { semanticWeight } = config.loss;
  const hasVector = model.head.kind === "joint" && model.head.semantic !== undefined;
  const exported = await exportEncoder(model, trainer.parameters, {
    folder,
    source: checkpoint,
    ...(overwrite && { overwrite }),
    tokenizer: tokenizerPathOf(checkpoint),
    maxLength: { ...config.model.maxLength, ...maxLength },
    ...(config.model.prefix && { prefix: config.model.prefix }),
    ...(weights && { precision: weights }),
    ...(compute && { compute }),
    ...(least !== undefined && { least }),
    ...(lambda !== undefined && { lambda }),
    // An index scores as the run did. A λ of 0 cannot be a default.
    ...(lambda === undefined &&
      hasVector &&
      ![0, 1].includes(semanticWeight) && { indexLambda: semanticWeight }),
  });
  return { ...exported, checkpoint, step: trainer.step };
}
