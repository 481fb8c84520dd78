// A teacher scores each query of a batch with each passage. A model learns these scores by distillation.

import type { Chosen } from "../data/batch-builder.ts";

/** Scores a batch: one row per query, one column per passage, in the order of the batch. */
export interface BatchTeacher {
  /** Changes if the teacher's scores change. */
  readonly fingerprint: string;
  scoreChosen(chosen: readonly Chosen[]): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Scores queries and passages by their numbers in the data. */
export interface Teacher {
  readonly fingerprint: string;
  /** One row per query, one column per passage. The number of passages is a multiple of the number of queries. */
  computeScores(queries: readonly number[], passages: readonly number[]): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Turns a teacher into one that scores every pair of a batch. */
export function scoreAllPairs(teacher: Teacher): BatchTeacher {
  return {
    fingerprint: teacher.fingerprint,
    scoreChosen: (chosen) =>
      teacher.computeScores(
        chosen.map(({ query }) => query),
        chosen.flatMap(({ passages }) => passages),
      ),
    close: () => teacher.close(),
  };
}
