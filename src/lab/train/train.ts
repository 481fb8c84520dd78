// Trains a model from a config into a folder. The command `train` calls this.

import { Slicing } from "../../densify/slicing.ts";
import { Vocabulary } from "../../densify/vocabulary.ts";
import { TextTokenizer } from "../../encode/tokenize/tokenizer.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { readText, writeText } from "../../support/files/text-file.ts";
import type { OnProgress } from "../../support/options/progress.ts";
import { type Dataset, readDataset } from "./data/dataset.ts";
import { maskedBatch } from "./data/masked.ts";
import { rarities } from "./data/rarity.ts";
import { readClusters, Sampler } from "./data/sampler.ts";
import { type HeadWarmUp, type LoopOptions, type LoopOutcome, runLoop } from "./loop.ts";
import { pieceNames, TrainerEncoder } from "./measure/any-encoder.ts";
import { openEvaluation } from "./measure/evaluation.ts";
import type { Checkpoint } from "./run/checkpoint.ts";
import type { TrainConfig } from "./run/config.ts";
import { curveSvg } from "./run/curve.ts";
import { type Initial, openInitial } from "./run/initial.ts";
import { RunFolder } from "./run/run-folder.ts";
import { readLog } from "./run/run-log.ts";
import { difference } from "./run/same-run.ts";
import { Trainer, type TrainerOptions } from "./step/trainer.ts";
import { FileTeacher } from "./teacher/file-teacher.ts";
import { openTeacher, readsTexts } from "./teacher/open-teacher.ts";
import { type BatchTeacher, scoreAllPairs } from "./teacher/teacher.ts";

export interface TrainOptions extends LoopOptions {
  /** Resume the run in the folder. */
  readonly resume?: boolean | undefined;
  /** Called with the progress before the first step. */
  readonly onProgress?: OnProgress | undefined;
  /** Called with remarks such as the number of texts that were cut. */
  readonly onNote?: ((note: string) => void) | undefined;
}

export interface TrainOutcome extends LoopOutcome {
  /** Path of the curve of the loss, an SVG. */
  readonly curve: string;
}

/** Trains a model into a folder, or resumes the run in that folder. */
export async function train(
  config: TrainConfig,
  folder: string,
  options: TrainOptions = {},
): Promise<TrainOutcome> {
  const unfinished = options.resume ? await openUnfinished(folder, config) : undefined;
  if (!unfinished && (await RunFolder.holdsRun(folder))) {
    throw new SluiceError(
      `${folder} already holds a run`,
      "continue it with the option resume, or choose another folder",
    );
  }
  const initial = unfinished?.initial ?? (await openInitial(config));
  const data = await readData(config, initial, options);
  reportCuts(data, config, options);
  const sampler = await openSampler(config, data);
  const closing: { close(): Promise<void> }[] = [];
  try {
    const teacher = await openBatchTeacher(config, data, initial, options);
    if (teacher) closing.push(teacher);
    const learnsFrom = { data: data.fingerprint, ...(teacher && { teacher: teacher.fingerprint }) };
    if (unfinished) checkSameData(unfinished.checkpoint.learnsFrom, learnsFrom, folder);
    const trainer = await Trainer.create(initial.model, initial.parameters, trainerOptions(config, initial));
    closing.push(trainer);
    const headWarmUp = config.headWarmUp && headWarmUpOf(config, data, initial);
    const evaluation = config.evaluation && (await createEvaluation(config, trainer, initial));
    const run = unfinished?.run ?? (await RunFolder.create(folder, config, initial.tokenizerJson));
    const parts = {
      trainer,
      sampler,
      ...(teacher && { teacher }),
      ...(headWarmUp && { headWarmUp }),
      schedule: { ...config.optimizer, steps: stepsOf(config, sampler) },
      folder: run,
      run: { model: initial.model, config, learnsFrom },
      ...(evaluation && { evaluation }),
    };
    const outcome = await runLoop(parts, unfinished?.checkpoint, options);
    await writeText(run.curve, curveSvg(await readLog(run.log)));
    return { ...outcome, curve: run.curve };
  } finally {
    for (const thing of closing.reverse()) await thing.close();
  }
}

interface Unfinished {
  readonly run: RunFolder;
  readonly checkpoint: Checkpoint;
  /** From the checkpoint: the files that the run started from may be gone. */
  readonly initial: Initial;
}

/** Opens the run in a folder. Throws if it is a run of another config. */
async function openUnfinished(folder: string, config: TrainConfig): Promise<Unfinished> {
  const run = await RunFolder.open(folder);
  const checkpoint = await run.readNewest();
  const changed = difference(checkpoint.config, config);
  if (changed) {
    throw new SluiceError(
      `${folder} holds a run of another config: ${changed}`,
      "restore the setting, or train into another folder",
    );
  }
  const tokenizerJson = await readText(run.tokenizer);
  const { model, trainer } = checkpoint;
  const tokenizer = new TextTokenizer(tokenizerJson, run.tokenizer);
  return { run, checkpoint, initial: { model, parameters: trainer.parameters, tokenizer, tokenizerJson } };
}

function reportCuts({ cut }: Dataset, { model }: TrainConfig, { onNote }: TrainOptions): void {
  for (const [role, plural] of [["query", "queries"] as const, ["passage", "passages"] as const]) {
    if (cut[role] === 0) continue;
    onNote?.(`${cut[role]} ${plural} are longer than ${model.maxLength[role]} tokens and were cut`);
  }
}

async function createEvaluation(
  { evaluation, model, loss }: TrainConfig,
  trainer: Trainer,
  { tokenizer }: Initial,
) {
  const encoder = new TrainerEncoder(trainer, tokenizer, model);
  return { ...evaluation!, value: await openEvaluation(evaluation!, encoder, loss.semanticWeight) };
}

/** Encodes all texts with the config's teacher and keeps the encodings (`teacher.keep`), so that a run starts at once. */
export async function prepareTeacher(
  config: TrainConfig,
  { onProgress }: Pick<TrainOptions, "onProgress"> = {},
): Promise<{ queries: number; passages: number }> {
  const { teacher } = config;
  if (teacher?.kind !== "encoder" || !teacher.encoder || !teacher.keep) {
    throw new SluiceError(
      "the config has no teacher that keeps its encodings",
      'it needs "teacher": {"kind": "encoder", "encoder": "…", "keep": "…"}',
    );
  }
  const initial = await openInitial(config);
  const data = await readData(config, initial, { onProgress });
  await (await openBatchTeacher(config, data, initial, { onProgress }))!.close();
  return { queries: data.queries.size, passages: data.passages.size };
}

function readData(
  config: TrainConfig,
  { tokenizer }: Initial,
  { onProgress, signal }: TrainOptions,
): Promise<Dataset> {
  return readDataset(config.data.files, tokenizer, {
    maxLength: config.model.maxLength,
    longQueries: config.data.longQueries,
    ...(config.model.prefix && { prefix: config.model.prefix }),
    keepsTexts: readsTexts(config.teacher),
    findsWords: config.model.lexical === "anchored",
    onProgress,
    signal,
  });
}

async function openSampler({ data: settings, batch, seed }: TrainConfig, data: Dataset): Promise<Sampler> {
  const { topics, mix, withoutNegatives } = settings;
  return new Sampler(data, {
    ...batch,
    seed,
    mix,
    withoutNegatives,
    ...(topics && { topics: { clusters: await readClusters(topics.path), perBatch: topics.perBatch } }),
  });
}

async function openBatchTeacher(
  { teacher, compute }: TrainConfig,
  data: Dataset,
  { tokenizer }: Initial,
  { onProgress, signal }: TrainOptions,
): Promise<BatchTeacher | undefined> {
  if (!teacher) return undefined;
  if (teacher.kind === "file") return new FileTeacher(data.examples, teacher);
  return scoreAllPairs(await openTeacher(teacher, data, { tokenizer, compute, onProgress, signal }));
}

function checkSameData(
  before: Checkpoint["learnsFrom"],
  now: Checkpoint["learnsFrom"],
  folder: string,
): void {
  const changed = before.data !== now.data ? "data" : before.teacher !== now.teacher ? "teacher" : undefined;
  if (changed === undefined) return;
  throw new SluiceError(
    `${folder} holds a run that learned from other ${changed === "data" ? "data" : "scores of a teacher"}`,
    "restore the files, or train into another folder",
  );
}

function trainerOptions(config: TrainConfig, { model, tokenizer }: Initial): TrainerOptions {
  const { optimizer, compute, teacher } = config;
  const {
    terms = [{ kind: teacher ? "kl" : "nll" } as const],
    densified,
    semanticWeight,
    flops,
  } = config.loss;
  const slicing =
    densified === undefined
      ? undefined
      : new Slicing(new Vocabulary(pieceNames(model.encoder.vocabulary, tokenizer)), {
          strategy: "stride",
          dims: densified,
        });
  const [first, second] = optimizer.betas;
  return {
    ...compute,
    loss: { terms, semanticWeight, ...(slicing && { densified: slicing }), ...(flops && { flops }) },
    optimizer: { ...optimizer, betas: [first, second] },
  };
}

function headWarmUpOf(
  { headWarmUp, seed }: TrainConfig,
  { passages }: Dataset,
  { tokenizer, model }: Initial,
): HeadWarmUp {
  const { steps, texts, guessed, hidden, rarity, learningRate } = headWarmUp!;
  const mask = tokenizer.terms.indexOf("[MASK]");
  if (mask < 0) throw new SluiceError("the tokenizer has no [MASK]", 'remove "headWarmUp" from the config');
  const weights = rarity === undefined ? undefined : rarities(passages, model.encoder.vocabulary, rarity);
  return {
    steps,
    rates: learningRate,
    batch: (step) =>
      maskedBatch(passages, step, { seed, texts, mask, guessed, hidden, ...(weights && { weights }) }),
  };
}

function stepsOf({ steps, epochs = 1 }: TrainConfig, sampler: Sampler): number {
  return steps ?? Math.max(1, Math.round(epochs * sampler.batchesPerEpoch));
}
