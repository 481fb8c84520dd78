// Runs whole trainings of a tiny model (two layers of width 128) on the CPU: real graphs, real gradients, 2,000 pairs.

import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type Pair, tokenizerOf, trainingPairs } from "../../../test/helpers/pairs.ts";
import { Encoder, type Encoding } from "../../encode/encoder.ts";
import { TextTokenizer } from "../../encode/tokenize/tokenizer.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { TokenLists } from "./data/token-lists.ts";
import { exportCheckpoint } from "./export/export-checkpoint.ts";
import { openAnyEncoder } from "./measure/any-encoder.ts";
import { findNewestCheckpoint, readCheckpoint } from "./run/checkpoint.ts";
import { checkedTrainConfig, type TrainConfig } from "./run/config.ts";
import { readLog, type StepEntry } from "./run/run-log.ts";
import { Trainer } from "./step/trainer.ts";
import { train } from "./train.ts";

vi.setConfig({ testTimeout: 300_000 }); // trains models

const folder = mkdtempSync(join(tmpdir(), "sluice-train-"));
const at = (...names: string[]) => join(folder, ...names);
const [PAIRS, HELD_OUT, STEPS, QUERIES] = [2000, 40, 80, 16];
let pairs: Pair[];

const MODEL = {
  sizes: { layers: 2, width: 128, positions: 32 },
  attentionHeads: 2,
  tokenizer: "tokenizer.json",
  lexical: "delade",
  semantic: { pooling: "mean", normalize: true, scale: true },
  trainWordEmbeddings: true,
  maxLength: { query: 16, passage: 32 },
};

function configured(changes: object = {}): TrainConfig {
  const config = {
    model: MODEL,
    data: { files: ["pairs.jsonl"] },
    batch: { queries: QUERIES },
    optimizer: { learningRate: 1e-3 },
    steps: STEPS,
    compute: { threads: 1 },
    checkpoints: { every: 60, keep: 2 },
    ...changes,
  };
  return checkedTrainConfig(config, at("config.json"));
}

const lossesOf = async (run: string) =>
  (await readLog(at(run, "log.jsonl"))).flatMap((entry) =>
    "loss" in entry ? [(entry as StepEntry).loss] : [],
  );

beforeAll(async () => {
  pairs = await trainingPairs(PAIRS + HELD_OUT);
  writeFileSync(
    at("pairs.jsonl"),
    pairs
      .slice(0, PAIRS)
      .map((pair) => JSON.stringify(pair))
      .join("\n"),
  );
  writeFileSync(
    at("few.jsonl"),
    pairs
      .slice(0, 64)
      .map((pair) => JSON.stringify(pair))
      .join("\n"),
  );
  writeFileSync(at("tokenizer.json"), tokenizerOf(pairs, 2000));
  await train(configured(), at("whole"));
}, 300_000);

describe("a tiny model", () => {
  test("learns to find the relevant one of 16 passages", async () => {
    const losses = await lossesOf("whole");
    expect(losses.length).toBe(STEPS);
    const mean = (some: readonly number[]) => some.reduce((a, b) => a + b, 0) / some.length;
    // An untrained model has a loss of ln 16 = 2.77.
    expect(mean(losses.slice(0, 3))).toBeGreaterThan(2.5);
    expect(mean(losses.slice(-20))).toBeLessThan(1.5);
  });

  test("resumed from a checkpoint, it has the same losses to the last bit", async () => {
    cpSync(at("whole"), at("resumed"), { recursive: true });
    rmSync((await findNewestCheckpoint(at("resumed", "checkpoints")))!);
    const before = await readCheckpoint((await findNewestCheckpoint(at("resumed", "checkpoints")))!);
    expect(before.trainer.step).toBe(60);
    const outcome = await train(configured(), at("resumed"), { resume: true });
    expect(outcome).toMatchObject({ step: STEPS, finished: true });
    expect(await lossesOf("resumed")).toEqual(await lossesOf("whole"));
    const parameters = async (run: string) =>
      (await readCheckpoint((await findNewestCheckpoint(at(run, "checkpoints")))!)).trainer.parameters;
    const [resumed, whole] = [await parameters("resumed"), await parameters("whole")];
    expect([...resumed.keys()]).toEqual([...whole.keys()]);
    // Buffers are compared at once, millions of numbers by Vitest one by one.
    const bytes = ({ data }: { data: Float32Array }) =>
      Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    for (const [name, tensor] of resumed)
      expect(bytes(tensor).equals(bytes(whole.get(name)!)), name).toBe(true);
  });

  test("exported, it ranks unseen pairs as the trainer does", async () => {
    await exportCheckpoint(at("whole"), at("encoder"));
    const encoder = await Encoder.open(at("encoder"), { threads: 1 });
    const held = pairs.slice(-HELD_OUT);
    const queries = await encoder.encode(
      held.map(({ query }) => query),
      "query",
    );
    const passages = await encoder.encode(
      held.map(({ positive }) => positive),
      "passage",
    );
    const found = queries.flatMap((query) => passages.map((passage) => scoreOf(query, passage)));
    const expected = await scoresOfTrainer(held);
    const ranks = { found: ranksOfPositives(found), expected: ranksOfPositives(expected) };
    for (const [i, score] of expected.entries()) expect(Math.abs(found[i] - score)).toBeLessThan(1e-4);
    expect(ranks.found).toEqual(ranks.expected);
    // By chance half of the passages would rank above the relevant one.
    expect(ranks.found.reduce((a, b) => a + b, 0) / HELD_OUT).toBeLessThan(HELD_OUT / 4);
  });

  test("opened as a run, it encodes as its exported encoder does", async () => {
    const texts = pairs.slice(-5).map(({ positive }) => positive);
    const [run, encoder] = [
      await openAnyEncoder(at("whole"), { threads: 1 }),
      await openAnyEncoder(at("encoder")),
    ];
    expect(run.gives).toEqual(encoder.gives);
    expect(run.vocabulary).toEqual(encoder.vocabulary);
    const [found, expected] = [await run.encode(texts, "passage"), await encoder.encode(texts, "passage")];
    for (const [i, { weights, vector }] of found.entries()) {
      vector!.forEach((x, at) => {
        expect(Math.abs(x - expected[i].vector![at])).toBeLessThan(1e-4);
      });
      expect(weights!.size).toBeGreaterThan(0);
      for (const [term, weight] of weights!) {
        expect(Math.abs(weight - expected[i].weights!.get(term)!)).toBeLessThan(1e-4);
      }
      // The run drops only tiny weights.
      for (const [term, weight] of expected[i].weights!)
        if (!weights!.has(term)) expect(weight).toBeLessThan(2e-4);
    }
    await run.close();
    await encoder.close();
    await expect(openAnyEncoder(at("encoder"), { provider: "webgpu" })).rejects.toThrow(
      "runs on the CPU only",
    );
  });

  test("draws its curve", () => {
    const svg = readFileSync(at("whole", "curve.svg"), "utf8");
    expect(svg).toContain("<title>Training: 80 steps</title>");
    expect(svg).toMatch(/<polyline points="[\d., ]+"/);
    expect(svg).not.toContain("NaN");
  });

  test("a damaged checkpoint is refused, and the one before it is named", async () => {
    cpSync(at("whole"), at("damaged"), { recursive: true });
    const checkpoints = readdirSync(at("damaged", "checkpoints")).sort();
    const [older, newest] = checkpoints.slice(-2).map((name) => at("damaged", "checkpoints", name));
    truncateSync(newest, 100);
    await expect(train(configured(), at("damaged"), { resume: true })).rejects.toMatchObject({
      problem: expect.stringContaining(newest),
      hint: `${older} is whole: remove the newer one to go on from there`,
    });
    truncateSync(older, 100);
    await expect(train(configured(), at("damaged"), { resume: true })).rejects.toMatchObject({
      hint: expect.not.stringContaining("is whole"),
    });
  });

  test("is not resumed under another config, with other data, or from an empty folder", async () => {
    const resume = (config: TrainConfig, run = "whole") => train(config, at(run), { resume: true });
    await expect(resume(configured({ seed: 2 }))).rejects.toThrow('another config: "seed" was 1 and is 2');
    await expect(train(configured(), at("whole"))).rejects.toThrow("already holds a run");
    await expect(resume(configured(), "nowhere")).rejects.toThrow("holds no training run");
    cpSync(at("pairs.jsonl"), at("more.jsonl"));
    appendFileSync(at("more.jsonl"), `\n${JSON.stringify(pairs.at(-1))}`);
    await expect(resume(configured({ data: { files: ["more.jsonl"] } }))).rejects.toThrow(
      "learned from other data",
    );
  });
});

function scoreOf(query: Encoding, passage: Encoding): number {
  let sum = 0;
  for (const [term, weight] of query.weights!) sum += weight * (passage.weights!.get(term) ?? 0);
  return query.vector!.reduce((total, x, i) => total + x * passage.vector![i], sum);
}

/** Scores of all queries with all passages, by the trainer itself. */
async function scoresOfTrainer(held: readonly Pair[]): Promise<Float32Array> {
  const { model, trainer: state } = await readCheckpoint(
    (await findNewestCheckpoint(at("whole", "checkpoints")))!,
  );
  const tokenizer = new TextTokenizer(readFileSync(at("tokenizer.json"), "utf8"), "the tokenizer");
  const lists = new TokenLists(tokenizer.terms.length);
  const rows = (texts: readonly string[], longest: number) =>
    lists.rows(texts.map((text) => lists.add(tokenizer.framed(tokenizer.bare(text), longest))));
  const trainer = await Trainer.create(model, state.parameters, { threads: 1 });
  try {
    return await trainer.score({
      queries: rows(
        held.map(({ query }) => query),
        MODEL.maxLength.query,
      ),
      passages: rows(
        held.map(({ positive }) => positive),
        MODEL.maxLength.passage,
      ),
      passagesPerQuery: 1,
    });
  } finally {
    await trainer.close();
  }
}

/** For each query, the number of passages that rank above its own. */
function ranksOfPositives(scores: ArrayLike<number>): number[] {
  return Array.from({ length: HELD_OUT }, (_, query) => {
    const row = Array.from({ length: HELD_OUT }, (_, passage) => scores[query * HELD_OUT + passage]);
    return row.filter((score) => score > row[query]).length;
  });
}

describe("bad input stops a run with one message", () => {
  test("a NaN loss: the checkpoint holds the state before it", async () => {
    const few = { data: { files: ["few.jsonl"] }, steps: 12 };
    const wild = configured({ ...few, optimizer: { learningRate: 1e30, warmup: 0 } });
    const error = (await train(wild, at("wild")).catch((caught) => caught)) as SluiceError;
    expect(error).toBeInstanceOf(SluiceError);
    const step = Number(/^step (\d+): /.exec(error.message)?.[1]);
    const newest = (await findNewestCheckpoint(at("wild", "checkpoints")))!;
    const { trainer } = await readCheckpoint(newest);
    expect(trainer.step).toBe(step - 1);
    for (const { data } of trainer.parameters.values()) expect(data.every(Number.isFinite)).toBe(true);
    expect(error.hint).toContain(newest);
  });

  test.each<[string, string[], object, string]>([
    ["an empty file", [], {}, "bad.jsonl: the file is empty"],
    [
      "a pair without a positive",
      ['{"query": "a", "positive": "b"}', '{"query": "a"}'],
      {},
      "bad.jsonl:2: no positive",
    ],
    ["an empty query", ['{"query": "", "positive": "b"}'], {}, "bad.jsonl:1: the query is empty"],
    [
      "a query longer than the model, if that is refused",
      [JSON.stringify({ query: "a ".repeat(20), positive: "b" })],
      { longQueries: "refuse" },
      "bad.jsonl:1: the query has 22 tokens, but the model reads at most 16",
    ],
    [
      "too few pairs for a batch",
      ['{"query": "a", "positive": "b"}'],
      {},
      "1 examples cannot fill a batch of 16",
    ],
  ])("%s", async (_, lines, changes, message) => {
    writeFileSync(at("bad.jsonl"), lines.join("\n"));
    const config = configured({ data: { files: ["bad.jsonl"], ...changes } });
    await expect(train(config, at("never"))).rejects.toThrow(message);
  });

  test("texts longer than the model's table of positions", async () => {
    const config = configured({ model: { ...MODEL, maxLength: { query: 64 } } });
    await expect(train(config, at("never"))).rejects.toThrow(
      '"model.maxLength.query" is 64, but the model has 32 positions',
    );
  });

  test("no file, no tokenizer, no model", async () => {
    await expect(train(configured({ data: { files: ["none.jsonl"] } }), at("never"))).rejects.toThrow(
      "none.jsonl: no such file",
    );
    const model = { ...MODEL, tokenizer: "none.json" };
    await expect(train(configured({ model }), at("never"))).rejects.toThrow("none.json: no such file");
    const from = { from: "none", lexical: "delade" };
    await expect(train(configured({ model: from }), at("never"))).rejects.toThrow("no such file");
  });
});

describe("a run", () => {
  const short = { data: { files: ["few.jsonl"] }, steps: 3, batch: { queries: 8 } };

  test("starts from a checkpoint of another run", async () => {
    const { sizes: _, tokenizer: __, ...model } = MODEL;
    await train(configured({ ...short, model: { ...model, from: "whole" } }), at("begun"));
    const losses = await lossesOf("begun");
    expect(losses.length).toBe(3);
    expect(losses[0]).toBeLessThan(1.5);
  });

  test("reports how many texts are cut, and evaluates a collection", async () => {
    mkdirSync(at("beir", "qrels"), { recursive: true });
    const some = pairs.slice(0, 30);
    writeFileSync(
      at("beir", "corpus.jsonl"),
      some.map(({ positive }, i) => JSON.stringify({ _id: `d${i}`, text: positive })).join("\n"),
    );
    writeFileSync(
      at("beir", "queries.jsonl"),
      some.map(({ query }, i) => JSON.stringify({ _id: `q${i}`, text: query })).join("\n"),
    );
    const judged = some.map((_, i) => `q${i}\td${i}\t1`);
    writeFileSync(at("beir", "qrels", "dev.tsv"), ["query-id\tcorpus-id\tscore", ...judged].join("\n"));
    const { sizes: _, tokenizer: __, ...model } = MODEL;
    const found: number[] = [];
    const notes: string[] = [];
    const config = configured({
      ...short,
      model: { ...model, from: "whole", maxLength: { query: 4, passage: 32 } },
      evaluation: { beir: "beir", every: 2, metric: "mrr@10", dims: 128 },
    });
    await train(config, at("evaluated"), {
      onEvaluation: ({ value }) => found.push(value),
      onNote: (note) => notes.push(note),
    });
    expect(found.length).toBe(1);
    expect(found[0]).toBeGreaterThan(0.5);
    expect(notes[0]).toMatch(/^\d+ queries are longer than 4 tokens and were cut$/);
    expect(readFileSync(at("evaluated", "curve.svg"), "utf8")).toContain("mrr@10");
  });

  const lexical = (kind: string) => ({ ...MODEL, semantic: undefined, lexical: kind });
  test.each<[string, object]>([
    ["SPLADE with its regularizer", { model: lexical("splade"), loss: { flops: { steps: 2 } } }],
    ["uniCOIL", { model: lexical("unicoil") }],
    ["a dense model", { model: { ...MODEL, lexical: undefined } }],
    [
      "[CLS], projected, and rows of 64 dims",
      { model: { ...MODEL, semantic: { width: 8 } }, loss: { densified: 64 } },
    ],
    [
      "both losses, of all parts",
      {
        teacher: { kind: "encoder", bm25: true },
        loss: {
          terms: [
            { kind: "nll", of: "lexical" },
            { kind: "kl", of: "semantic", weight: 0.5 },
          ],
        },
      },
    ],
    [
      "ColBERT, on margins in the file",
      {
        model: { ...MODEL, lexical: undefined, semantic: undefined, colbert: { width: 16 } },
        data: { files: ["scored.jsonl"] },
        batch: { queries: 4, passagesPerQuery: 2 },
        teacher: { kind: "file" },
      },
    ],
  ])("trains %s", async (name, changes) => {
    const scored = pairs.slice(0, 20).map((pair, i) => ({
      ...pair,
      negatives: [pairs[100 + i].positive],
      positive_scores: [2],
      negative_scores: [1],
    }));
    writeFileSync(at("scored.jsonl"), scored.map((line) => JSON.stringify(line)).join("\n"));
    const outcome = await train(configured({ ...short, steps: 2, ...changes }), at(name));
    expect(outcome).toMatchObject({ step: 2, finished: true });
    expect(Number.isFinite(outcome.loss)).toBe(true);
  });

  test("warms up a head over the vocabulary first", async () => {
    const headWarmUp = { steps: 4, texts: 8, learningRate: 1e-3 };
    expect(await train(configured({ ...short, headWarmUp }), at("warm"))).toMatchObject({
      step: 7,
      finished: true,
    });
    const losses = await lossesOf("warm");
    expect(losses[0]).toBeGreaterThan(5); // ln 2000 is 7.6
    expect(losses[4]).toBeLessThan(3);
  });

  test("learns from teachers: BM25, and a checkpoint", async () => {
    const teachers = [
      { kind: "encoder", bm25: true, scale: 0.5 },
      { kind: "checkpoint", checkpoint: "whole" },
    ];
    for (const [i, teacher] of teachers.entries()) {
      const config = configured({ ...short, steps: 12, teacher });
      await train(config, at(`taught-${i}`));
      const losses = await lossesOf(`taught-${i}`);
      expect(losses.at(-1)).toBeLessThan(losses[0]);
      const changed = configured({ ...short, steps: 12, teacher: { ...teacher, scale: 0.25 } });
      await expect(train(changed, at(`taught-${i}`), { resume: true })).rejects.toThrow('"teacher.scale"');
    }
  });
});
