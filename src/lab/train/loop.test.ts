// Tests the loop with a fast fake trainer: its "model" is one number, which every batch moves differently.

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { SPECIAL_PIECES, tokenizerJson } from "../../../test/helpers/onnx.ts";
import { TextTokenizer } from "../../encode/tokenize/tokenizer.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { Batch, MaskedBatch, StepReport, Tensors, TrainerState } from "./data/batch.ts";
import { readDataset } from "./data/dataset.ts";
import { maskedBatch } from "./data/masked.ts";
import { Sampler } from "./data/sampler.ts";
import { type LoopOptions, type LoopParts, type LoopTrainer, runLoop } from "./loop.ts";
import type { ModelSettings, Rates } from "./model/settings.ts";
import { findNewestCheckpoint, readCheckpoint } from "./run/checkpoint.ts";
import { checkedTrainConfig, readTrainConfig } from "./run/config.ts";
import { RunFolder } from "./run/run-folder.ts";
import { readLog, type StepEntry } from "./run/run-log.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-loop-"));
const WORDS = Array.from({ length: 60 }, (_, i) => `w${i}`);
const TOKENIZER = tokenizerJson([...SPECIAL_PIECES, ...WORDS]);
const PAIRS = join(folder, "pairs.jsonl");
writeFileSync(
  PAIRS,
  WORDS.map((word, i) => JSON.stringify({ query: word, positive: `${word} w${i % 7}` })).join("\n"),
);

const MODEL: ModelSettings = {
  encoder: { vocabulary: 64, width: 1, layers: 1, heads: 1, ffn: 1, positions: 16 },
  head: { kind: "joint", lexical: { kind: "delade" } },
};

class FakeTrainer implements LoopTrainer {
  steps = 0;
  #value = 1;
  #moment = 0;
  readonly #failAt: number;

  constructor(failAt = Number.POSITIVE_INFINITY) {
    this.#failAt = failAt;
  }

  async step({ queries, teacher }: Batch, { encoder }: Rates): Promise<StepReport> {
    if (this.steps + 1 === this.#failAt) throw new SluiceError("the loss is NaN");
    const seen = queries.ids.reduce((sum, id, i) => Math.fround(sum + id * Math.sin(i)), 0);
    this.#moment = Math.fround(0.9 * this.#moment + encoder * seen);
    this.#value = Math.fround(this.#value + 0.01 * this.#moment);
    this.steps++;
    return {
      loss: this.#value + (teacher?.[0] ?? 0),
      parts: { nll: this.#value },
      gradientNorm: Math.abs(seen),
    };
  }

  async warmUp({ labels }: MaskedBatch, { heads }: Rates): Promise<StepReport> {
    this.#value = Math.fround(this.#value + heads * labels.reduce((a, b) => a + b, 0));
    this.steps++;
    return { loss: 100 + this.#value, parts: { mlm: 100 }, gradientNorm: 1 };
  }

  async copyState(): Promise<TrainerState> {
    const one = (value: number): Tensors => new Map([["w", { shape: [1], data: Float32Array.of(value) }]]);
    return {
      step: this.steps,
      parameters: one(this.#value),
      firstMoments: one(this.#moment),
      secondMoments: one(0),
    };
  }

  async restore({ step, parameters, firstMoments }: TrainerState): Promise<void> {
    this.steps = step;
    this.#value = parameters.get("w")!.data[0];
    this.#moment = firstMoments.get("w")!.data[0];
  }
}

let runs = 0;
async function parts(trainer: LoopTrainer, changes: Partial<LoopParts> = {}): Promise<LoopParts> {
  const config = checkedTrainConfig(
    { model: { from: ".", lexical: "delade" }, data: { files: [PAIRS] }, checkpoints: { every: 7, keep: 2 } },
    join(folder, "config.json"),
  );
  const tokenizer = new TextTokenizer(TOKENIZER, "the tokenizer");
  const data = await readDataset([{ path: PAIRS }], tokenizer, { maxLength: { query: 8, passage: 8 } });
  return {
    trainer,
    sampler: new Sampler(data, { seed: 1, queries: 4, passagesPerQuery: 1 }),
    schedule: { learningRate: { encoder: 0.01, heads: 0.01 }, steps: 40, warmup: 0.1 },
    folder: changes.folder ?? (await RunFolder.create(join(folder, `run-${runs++}`), config, TOKENIZER)),
    run: { model: MODEL, config, learnsFrom: { data: data.fingerprint } },
    ...changes,
  };
}

const steps = async (run: RunFolder) =>
  (await readLog(run.log)).flatMap((entry) => ("loss" in entry ? [entry as StepEntry] : []));
const losses = async (run: RunFolder) => (await steps(run)).map(({ loss, smoothed }) => [loss, smoothed]);

/** Stops after a step, as Ctrl-C does. */
function stopAfter(step: number): LoopOptions {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    onStep: (progress) => {
      if (progress.step === step) controller.abort();
    },
  };
}

async function resumed(run: RunFolder, trainer = new FakeTrainer(), options: LoopOptions = {}) {
  const from = await readCheckpoint((await findNewestCheckpoint(run.checkpoints))!);
  return runLoop(await parts(trainer, { folder: run }), from, options);
}

describe("the loop", () => {
  test("makes all steps, logs each, and leaves a checkpoint", async () => {
    const made = await parts(new FakeTrainer());
    const seen: number[] = [];
    // A clock that goes on by 10 ms whenever it is read, so that every step takes some time.
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      now += 10;
      return now;
    });
    const outcome = await runLoop(made, undefined, {
      onStep: ({ step, steps, pairsPerSecond, secondsLeft }) => {
        seen.push(step);
        expect(steps).toBe(40);
        expect(pairsPerSecond).toBeGreaterThan(0);
        // The pace is that of 4 pairs a step, so both say how long a step takes.
        expect(secondsLeft * pairsPerSecond).toBeCloseTo(4 * (steps - step), 6);
      },
    });
    expect(outcome).toMatchObject({ step: 40, finished: true });
    expect(seen).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect((await steps(made.folder)).map(({ step }) => step)).toEqual(seen);
    expect(outcome.loss).toBe((await steps(made.folder)).at(-1)!.smoothed);
    expect(readdirSync(made.folder.checkpoints)).toEqual([
      "step-0000035.safetensors",
      "step-0000040.safetensors",
    ]);
    const { trainer } = await readCheckpoint(outcome.checkpoint);
    expect(trainer).toEqual(await made.trainer.copyState());
  });

  test.each([3, 14, 39])(
    "stopped after step %i and resumed, it gives the same losses to the last bit",
    async (step) => {
      const whole = await parts(new FakeTrainer());
      await runLoop(whole, undefined);
      const broken = await parts(new FakeTrainer());
      const first = await runLoop(broken, undefined, stopAfter(step));
      expect(first).toMatchObject({ step, finished: false });
      expect((await readCheckpoint(first.checkpoint)).trainer.step).toBe(step);
      const second = await resumed(broken.folder);
      expect(second).toMatchObject({ step: 40, finished: true });
      expect(await losses(broken.folder)).toEqual(await losses(whole.folder));
    },
  );

  test("killed between checkpoints, it drops the log entries since the last one, a torn line too", async () => {
    const whole = await parts(new FakeTrainer());
    await runLoop(whole, undefined);
    const killed = await parts(new FakeTrainer());
    await runLoop(killed, undefined, stopAfter(14));
    appendFileSync(killed.folder.log, `${JSON.stringify({ step: 15, loss: 99 })}\n{"step": 16, "lo`);
    await resumed(killed.folder);
    expect(await losses(killed.folder)).toEqual(await losses(whole.folder));
  });

  test("a NaN loss stops it with one message and a checkpoint from before that step", async () => {
    const failing = await parts(new FakeTrainer(18));
    const error = (await runLoop(failing, undefined).catch((caught) => caught)) as SluiceError;
    const newest = (await findNewestCheckpoint(failing.folder.checkpoints))!;
    expect(error).toBeInstanceOf(SluiceError);
    expect(error.problem).toBe("step 18: the loss is NaN");
    expect(error.hint).toContain(`${newest} holds the state before this step`);
    const checkpoint = await readCheckpoint(newest);
    expect(checkpoint.trainer.step).toBe(17);
    const whole = await parts(new FakeTrainer());
    await runLoop(whole, undefined);
    await resumed(failing.folder);
    expect(await losses(failing.folder)).toEqual(await losses(whole.folder));
  });

  test("warms up a head first, can resume during the warm-up, and averages the two losses separately", async () => {
    const warm = async (folder?: RunFolder) => {
      const tokenizer = new TextTokenizer(TOKENIZER, "the tokenizer");
      const { passages } = await readDataset([{ path: PAIRS }], tokenizer, {
        maxLength: { query: 8, passage: 8 },
      });
      const batch = (step: number) => maskedBatch(passages, step, { seed: 1, texts: 4, mask: 1 });
      const headWarmUp = { steps: 10, rates: { encoder: 0, heads: 1e-4 }, batch };
      return parts(new FakeTrainer(), { headWarmUp, ...(folder && { folder }) });
    };
    const whole = await warm();
    expect(await runLoop(whole, undefined)).toMatchObject({ step: 50, finished: true });
    const entries = await steps(whole.folder);
    expect(entries.map(({ parts }) => "mlm" in parts)).toEqual(Array.from({ length: 50 }, (_, i) => i < 10));
    expect(entries[10].smoothed).toBeCloseTo(entries[10].loss, 9);
    expect(entries[10].rates.encoder).toBe(entries[10].rates.heads);
    const broken = await warm();
    await runLoop(broken, undefined, stopAfter(6));
    const from = await readCheckpoint(await broken.folder.findNewest());
    await runLoop(await warm(broken.folder), from);
    expect(await losses(broken.folder)).toEqual(await losses(whole.folder));
  });

  test("keeps a checkpoint of the initial state if the first step fails", async () => {
    const failing = await parts(new FakeTrainer(1));
    await expect(runLoop(failing, undefined)).rejects.toThrow("step 1: the loss is NaN");
    expect((await readCheckpoint(await failing.folder.findNewest())).trainer.step).toBe(0);
  });

  test("asks the teacher for each batch, and evaluates every 15 steps", async () => {
    const asked: number[] = [];
    const teacher = {
      fingerprint: "t",
      scoreChosen: async (chosen: readonly unknown[]) => {
        asked.push(chosen.length);
        return new Float32Array(16).fill(1000);
      },
      close: async () => {},
    };
    let value = 0;
    const evaluation = { every: 15, metric: "ndcg@10", value: async () => ++value };
    const found: unknown[] = [];
    const made = await parts(new FakeTrainer(), { teacher, evaluation });
    await runLoop(made, undefined, { onEvaluation: (each) => found.push(each) });
    expect(asked).toEqual(Array(40).fill(4));
    expect((await losses(made.folder)).every(([loss]) => loss > 900)).toBe(true);
    const logged = (await readLog(made.folder.log)).filter((entry) => "metric" in entry);
    expect(logged).toEqual([
      { step: 15, metric: "ndcg@10", value: 1 },
      { step: 30, metric: "ndcg@10", value: 2 },
    ]);
    expect(found).toEqual(logged);
  });
});

describe("a checkpoint", () => {
  const written = async () => {
    const made = await parts(new FakeTrainer());
    const { checkpoint } = await runLoop(made, undefined, stopAfter(5));
    return { made, checkpoint };
  };

  test("holds everything that was given", async () => {
    const { made, checkpoint } = await written();
    const read = await readCheckpoint(checkpoint);
    expect(read.config).toEqual(made.run.config);
    expect(read.model).toEqual(MODEL);
    expect(read.learnsFrom).toEqual(made.run.learnsFrom);
    expect(read.sampler).toEqual(made.sampler.state);
  });

  test("that is cut off, altered or something else is refused", async () => {
    const { checkpoint } = await written();
    const bytes = readFileSync(checkpoint);
    bytes[bytes.length - 3] ^= 1;
    writeFileSync(checkpoint, bytes);
    await expect(readCheckpoint(checkpoint)).rejects.toThrow(`${checkpoint}: the checksum does not match`);
    truncateSync(checkpoint, bytes.length - 2);
    await expect(readCheckpoint(checkpoint)).rejects.toThrow(checkpoint);
    truncateSync(checkpoint, 4);
    await expect(readCheckpoint(checkpoint)).rejects.toThrow(checkpoint);
    await expect(readCheckpoint(join(folder, "nothing"))).rejects.toThrow("no such file");
  });

  test("leaves nothing half written when the disk refuses", async () => {
    const made = await parts(new FakeTrainer());
    writeFileSync(made.folder.checkpoints, "a file in the way");
    await expect(runLoop(made, undefined)).rejects.toThrow(SluiceError);
    expect(readdirSync(made.folder.path).some((name) => name.endsWith(".tmp"))).toBe(false);
  });
});

test("a folder holds one run", async () => {
  const made = await parts(new FakeTrainer());
  await runLoop(made, undefined, stopAfter(1));
  await expect(RunFolder.create(made.folder.path, made.run.config, TOKENIZER)).rejects.toThrow(
    "already holds a run",
  );
  await expect(RunFolder.open(join(folder, "nowhere"))).rejects.toThrow("holds no training run");
  expect(await readTrainConfig(made.folder.config)).toEqual(made.run.config);
});
