// A teacher that scores with another run's checkpoint. It can be any model of ours, including ColBERT, which cannot be
// exported as an encoder.

import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { Dataset } from "../data/dataset.ts";
import { readCheckpoint } from "../run/checkpoint.ts";
import { findCheckpoint, openTokenizer, tokenizerPathOf } from "../run/run-folder.ts";
import { Trainer, type TrainerOptions } from "../step/trainer.ts";
import type { Teacher } from "./teacher.ts";

interface CheckpointTeacherOptions {
  readonly path: string;
  readonly scale: number;
  /** The tokens of the student's tokenizer. */
  readonly terms: readonly string[];
  readonly compute: Pick<TrainerOptions, "provider" | "threads" | "chunkPositions">;
}

export class CheckpointTeacher implements Teacher {
  readonly fingerprint: string;
  readonly #trainer: Trainer;
  readonly #data: Dataset;
  readonly #scale: number;

  private constructor(trainer: Trainer, data: Dataset, scale: number, fingerprint: string) {
    this.#trainer = trainer;
    this.#data = data;
    this.#scale = scale;
    this.fingerprint = fingerprint;
  }

  static async open(
    data: Dataset,
    { path, scale, terms, compute }: CheckpointTeacherOptions,
  ): Promise<CheckpointTeacher> {
    const checkpoint = await findCheckpoint(path);
    const { model, trainer, learnsFrom } = await readCheckpoint(checkpoint);
    if (model.head.kind === "joint" && model.head.lexical?.kind === "anchored") {
      throw new SluiceError(
        `${path}: a model with an anchored head cannot be a teacher`,
        "use its encoder's vectors and BM25",
      );
    }
    const { terms: own } = await openTokenizer(tokenizerPathOf(checkpoint));
    if (own.length !== terms.length || own.some((term, id) => term !== terms[id])) {
      throw new SluiceError(
        `${path}: the teacher and the trained model have different tokenizers`,
        "start both from models with the same tokenizer",
      );
    }
    const fingerprint = JSON.stringify([learnsFrom, trainer.step, model, scale]);
    return new CheckpointTeacher(
      await Trainer.create(model, trainer.parameters, compute),
      data,
      scale,
      fingerprint,
    );
  }

  async computeScores(queries: readonly number[], passages: readonly number[]): Promise<Float32Array> {
    const computeScores = await this.#trainer.score({
      queries: this.#data.queries.rows(queries),
      passages: this.#data.passages.rows(passages),
      passagesPerQuery: passages.length / queries.length,
    });
    return this.#scale === 1 ? computeScores : computeScores.map((score) => score * this.#scale);
  }

  async close(): Promise<void> {
    await this.#trainer.close();
  }
}
