// Opens the teacher that a config names.

import { Encoder } from "../../../encode/encoder.ts";
import type { TextTokenizer } from "../../../encode/tokenize/tokenizer.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { OnProgress } from "../../../support/options/progress.ts";
import type { Dataset } from "../data/dataset.ts";
import type { TrainConfig } from "../run/config.ts";
import { CheckpointTeacher } from "./checkpoint-teacher.ts";
import { EncoderTeacher } from "./encoder-teacher.ts";
import type { Teacher } from "./teacher.ts";

type TeacherSettings = NonNullable<TrainConfig["teacher"]>;

interface OpenTeacherOptions {
  readonly tokenizer: TextTokenizer;
  readonly compute: TrainConfig["compute"];
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

/** Whether the teacher reads texts, so that the data set must keep them. */
export function readsTexts(settings: TeacherSettings | undefined): boolean {
  return settings?.kind === "encoder";
}

/** Opens a teacher that can score any query with any passage of the data. */
export async function openTeacher(
  settings: TeacherSettings,
  data: Dataset,
  { tokenizer, compute, onProgress, signal }: OpenTeacherOptions,
): Promise<Teacher> {
  const { scale } = settings;
  if (settings.kind === "checkpoint") {
    return CheckpointTeacher.open(data, {
      path: settings.checkpoint!,
      scale,
      terms: tokenizer.terms,
      compute,
    });
  }
  if (settings.kind === "file")
    throw new SluiceError("a teacher of the kind file has no scores for pairs that are not in the file");
  const { encoder: folder, description } = settings;
  const encoder =
    folder === undefined ? undefined : await Encoder.open(folder, { ...(description && { description }) });
  try {
    return await EncoderTeacher.open(data.texts!, { ...settings, encoder, onProgress, signal });
  } finally {
    await encoder?.close();
  }
}
