// A teacher says what each query of a batch should think of each passage of it.

import type { Chosen } from "../data/batch-builder.ts";

/** Asked for a batch: one row a query, one column a passage, in the order of the batch. */
export interface BatchTeacher {
  /** Changes when the teacher would say something else. */
  readonly fingerprint: string;
  scoresOf(chosen: readonly Chosen[]): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Knows queries and passages by their numbers in the data. */
export interface Teacher {
  readonly fingerprint: string;
  /** A row for each query, a column for each passage; each query has as many of them. */
  scores(queries: readonly number[], passages: readonly number[]): Promise<Float32Array>;
  close(): Promise<void>;
}

/** A teacher that is asked for every pair of a batch. */
export function scoreAllPairs(teacher: Teacher): BatchTeacher {
  return {
    fingerprint: teacher.fingerprint,
    scoresOf: (chosen) =>
      teacher.scores(
        chosen.map(({ query }) => query),
        chosen.flatMap(({ passages }) => passages),
      ),
    close: () => teacher.close(),
  };
}
