// A teacher whose scores are in the training file. It knows the scores of a query with its own passages only.

import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { Chosen } from "../data/batch-builder.ts";
import type { ExampleTable } from "../data/examples.ts";
import type { BatchTeacher } from "./teacher.ts";

interface FileTeacherOptions {
  /** The score of a query with a passage of another query. */
  readonly elsewhere: number;
  /** Margins are multiplied by this. */
  readonly scale: number;
}

/** The positive scores 0, its negatives are below it by the teacher's margin, and all other passages score `elsewhere`. */
export class FileTeacher implements BatchTeacher {
  /** A constant: the scores are part of the data and of its fingerprint. */
  readonly fingerprint = "file";
  readonly #options: FileTeacherOptions;

  constructor(examples: ExampleTable, options: FileTeacherOptions) {
    this.#options = options;
    for (const { path, first, end } of examples.sources) {
      for (let example = first; example < end; example++) {
        if (examples.bins(example) || examples.scores(example)) continue;
        throw new SluiceError(
          `${path}: example ${example - first + 1} has no scores of a teacher`,
          "add them with: sluice distill",
        );
      }
    }
  }

  async scoreChosen(chosen: readonly Chosen[]): Promise<Float32Array> {
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
