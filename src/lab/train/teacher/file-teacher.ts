// A teacher whose scores stand in the training file: it knows each query with its own passages, and nothing of the others.

import { UsageError } from "../../../errors.ts";
import type { Chosen } from "../data/batch-builder.ts";
import type { ExampleTable } from "../data/examples.ts";
import type { BatchTeacher } from "./teacher.ts";

export interface FileTeacherOptions {
  /** What a query has with a passage of another query. */
  readonly elsewhere: number;
  /** Margins are multiplied by this. */
  readonly scale: number;
}

/** SPEC 4.2: the positive is at 0, its negatives below by the teacher's margin, all else at `elsewhere`. */
export class FileTeacher implements BatchTeacher {
  /** The scores are part of the data, and of its fingerprint. */
  readonly fingerprint = "file";
  readonly #options: FileTeacherOptions;

  constructor(examples: ExampleTable, options: FileTeacherOptions) {
    this.#options = options;
    for (const { path, first, end } of examples.sources) {
      for (let example = first; example < end; example++) {
        if (examples.bins(example) || examples.scores(example)) continue;
        throw new UsageError(
          `${path}: example ${example - first + 1} has no scores of a teacher`,
          "sluice distill writes them",
        );
      }
    }
  }

  async scoresOf(chosen: readonly Chosen[]): Promise<Float32Array> {
    const { elsewhere, scale } = this.#options;
    const each = chosen[0].passages.length;
    const width = chosen.length * each;
    const scores = new Float32Array(chosen.length * width).fill(elsewhere);
    chosen.forEach(({ margins }, row) => {
      const own = [0, ...(margins ?? []).map((margin) => -margin * scale)];
      scores.set(own, row * width + row * each);
    });
    return scores;
  }

  async close(): Promise<void> {}
}
