// Adds a teacher's scores to a training file: the same lines, each with "positive_scores" and "negative_scores". Use it
// for a teacher that is too slow to score batches during training.

import type { Encoder } from "../../encode/encoder.ts";
import { parseObject } from "../../support/files/json.ts";
import { readLines } from "../../support/files/lines.ts";
import type { OnProgress } from "../../support/options/progress.ts";
import { readDataset } from "./data/dataset.ts";
import { type ExampleTable, gather, type TrainingSource } from "./data/examples.ts";
import { writeLines } from "./data/line-writer.ts";
import { TextTable } from "./data/text-table.ts";
import { readCheckpoint } from "./run/checkpoint.ts";
import { findCheckpoint, openTokenizer, tokenizerPathOf } from "./run/run-folder.ts";
import { CheckpointTeacher } from "./teacher/checkpoint-teacher.ts";
import { EncoderTeacher } from "./teacher/encoder-teacher.ts";
import type { Teacher } from "./teacher/teacher.ts";

/** The teacher: an encoder, BM25 or both; or the model of a checkpoint, such as ColBERT. */
export type DistillTeacher =
  | {
      readonly kind: "encoder";
      readonly encoder?: Encoder | undefined;
      readonly bm25?: boolean | undefined;
      /** Weight of the encoder's vectors. Default 1. */
      readonly lambda?: number | undefined;
    }
  | { readonly kind: "checkpoint"; readonly path: string; readonly threads?: number | undefined };

export interface DistillOptions {
  readonly out: string;
  readonly teacher: DistillTeacher;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Distilled {
  readonly examples: number;
  /** Share of the examples with negatives in which the teacher ranks a positive above all negatives. */
  readonly agreed: number;
}

export async function distill(source: TrainingSource, options: DistillOptions): Promise<Distilled> {
  const { out, onProgress, signal } = options;
  const { examples, teacher } = await openWithExamples(source, options);
  let [example, contested, agreed] = [0, 0, 0];
  try {
    await writeLines(out, async (file) => {
      for await (const line of readLines(source.path)) {
        signal?.throwIfAborted();
        const positives = examples.positives(example);
        const passages = [...positives, ...examples.negatives(example)];
        const scores = Array.from(await teacher.computeScores([examples.query(example)], passages), rounded);
        const [right, wrong] = [scores.slice(0, positives.length), scores.slice(positives.length)];
        await file.add({ ...parseObject(line), positive_scores: right, negative_scores: wrong });
        if (wrong.length > 0) {
          contested++;
          if (Math.max(...right) > Math.max(...wrong)) agreed++;
        }
        example++;
        onProgress?.({ task: "scoring", done: example, total: examples.size });
      }
    });
  } finally {
    await teacher.close();
  }
  return { examples: examples.size, agreed: contested === 0 ? 1 : agreed / contested };
}

async function openWithExamples(
  source: TrainingSource,
  { teacher, onProgress, signal }: DistillOptions,
): Promise<{ examples: ExampleTable; teacher: Teacher }> {
  if (teacher.kind === "encoder") {
    const texts = new TextTable();
    const examples = await gather([source], texts, { onProgress, signal });
    const { encoder, bm25 = false, lambda = 1 } = teacher;
    const asked = { encoder, bm25, lambda, scale: 1, onProgress, signal };
    return {
      examples,
      teacher: await EncoderTeacher.open({ query: texts.queries, passage: texts.passages }, asked),
    };
  }
  const { threads = 0 } = teacher;
  const path = await findCheckpoint(teacher.path);
  const { config } = await readCheckpoint(path);
  const tokenizer = await openTokenizer(tokenizerPathOf(path));
  const data = await readDataset([source], tokenizer, {
    maxLength: config.model.maxLength,
    onProgress,
    signal,
  });
  const asked = { path, scale: 1, terms: tokenizer.terms, compute: { threads } };
  return { examples: data.examples, teacher: await CheckpointTeacher.open(data, asked) };
}

/** Rounds to six digits, about the precision of a float32. */
function rounded(score: number): number {
  return Number(score.toPrecision(6));
}
