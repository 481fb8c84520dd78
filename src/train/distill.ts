// A teacher's scores → the training file they belong to: the same lines, each with "positive_scores" and
// "negative_scores". A teacher that is too slow to be asked while a model trains is asked here, once.

import type { TextTokenizer } from "../encode/tokenizer.ts";
import { writeLines } from "../files/line-writer.ts";
import { lines, parseObject } from "../files/lines.ts";
import type { TrainConfig } from "./config.ts";
import { readDataset } from "./data/dataset.ts";
import type { Source } from "./data/examples.ts";
import { openTeacher, readsTexts, type TeacherSettings } from "./teacher/open.ts";

export interface DistillOptions {
  readonly out: string;
  readonly teacher: TeacherSettings;
  readonly tokenizer: TextTokenizer;
  readonly maxLength: TrainConfig["model"]["maxLength"];
  readonly compute: TrainConfig["compute"];
  readonly onProgress?: (progress: DistillProgress) => void;
  readonly signal?: AbortSignal;
}

export interface DistillProgress {
  readonly stage: "reading" | "encoding" | "scoring";
  readonly done: number;
  readonly total?: number;
}

export interface Distilled {
  readonly examples: number;
  /** Share of the examples whose positive the teacher puts above all its negatives. */
  readonly agreed: number;
}

export async function distill(source: Source, options: DistillOptions): Promise<Distilled> {
  const { out, teacher: settings, tokenizer, maxLength, compute, onProgress, signal } = options;
  const data = await readDataset([source], tokenizer, {
    maxLength,
    keepTexts: readsTexts(settings),
    onProgress,
  });
  const teacher = await openTeacher(settings, data, { tokenizer, compute, onProgress });
  const { examples } = data;
  let [example, agreed] = [0, 0];
  try {
    await writeLines(out, async (file) => {
      for await (const line of lines(source.path)) {
        signal?.throwIfAborted();
        const positives = examples.positives(example);
        const passages = [...positives, ...examples.negatives(example)];
        const scores = Array.from(await teacher.scores([examples.query(example)], passages), rounded);
        const [right, wrong] = [scores.slice(0, positives.length), scores.slice(positives.length)];
        await file.add({ ...parseObject(line), positive_scores: right, negative_scores: wrong });
        if (Math.max(...right) > Math.max(...wrong)) agreed++;
        onProgress?.({ stage: "scoring", done: ++example, total: examples.size });
      }
    });
  } finally {
    await teacher.close();
  }
  return { examples: examples.size, agreed: agreed / examples.size };
}

/** Six digits: a float32 has no more to say. */
function rounded(score: number): number {
  return Number(score.toPrecision(6));
}
