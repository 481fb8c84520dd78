// Measures a training step: its time, the share of each stage, and its speed compared with a single matrix product.
//
// It can run on its own: a machine with a GPU needs only node and the package onnxruntime-node:
//   node dist/bench/train-step.js [--provider webgpu] [--threads N] [--steps N] [--chunk POSITIONS] [--quick]

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadRuntime } from "../src/encode/onnx/runtime.ts";
import type { Batch, TokenRows } from "../src/lab/train/data/batch.ts";
import { add, mul } from "../src/lab/train/graph/elementwise.ts";
import { Graph } from "../src/lab/train/graph/graph.ts";
import { linear } from "../src/lab/train/graph/matmul.ts";
import { reduced } from "../src/lab/train/graph/reduce.ts";
import { type Provider, Session } from "../src/lab/train/graph/session.ts";
import { initialParameters } from "../src/lab/train/model/parameters.ts";
import type { EncoderShape, ModelSettings } from "../src/lab/train/model/settings.ts";
import type { Stage } from "../src/lab/train/step/graph-runner.ts";
import { Trainer } from "../src/lab/train/step/trainer.ts";
import { formatTable } from "../src/report/format-table.ts";
import { SluiceError } from "../src/support/errors/sluice-error.ts";
import { mulberry32 } from "../src/support/numbers/random.ts";
import { type Bench, keepInOut, runAlone } from "./support/bench.ts";

const VOCABULARY = 30_522;
const SMALL = { vocabulary: VOCABULARY, width: 128, layers: 2, heads: 2, ffn: 512, positions: 512 };
const MINILM = { vocabulary: VOCABULARY, width: 384, layers: 6, heads: 12, ffn: 1536, positions: 512 };
const QUICK = { vocabulary: 200, width: 16, layers: 1, heads: 2, ffn: 32, positions: 128 };

interface Shape {
  readonly name: string;
  readonly encoder: EncoderShape;
  readonly queries: number;
  readonly queryTokens: number;
  readonly passagesPerQuery: number;
  readonly passageTokens: number;
  /** Limit of a step in seconds: CPU time, or wall-clock time on a GPU. */
  readonly limit?: number;
}

const DESIGN_BATCH = { queries: 8, queryTokens: 64, passagesPerQuery: 2, passageTokens: 64 };
const PAPER_BATCH = { queries: 24, queryTokens: 32, passagesPerQuery: 8, passageTokens: 128 };

const SHAPES: Record<Provider, readonly Shape[]> = {
  cpu: [
    { name: "2 × 128", encoder: SMALL, ...DESIGN_BATCH, limit: 1 },
    { name: "MiniLM", encoder: MINILM, ...DESIGN_BATCH, limit: 4 },
  ],
  webgpu: [
    { name: "MiniLM", encoder: MINILM, ...DESIGN_BATCH },
    { name: "MiniLM, the paper's batch", encoder: MINILM, ...PAPER_BATCH, limit: 1.5 },
  ],
};

/**
 * A second number of positions per chunk, besides the default. On a CPU it is smaller: a tensor of tokens × vocabulary takes
 * 62 MB instead of 250. On a GPU it is so large that the paper's batch is one piece, with tensors of 3.2 GB.
 */
const OTHER_CHUNKS: Record<Provider, number> = { cpu: 512, webgpu: 26_000 };

const OPTIONS = {
  provider: { type: "string", default: "cpu" },
  threads: { type: "string", default: "1" },
  steps: { type: "string", default: "5" },
  chunk: { type: "string" },
  quick: { type: "boolean", default: false },
} as const;

interface Measurement {
  readonly shape: string;
  readonly pieces: string;
  readonly provider: Provider;
  /** Wall-clock time of the fastest step. */
  readonly seconds: number;
  /** CPU time of the same step. */
  readonly cpuSeconds: number;
  readonly pairsPerSecond: number;
  /** Mean seconds per step of each stage. */
  readonly stages: Readonly<Partial<Record<Stage, number>>>;
  readonly gflop: number;
  readonly limit?: number;
}

export const trainStep: Bench = {
  name: "train-step",
  flags: "[--provider cpu|webgpu] [--threads N] [--steps N] [--chunk POSITIONS] [--quick]",
  about:
    "One optimization step of DeLADE with the scaled mean as its semantic part, frozen word embeddings, random parameters and token " +
    "ids, no padding: forward, loss (NLL over the batch), backward, AdamW. The fastest step after the first, with the default chunks and " +
    "with others. 'Pairs' are queries with a positive. GFLOP counts the matrix products that the step needs once; a second forward pass " +
    "adds time but no work. 'of a product' compares with the product tokens × width × vocabulary alone on the same provider.",

  async run(print, args) {
    const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
    const provider = flags.provider as Provider;
    if (!(provider in SHAPES)) {
      throw new SluiceError(`--provider is ${flags.provider}, expected cpu or webgpu`);
    }
    const [threads, steps] = [Number(flags.threads), Number(flags.steps)];
    const lines: string[] = [];
    const say = (text: string) => {
      lines.push(text);
      print(text);
    };
    say(
      `\nprovider ${provider}, ${provider === "cpu" ? `${threads} thread${threads === 1 ? "" : "s"}` : "GPU"}`,
    );
    const all: Measurement[] = [];
    for (const shape of SHAPES[provider]) {
      const small: Shape = flags.quick ? { ...shape, encoder: QUICK, queries: 2, limit: undefined } : shape;
      const chunks = flags.chunk ? [Number(flags.chunk)] : [undefined, OTHER_CHUNKS[provider]];
      const ways: Measurement[] = [];
      const product = await measureProductSpeed(small.encoder, provider, threads);
      say(`\n${shape.name}: a product of matrices runs at ${product.toFixed(0)} GFLOP/s`);
      for (const chunk of chunks) {
        const measured = await measure(small, {
          provider,
          threads,
          steps,
          ...(chunk !== undefined && { chunk }),
        });
        ways.push(measured);
        say(`- ${progressLine(measured, product)}`);
        keepInOut("train-step", lines, { all: [...all, ...ways] });
      }
      // The limit applies to the fastest way.
      const best = Math.min(...ways.map((way) => counted(way, provider)));
      all.push(...ways.map((way) => (counted(way, provider) === best ? way : { ...way, limit: undefined })));
    }
    say(`\n${formatTable(HEAD, all.map(cells))}`);
    for (const line of all.flatMap(verdict)) say(line);
    keepInOut("train-step", lines, { all });
  },
};

async function measure(
  shape: Shape,
  options: { provider: Provider; threads: number; steps: number; chunk?: number },
): Promise<Measurement> {
  const { provider, threads, steps, chunk } = options;
  const model: ModelSettings = {
    encoder: shape.encoder,
    head: {
      kind: "joint",
      lexical: { kind: "delade" },
      semantic: { pooling: "mean", normalize: true, scale: true },
    },
  };
  const stages: Partial<Record<Stage, number>> = {};
  let counts = false;
  const trainer = await Trainer.create(model, initialParameters(model, 1), {
    provider,
    threads,
    ...(chunk !== undefined && { chunkPositions: chunk }),
    onStage: (stage, seconds) => {
      if (counts) stages[stage] = (stages[stage] ?? 0) + seconds / steps;
    },
  });
  const batch = batchOf(shape);
  const rates = { encoder: 1e-5, heads: 1e-4 };
  await trainer.step(batch, rates); // load graphs and compile shaders
  counts = true;
  const best = await measureQuickest(steps, provider, async () => void (await trainer.step(batch, rates)));
  await trainer.close();
  return {
    shape: shape.name,
    provider,
    pieces: "whole" in stages ? "one piece" : "chunks",
    ...best,
    pairsPerSecond: shape.queries / best.seconds,
    stages,
    gflop: gflopOf(shape),
    ...(shape.limit !== undefined && { limit: shape.limit }),
  };
}

interface Times {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** The fastest of some rounds: by CPU time, which other work on the machine affects least, or by wall-clock time on a GPU. */
async function measureQuickest(
  rounds: number,
  provider: Provider,
  work: () => Promise<void>,
): Promise<Times> {
  let best: Times | undefined;
  for (let round = 0; round < rounds; round++) {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    await work();
    const used = process.cpuUsage(cpu);
    const seconds = (performance.now() - start) / 1000;
    const times = { seconds, cpuSeconds: (used.user + used.system) / 1e6 };
    if (!best || counted(times, provider) < counted(best, provider)) best = times;
  }
  return best!;
}

/** The time that counts for a provider: CPU time, or wall-clock time on a GPU. */
function counted({ seconds, cpuSeconds }: Times, provider: Provider): number {
  return provider === "cpu" ? cpuSeconds : seconds;
}

function batchOf(shape: Shape): Batch {
  const random = mulberry32(1);
  const rows = (count: number, width: number): TokenRows => ({
    rows: count,
    width,
    ids: Int32Array.from({ length: count * width }, () => Math.floor(random() * shape.encoder.vocabulary)),
    lengths: new Int32Array(count).fill(width),
  });
  return {
    queries: rows(shape.queries, shape.queryTokens),
    passages: rows(shape.queries * shape.passagesPerQuery, shape.passageTokens),
    passagesPerQuery: shape.passagesPerQuery,
  };
}

/** GFLOP of a step's matrix products: forward, and backward for inputs and for weights that are not frozen. */
function gflopOf({ encoder, queries, queryTokens, passagesPerQuery, passageTokens }: Shape): number {
  const { width, layers, ffn, vocabulary } = encoder;
  const of = (texts: number, tokens: number) => {
    const positions = texts * tokens;
    const layer = positions * (4 * width * width + 2 * width * ffn) + 2 * positions * tokens * width;
    const head = positions * width * width;
    const words = positions * width * vocabulary;
    return 2 * (3 * (layers * layer + head) + 2 * words);
  };
  return (of(queries, queryTokens) + of(queries * passagesPerQuery, passageTokens)) / 1e9;
}

/**
 * GFLOP/s of the largest matrix product of a step alone, tokens × width × vocabulary. It is the time of five of them in one
 * graph minus the time of one, so that copying the matrices to a device does not count.
 */
async function measureProductSpeed(
  encoder: EncoderShape,
  provider: Provider,
  threads: number,
): Promise<number> {
  const { width, vocabulary } = encoder;
  const runtime = await loadRuntime();
  const shapes = { x: [PRODUCT_TOKENS, width], matrix: [vocabulary, width] };
  const feeds = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      new runtime.Tensor("float32", new Float32Array(shape[0] * shape[1]).fill(0.5), shape),
    ]),
  );
  const seconds = async (products: number) => {
    const graph = new Graph();
    const [x, matrix] = Object.entries(shapes).map(([name, shape]) => graph.input(name, "float32", shape));
    // Make the products different: the runtime would compute equal ones only once.
    const sums = Array.from({ length: products }, (_, i) => {
      const product = linear(mul(x, i + 1), matrix);
      return reduced("ReduceMax", product, [0, 1]);
    });
    const largest = sums.reduce((a, b) => add(a, b));
    const session = await Session.open(runtime, graph.written({ largest }), { provider, threads });
    const best = await measureQuickest(5, provider, async () => void (await session.run(feeds)));
    await session.close();
    return counted(best, provider);
  };
  const [one, five] = [await seconds(1), await seconds(5)];
  return (4 * 2 * PRODUCT_TOKENS * width * vocabulary) / 1e9 / Math.max(1e-6, five - one);
}

const PRODUCT_TOKENS = 1024;

const HEAD = ["", "pieces", "s per step", "CPU-s", "pairs/s", "GFLOP", "GFLOP/s", "time goes to"];

function cells(row: Measurement): string[] {
  return [
    row.shape,
    row.pieces,
    row.seconds.toFixed(3),
    row.cpuSeconds.toFixed(3),
    row.pairsPerSecond.toFixed(1),
    row.gflop.toFixed(0),
    (row.gflop / counted(row, row.provider)).toFixed(0),
    stagesOf(row),
  ];
}

function stagesOf({ stages }: Measurement): string {
  const total = Object.values(stages).reduce((a, b) => a + b, 0);
  return Object.entries(stages)
    .map(([stage, seconds]) => `${stage} ${((100 * seconds) / total).toFixed(0)} %`)
    .join(", ");
}

function progressLine(row: Measurement, product: number): string {
  const speed = row.gflop / counted(row, row.provider);
  return (
    `in ${row.pieces}: ${row.seconds.toFixed(3)} s (${row.cpuSeconds.toFixed(3)} CPU-s), ${row.pairsPerSecond.toFixed(1)} pairs/s, ` +
    `${speed.toFixed(0)} GFLOP/s or ${((100 * speed) / product).toFixed(0)} % of a product; ${stagesOf(row)}`
  );
}

function verdict(row: Measurement): string[] {
  if (row.limit === undefined) return [];
  const [taken, unit] = [counted(row, row.provider), row.provider === "cpu" ? "CPU-s" : "s"];
  const met = taken <= row.limit ? "met" : "missed";
  return [`${met}: ${row.shape} in ${row.pieces}: ${taken.toFixed(2)} ${unit} a step, limit ${row.limit}`];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runAlone(trainStep);
