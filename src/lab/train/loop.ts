// Runs the training steps: draws a batch, asks the teacher, updates the model and writes the log. When the loop ends (after
// its last step, by the user, or because the loss is NaN or infinite), it leaves a checkpoint to continue from.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { MaskedBatch } from "./data/batch.ts";
import type { Sampler, SamplerState } from "./data/sampler.ts";
import type { Rates } from "./model/settings.ts";
import { type Checkpoint, findNewestCheckpoint, writeCheckpoint } from "./run/checkpoint.ts";
import type { RunFolder } from "./run/run-folder.ts";
import { TrainingLog } from "./run/run-log.ts";
import { NOTHING_YET, type SmoothedState, smoothed, smoothedValue } from "./run/smoothed.ts";
import { ratesAt, type Schedule } from "./step/schedule.ts";
import type { Trainer } from "./step/trainer.ts";
import type { BatchTeacher } from "./teacher/teacher.ts";

/** @internal The part of a trainer that the loop uses. */
export type LoopTrainer = Pick<Trainer, "steps" | "step" | "warmUp" | "copyState" | "restore">;

/** @internal First steps, in which a head over the vocabulary learns to predict masked tokens. */
export interface HeadWarmUp {
  readonly steps: number;
  readonly rates: Rates;
  batch(step: number): MaskedBatch;
}

/** @internal */
export interface LoopParts {
  readonly trainer: LoopTrainer;
  readonly sampler: Sampler;
  readonly teacher?: BatchTeacher;
  readonly headWarmUp?: HeadWarmUp;
  /** The schedule of the steps after the head's warm-up. */
  readonly schedule: Schedule;
  readonly folder: RunFolder;
  /** The part of a checkpoint that stays the same during the run. */
  readonly run: Pick<Checkpoint, "model" | "config" | "learnsFrom">;
  /** Evaluates the model every `every` steps; the value goes into the log. */
  readonly evaluation?: { readonly every: number; readonly metric: string; value(): Promise<number> };
}

/** What a step of training reports. */
export interface TrainStep {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
  readonly smoothed: number;
  readonly gradientNorm: number;
  /** Passages per second, each with its query. */
  readonly pairsPerSecond: number;
  readonly secondsLeft: number;
}

export interface LoopOptions {
  readonly onStep?: ((step: TrainStep) => void) | undefined;
  readonly onEvaluation?:
    | ((found: { readonly step: number; readonly metric: string; readonly value: number }) => void)
    | undefined;
  /** Stops after the current step and writes a checkpoint. */
  readonly signal?: AbortSignal | undefined;
}

export interface LoopOutcome {
  readonly step: number;
  /** Whether all steps are done. */
  readonly finished: boolean;
  /** The recent average of the loss. */
  readonly loss: number;
  readonly checkpoint: string;
}

/** @internal Starts a run, or continues it from a checkpoint. The parts must belong to the same run. */
export async function runLoop(
  parts: LoopParts,
  from: Checkpoint | undefined,
  options: LoopOptions = {},
): Promise<LoopOutcome> {
  const { trainer, sampler, folder } = parts;
  if (from) {
    await trainer.restore(from.trainer);
    sampler.restore(from.sampler);
  }
  const log = await TrainingLog.open(folder.log, trainer.steps);
  try {
    return await new Loop(parts, log, from?.smoothed ?? NOTHING_YET, options).run();
  } finally {
    await log.close();
  }
}

class Loop {
  readonly #parts: LoopParts;
  readonly #log: TrainingLog;
  readonly #options: LoopOptions;
  readonly #pace = new Pace();
  #smoothed: SmoothedState;
  /** The newest checkpoint, and its step. */
  #newest: { path: string; step: number } | undefined;

  constructor(parts: LoopParts, log: TrainingLog, smoothed: SmoothedState, options: LoopOptions) {
    this.#parts = parts;
    this.#log = log;
    this.#smoothed = smoothed;
    this.#options = options;
  }

  async run(): Promise<LoopOutcome> {
    const { trainer, sampler, evaluation } = this.#parts;
    const { every } = this.#parts.run.config.checkpoints;
    // Write the initial state, so that there is always a checkpoint to go back to.
    if ((await findNewestCheckpoint(this.#parts.folder.checkpoints)) === undefined)
      await this.#writeCheckpoint(sampler.state);
    while (trainer.steps < this.#steps && !this.#options.signal?.aborted) {
      await this.#step();
      if (trainer.steps % every === 0) await this.#writeCheckpoint(sampler.state);
      if (evaluation && trainer.steps % evaluation.every === 0) await this.#evaluate();
    }
    return {
      step: trainer.steps,
      finished: trainer.steps >= this.#steps,
      loss: smoothedValue(this.#smoothed),
      checkpoint: await this.#writeCheckpoint(sampler.state),
    };
  }

  async #step(): Promise<void> {
    const { trainer, sampler, headWarmUp } = this.#parts;
    const [started, before] = [performance.now(), sampler.state];
    const isWarmUp = trainer.steps < this.#warmUpSteps;
    // The warm-up has another loss, so start a new average after it.
    if (trainer.steps === this.#warmUpSteps) this.#smoothed = NOTHING_YET;
    const { report, rates, texts } = await (isWarmUp ? this.#warmUp(headWarmUp!) : this.#learn()).catch(
      (error: unknown) => this.#stopWithCheckpoint(error, before),
    );
    const { loss, parts, gradientNorm } = report;
    const seconds = (performance.now() - started) / 1000;
    this.#smoothed = smoothed(this.#smoothed, loss);
    const step = trainer.steps;
    const recent = smoothedValue(this.#smoothed);
    await this.#log.add({ step, loss, smoothed: recent, parts, gradientNorm, rates, seconds });
    const perStep = this.#pace.after(seconds);
    this.#options.onStep?.({
      step,
      steps: this.#steps,
      loss,
      smoothed: recent,
      gradientNorm,
      pairsPerSecond: texts / perStep,
      secondsLeft: (this.#steps - step) * perStep,
    });
  }

  async #warmUp({ batch, rates }: HeadWarmUp) {
    const { trainer } = this.#parts;
    const masked = batch(trainer.steps);
    return { report: await trainer.warmUp(masked, rates), rates, texts: masked.texts.rows };
  }

  async #learn() {
    const { trainer, sampler, teacher, schedule } = this.#parts;
    const rates = ratesAt(trainer.steps - this.#warmUpSteps, schedule);
    const { batch, chosen } = sampler.next();
    const scores = await teacher?.scoreChosen(chosen);
    const report = await trainer.step({ ...batch, ...(scores && { teacher: scores }) }, rates);
    return { report, rates, texts: batch.passages.rows };
  }

  get #warmUpSteps(): number {
    return this.#parts.headWarmUp?.steps ?? 0;
  }

  /** All steps of the run. */
  get #steps(): number {
    return this.#warmUpSteps + this.#parts.schedule.steps;
  }

  /** A failed step has changed nothing. Writes the state before it as a checkpoint; the error names the file. */
  async #stopWithCheckpoint(error: unknown, before: SamplerState): Promise<never> {
    if (!(error instanceof SluiceError)) throw error;
    const path = await this.#writeCheckpoint(before);
    throw new SluiceError(
      `step ${this.#parts.trainer.steps + 1}: ${error.problem}`,
      `${path} holds the state before this step: start a new run from it ("model.from") with a lower "optimizer.learningRate"`,
    );
  }

  async #writeCheckpoint(sampler: SamplerState): Promise<string> {
    const { trainer, folder, run } = this.#parts;
    if (this.#newest?.step === trainer.steps) return this.#newest.path;
    const checkpoint = { trainer: await trainer.copyState(), sampler, smoothed: this.#smoothed, ...run };
    const path = await writeCheckpoint(folder.checkpoints, checkpoint, run.config.checkpoints.keep);
    this.#newest = { path, step: trainer.steps };
    return path;
  }

  async #evaluate(): Promise<void> {
    const { trainer, evaluation } = this.#parts;
    const { metric } = evaluation!;
    const found = { step: trainer.steps, metric, value: await evaluation!.value() };
    await this.#log.add(found);
    this.#options.onEvaluation?.(found);
  }
}

/** The recent average of seconds per step, to estimate the remaining time. */
class Pace {
  #state = NOTHING_YET;

  after(seconds: number): number {
    this.#state = smoothed(this.#state, seconds);
    return smoothedValue(this.#state);
  }
}
