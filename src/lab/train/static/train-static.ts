// Trains a static encoder from a config into a folder: the run's config and log, and the encoder's own folder, model/. The
// command `train` calls this. A run takes minutes, so there are no checkpoints.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadRuntime } from "../../../encode/onnx/runtime.ts";
import { piecesChecksum } from "../../../encode/static/static-folder.ts";
import { packTable, quantizeTable } from "../../../encode/static/table-file.ts";
import { WordPieces } from "../../../encode/tokenize/word-pieces.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { parseJson } from "../../../support/files/json.ts";
import { makeFolders } from "../../../support/files/make-folders.ts";
import { writeText } from "../../../support/files/text-file.ts";
import type { OnProgress } from "../../../support/options/progress.ts";
import { Session } from "../graph/session.ts";
import { curveSvg } from "../run/curve.ts";
import { RunFolder } from "../run/run-folder.ts";
import { readLog, type StepEntry, TrainingLog } from "../run/run-log.ts";
import { addGradients, type Bags, bagsOf, documentFrequencies, sumRows } from "./bags.ts";
import { clustersOf, groupedBatches } from "./groups.ts";
import { encodePieces, initialTable, unitRows } from "./initial-table.ts";
import { type Pairs, readPairs } from "./pairs.ts";
import { RowAdam } from "./row-adam.ts";
import type { StaticConfig } from "./static-config.ts";
import { staticLossGraph } from "./static-loss.ts";
import { loadTeacherVectors } from "./teacher-vectors.ts";

export interface StaticTrainOptions {
  /** Called with the progress before the first step. */
  readonly onProgress?: OnProgress | undefined;
  readonly onStep?: ((step: StepEntry, steps: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StaticOutcome {
  readonly steps: number;
  /** The recent average of the loss. */
  readonly loss: number;
  /** The folder of the encoder. */
  readonly model: string;
  readonly curve: string;
}

/** How much the average of the loss follows the last step. */
const SMOOTHING = 0.02;
/** A piece that is not ASCII keeps its row if this many training passages have it. */
const LEAST_PASSAGES = 50;
const OTHER_SCRIPT = /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Common}]/u;
/** What is left of the learning rate at the end. */
const LAST_RATE = 0.05;

/** Trains a static encoder on the files of its config. */
export async function trainStatic(
  config: StaticConfig,
  folder: string,
  options: StaticTrainOptions = {},
): Promise<StaticOutcome> {
  if (await RunFolder.holdsRun(folder)) {
    throw new SluiceError(`${folder} already holds a run`, "choose another folder");
  }
  const pairs = await readPairs(config, (done) => options.onProgress?.({ task: "reading", done }));
  return trainOnPairs(config, pairs, folder, options);
}

/** Trains a static encoder on these pairs. */
async function trainOnPairs(
  config: StaticConfig,
  read: Pairs,
  folder: string,
  { onProgress, onStep, signal }: StaticTrainOptions = {},
): Promise<StaticOutcome> {
  const pieces = await readPieces(config.tokenizer);
  const teacher = await loadTeacherVectors(config, read, {
    onProgress,
    signal,
  });
  const tokenizer = new WordPieces(pieces, config.tokenizer);
  const data = dataOf(read, tokenizer);
  const { dims, seed, batch, steps, threads } = config;
  const initial = await encodePieces(config, pieces, teacher.rotation);
  const table = initialTable(initial, documentFrequencies(data.passages, pieces.length), data.pairs);
  const targets = { queries: unitRows(teacher.queries), passages: unitRows(teacher.passages) };
  const clusters = clustersOf(targets.passages, dims, batch.clusters, seed);
  const usable = Uint32Array.from(data.usable);
  const batches = groupedBatches(
    usable.length === data.pairs ? clusters : Uint16Array.from(usable, (i) => clusters[i]),
    batch,
    seed,
  );

  await makeFolders(folder);
  await writeText(join(folder, "config.json"), `${JSON.stringify(config, undefined, 2)}\n`);
  const logPath = join(folder, "log.jsonl");
  const log = await TrainingLog.open(logPath, 0);
  const runtime = await loadRuntime();
  const session = await Session.open(runtime, staticLossGraph(config), { provider: "cpu", threads });
  const learner = new RowAdam(pieces.length, dims);
  const gradients = new Float32Array(table.length);
  const isTouched = new Uint8Array(pieces.length);
  const buffers = Array.from({ length: 4 }, () => new Float32Array(batch.pairs * dims));
  const tensor = (numbers: Float32Array) => new runtime.Tensor("float32", numbers, [batch.pairs, dims]);
  let smoothed = 0;
  try {
    for (let step = 1; step <= steps; step++) {
      signal?.throwIfAborted();
      const started = performance.now();
      const chosen = batches.next().value!.map((i: number) => usable[i]);
      const [queries, passages, teacherQueries, teacherPassages] = buffers;
      sumRows(data.queries, chosen, table, dims, queries);
      sumRows(data.passages, chosen, table, dims, passages);
      gather(targets.queries, chosen, dims, teacherQueries);
      gather(targets.passages, chosen, dims, teacherPassages);
      const result = await session.run({
        queries: tensor(queries),
        passages: tensor(passages),
        teacherQueries: tensor(teacherQueries),
        teacherPassages: tensor(teacherPassages),
      });
      const loss = (result.loss.data as Float32Array)[0];
      if (!Number.isFinite(loss))
        throw new SluiceError(`the loss is ${loss} at step ${step}`, "lower the learning rate");
      const [ofQueries, ofPassages] = [
        result.queryGradients.data,
        result.passageGradients.data,
      ] as Float32Array[];
      addGradients(data.queries, chosen, ofQueries, dims, gradients, isTouched);
      addGradients(data.passages, chosen, ofPassages, dims, gradients, isTouched);
      const rate = rateAt(step, config);
      learner.update(table, gradients, isTouched, rate);
      smoothed += (step === 1 ? 1 : SMOOTHING) * (loss - smoothed);
      const entry: StepEntry = {
        step,
        loss,
        smoothed,
        parts: {},
        gradientNorm: norm(ofQueries),
        rates: { encoder: 0, heads: rate },
        seconds: (performance.now() - started) / 1000,
      };
      await log.add(entry);
      onStep?.(entry, steps);
    }
  } finally {
    await log.close();
    await session.close();
  }
  const model = join(folder, "model");
  await writeModel(model, known(table, pieces, data.passages, dims), config);
  const curve = join(folder, "curve.svg");
  await writeText(curve, curveSvg(await readLog(logPath)));
  return { steps, loss: smoothed, model, curve };
}

/** Writes the folder of an encoder. */
async function writeModel(
  folder: string,
  { table, pieces }: PieceTable,
  { dims, nested }: StaticConfig,
): Promise<void> {
  await makeFolders(folder);
  const sizes = nested.map(({ dims: width, lambda }) => ({ dims: width, lambda }));
  const lines = `${pieces.join("\n")}\n`;
  const description = { kind: "static", sizes, pieces: piecesChecksum(lines) };
  await writeText(join(folder, "sluice.json"), `${JSON.stringify(description, undefined, 2)}\n`);
  await writeText(join(folder, "pieces.txt"), lines);
  await writeFile(join(folder, "vectors.table"), packTable(quantizeTable(table, dims)));
}

interface PieceTable {
  readonly table: Float32Array;
  readonly pieces: readonly string[];
}

/**
 * The rows of the scripts that the training texts use. Words in other scripts are then unknown, which is better than a vector that
 * nothing has trained. Signs such as £ stay, if the texts have them.
 */
function known(table: Float32Array, pieces: readonly string[], passages: Bags, dims: number): PieceTable {
  const frequencies = documentFrequencies(passages, pieces.length);
  const isKnown = (piece: string, i: number) =>
    !/[^ -~]/.test(piece) || (!OTHER_SCRIPT.test(piece) && frequencies[i] >= LEAST_PASSAGES);
  const rows = pieces.map((_, i) => i).filter((i) => isKnown(pieces[i], i));
  const kept = new Float32Array(rows.length * dims);
  rows.forEach((row, i) => {
    kept.set(table.subarray(row * dims, (row + 1) * dims), i * dims);
  });
  return { table: kept, pieces: rows.map((row) => pieces[row]) };
}

/** The pieces that get a row: those of a tokenizer.json without [unused…] and special ones. */
async function readPieces(path: string): Promise<string[]> {
  const json = parseJson(await readFile(path, "utf8"), path) as {
    model?: { vocab?: Record<string, number> };
  };
  const vocabulary = Object.entries(json.model?.vocab ?? {});
  if (vocabulary.length === 0) throw new SluiceError(`${path}: it has no vocabulary of word pieces`);
  return vocabulary
    .sort(([, a], [, b]) => a - b)
    .map(([piece]) => piece)
    .filter((piece) => !/^\[.+\]$/.test(piece));
}

interface Data {
  readonly queries: Bags;
  readonly passages: Bags;
  readonly pairs: number;
  /** The pairs whose query and passage have a piece. */
  readonly usable: number[];
}

function dataOf({ queries, passages }: Pairs, tokenizer: WordPieces): Data {
  const bags = { queries: bagsOf(queries, tokenizer), passages: bagsOf(passages, tokenizer) };
  const isEmpty = ({ starts }: Bags, i: number) => starts[i] === starts[i + 1];
  const usable = queries
    .map((_, i) => i)
    .filter((i) => !isEmpty(bags.queries, i) && !isEmpty(bags.passages, i));
  return { ...bags, pairs: queries.length, usable };
}

function gather(vectors: Float32Array, chosen: Uint32Array, dims: number, out: Float32Array): void {
  chosen.forEach((from, to) => {
    out.set(vectors.subarray(from * dims, (from + 1) * dims), to * dims);
  });
}

/** Rises during the warm-up and falls along a line after. */
function rateAt(step: number, { optimizer: { learningRate, warmup }, steps }: StaticConfig): number {
  const rise = warmup === 0 ? 1 : Math.min(1, step / warmup);
  return learningRate * rise * (1 - (1 - LAST_RATE) * (step / steps));
}

function norm(numbers: Float32Array): number {
  let squares = 0;
  for (const x of numbers) squares += x * x;
  return Math.sqrt(squares);
}
