// Trains anchored heads on a made-up frozen encoder and a made-up task: passages praise or ignore what they name, which BM25
// cannot tell apart. The run begins at BM25, its loss falls, and the ranking of unseen queries improves, exported as well.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SPECIAL_PIECES, tokenizerJson } from "../../../test/helpers/onnx.ts";
import { safetensorsBytes } from "../../../test/helpers/safetensors.ts";
import { Encoder } from "../../encode/encoder.ts";
import { TextTokenizer } from "../../encode/tokenize/tokenizer.ts";
import { Sluice } from "../../sluice.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import type { Tensors } from "./data/batch.ts";
import { TokenLists } from "./data/token-lists.ts";
import { WordTable } from "./data/word-table.ts";
import { exportBert } from "./export/export-bert.ts";
import { exportCheckpoint } from "./export/export-checkpoint.ts";
import { openAnyEncoder } from "./measure/any-encoder.ts";
import { initialParameters } from "./model/parameters.ts";
import type { ModelSettings } from "./model/settings.ts";
import { readCheckpoint } from "./run/checkpoint.ts";
import { checkedTrainConfig, type TrainConfig } from "./run/config.ts";
import { findCheckpoint } from "./run/run-folder.ts";
import { readLog, type StepEntry } from "./run/run-log.ts";
import { Trainer } from "./step/trainer.ts";
import { bm25Rows } from "./teacher/bm25-rows.ts";
import { addProducts } from "./teacher/sparse-rows.ts";
import { train } from "./train.ts";

vi.setConfig({ testTimeout: 300_000 }); // trains models

const folder = mkdtempSync(join(tmpdir(), "sluice-anchored-train-"));
const at = (...names: string[]) => join(folder, ...names);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = Array.from(
  { length: 60 },
  (_, i) => `name${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`,
);
const FILLING = Array.from({ length: 30 }, (_, i) => `filler${String.fromCharCode(97 + i)}`.slice(0, 8));
const PIECES = [...new Set([...SPECIAL_PIECES, "praises", "ignores", ...NAMES, ...FILLING])];
const tokenizer = new TextTokenizer(tokenizerJson(PIECES), "the test's tokenizer");
const SHAPE = { vocabulary: PIECES.length, width: 32, layers: 1, heads: 2, ffn: 48, positions: 16 };
const LENGTHS = { query: 6, passage: 10 };

const MODEL: ModelSettings = {
  encoder: SHAPE,
  head: {
    kind: "joint",
    lexical: { kind: "anchored" },
    semantic: { pooling: "mean", normalize: true },
  },
  frozenEncoder: true,
};

/** An encoder with large random parameters, so that the state of a word depends on its neighbors. */
function encoderParameters(heads: number): Tensors {
  const random = mulberry32(5);
  return new Map(
    Array.from(initialParameters(MODEL, 3), ([name, { shape, data }]) => {
      const spread = name.startsWith("anchored") ? heads : /LayerNorm/.test(name) ? 0 : 0.7;
      return [name, { shape, data: data.map((x) => x + spread * (random() - 0.5)) }];
    }),
  );
}

/** The words of the query, and two passages that differ by one word that is not a word of the query. */
function example(random: () => number) {
  const one = (list: readonly string[]) => list[Math.floor(random() * list.length)];
  const name = one(NAMES);
  const passage = (verb: string) => [verb, name, one(FILLING), one(FILLING), one(FILLING)].join(" ");
  return { query: name, positive: passage("praises"), negatives: [passage("ignores")] };
}

const random = mulberry32(1);
const TRAINING = Array.from({ length: 400 }, () => example(random));
const UNSEEN = Array.from({ length: 60 }, () => example(random));

function configured(changes: object = {}): TrainConfig {
  const config = {
    model: {
      from: "base",
      lexical: "anchored",
      semantic: { pooling: "mean", normalize: true },
      maxLength: LENGTHS,
    },
    data: { files: ["training.jsonl"] },
    batch: { queries: 8, passagesPerQuery: 2 },
    loss: { semanticWeight: 0.5 },
    optimizer: { learningRate: { encoder: 0, heads: 3e-3 } },
    steps: 120,
    compute: { threads: 1 },
    ...changes,
  };
  return checkedTrainConfig(config, at("config.json"));
}

/** How often the positive passage of an unseen example scores above its negative; a tie counts half. */
async function shareRight(path: string | undefined): Promise<number> {
  const encoder = path === undefined ? undefined : await Encoder.open(path);
  let right = 0;
  for (const { query, positive, negatives } of UNSEEN) {
    const documents = [
      { id: "right", text: positive },
      { id: "wrong", text: negatives[0] },
    ];
    const index = await Sluice.build(documents, { encoder: encoder ?? "none" });
    const { hits } = await index.search(query, { lambda: 0 });
    const scoreOf = (id: string) => hits.find((hit) => hit.id === id)?.score ?? 0;
    const difference = scoreOf("right") - scoreOf("wrong");
    right += difference > 0 ? 1 : difference === 0 ? 0.5 : 0;
    await index.close();
  }
  await encoder?.close();
  return right / UNSEEN.length;
}

beforeAll(async () => {
  mkdirSync(at("base"));
  writeFileSync(at("base", "tokenizer.json"), tokenizerJson(PIECES));
  writeFileSync(at("base", "config.json"), JSON.stringify({ num_attention_heads: 2 }));
  const base = new Map([...encoderParameters(0)].filter(([name]) => !name.startsWith("anchored")));
  writeFileSync(at("base", "model.safetensors"), safetensorsBytes(base));
  writeFileSync(at("training.jsonl"), TRAINING.map((line) => JSON.stringify(line)).join("\n"));
  await train(configured(), at("run"));
  await exportCheckpoint(at("run"), at("encoder"));
});

describe("words of training texts", () => {
  const texts = {
    query: TRAINING.slice(0, 12).map(({ query }, i) => `${query} ${TRAINING[i + 1].query} ${query} unheard`),
    // Twice as long as the model reads.
    passage: TRAINING.slice(0, 20).map(
      ({ positive, negatives }) => `${positive} ${negatives[0]} ${positive}`,
    ),
  };
  const words = new WordTable(tokenizer, { maxLength: LENGTHS });
  const lists = { query: new TokenLists(PIECES.length), passage: new TokenLists(PIECES.length) };
  for (const role of ["query", "passage"] as const) {
    for (const text of texts[role]) {
      words.add(text, role);
      lists[role].add(tokenizer.framed(tokenizer.bare(text), LENGTHS[role]));
    }
  }
  const [queries, passages] = [[...texts.query.keys()], [...texts.passage.keys()]];
  const scoresOf = async (parameters: Tensors) => {
    const lexical: ModelSettings = { ...MODEL, head: { kind: "joint", lexical: { kind: "anchored" } } };
    const trainer = await Trainer.create(lexical, parameters, { threads: 1 });
    const scores = await trainer.score({
      queries: lists.query.rows(queries),
      passages: lists.passage.rows(passages),
      passagesPerQuery: 2,
      words: words.batch(queries, passages),
    });
    await trainer.close();
    return scores;
  };

  test("with heads at 0 a score is BM25", async () => {
    const rows = bm25Rows(texts);
    const wanted = new Float32Array(queries.length * passages.length);
    addProducts(rows.queries, queries, rows.passages, passages, wanted);
    const found = await scoresOf(encoderParameters(0));
    expect(wanted.filter((score) => score > 0).length).toBeGreaterThan(20);
    for (const [i, score] of wanted.entries()) expect(found[i]).toBeCloseTo(score, 5);
  });

  test("with other heads it is the score of an index with the exported encoder", async () => {
    const parameters = encoderParameters(0.2);
    mkdirSync(at("elsewhere"), { recursive: true });
    writeFileSync(at("elsewhere", "tokenizer.json"), tokenizerJson(PIECES));
    writeFileSync(at("elsewhere", "config.json"), JSON.stringify({ num_attention_heads: 2 }));
    writeFileSync(at("elsewhere", "model.safetensors"), safetensorsBytes(parameters));
    const maxLength = LENGTHS;
    await exportBert(at("elsewhere"), at("from-elsewhere"), { pooling: "none", maxLength });
    const documents = texts.passage.map((text, i) => ({ id: String(i), text }));
    const index = await Sluice.build(documents, { encoder: at("from-elsewhere") });
    const found = await scoresOf(parameters);
    const plain = await scoresOf(encoderParameters(0));
    for (const [i, query] of queries.entries()) {
      const { hits } = await index.search(texts.query[query], { k: 100, plan: { kind: "exact" } });
      for (const [j, passage] of passages.entries()) {
        const wanted = hits.find(({ id }) => id === String(passage))?.score ?? 0;
        const score = found[i * passages.length + j];
        expect(Math.abs(score - wanted)).toBeLessThan(0.004 * Math.max(0.1, wanted)); // an index stores float16
      }
    }
    expect(found.some((score, i) => Math.abs(score - plain[i]) > 0.05)).toBe(true);
    await index.close();
  });
});

describe("training anchored heads", () => {
  test("lowers the loss from that of BM25 and vectors, and leaves the encoder as it was", async () => {
    const losses = (await readLog(at("run", "log.jsonl"))).flatMap((entry) =>
      "loss" in entry ? [(entry as StepEntry).loss] : [],
    );
    const mean = (some: readonly number[]) => some.reduce((a, b) => a + b, 0) / some.length;
    expect(mean(losses.slice(-20))).toBeLessThan(0.7 * mean(losses.slice(0, 5)));
    const { trainer } = await readCheckpoint(await findCheckpoint(at("run")));
    for (const [name, { data }] of encoderParameters(0)) {
      const { data: trained } = trainer.parameters.get(name)!;
      if (name.startsWith("anchored")) expect(trained, name).not.toEqual(data);
      else expect(trained, name).toEqual(data);
    }
    expect([...trainer.firstMoments.keys()].every((name) => name.startsWith("anchored"))).toBe(true);
  });

  test("ranks unseen passages that BM25 cannot tell apart", async () => {
    const before = await shareRight(undefined);
    expect(before).toBe(0.5);
    expect(await shareRight(at("encoder"))).toBeGreaterThan(0.8);
  });

  test("exported, in int8 as well, it gives the factors of the trainer", async () => {
    await exportCheckpoint(at("run"), at("int8"), { compute: "int8" });
    const [ours, float32, int8] = await Promise.all([
      openAnyEncoder(at("run"), { threads: 1 }),
      Encoder.open(at("encoder")),
      Encoder.open(at("int8")),
    ]);
    expect(float32.description).toMatchObject({ kind: "anchored", analyzer: "english", lambda: 0.5 });
    const gives = { weights: false, termFactors: true, vector: true };
    for (const encoder of [ours, float32, int8]) expect(encoder.gives).toEqual(gives);
    const texts = UNSEEN.slice(0, 10).flatMap(({ positive, negatives }) => [positive, ...negatives]);
    const errors: number[] = [];
    for (const role of ["query", "passage"] as const) {
      const [wanted, found, rounded] = await Promise.all(
        [ours, float32, int8].map((encoder) => encoder.encode(texts, role)),
      );
      for (const [i, { termFactors, vector }] of wanted.entries()) {
        for (const [term, factor] of termFactors!) {
          expect(found[i].termFactors!.get(term)! / factor).toBeCloseTo(1, 4);
          errors.push(Math.abs(Math.log(rounded[i].termFactors!.get(term)! / factor)));
        }
        for (const [j, x] of vector!.entries()) expect(found[i].vector![j]).toBeCloseTo(x, 4);
      }
    }
    // A model of width 32 with large random parameters loses more to int8 than a real one.
    expect(errors.reduce((a, b) => a + b) / errors.length).toBeLessThan(0.15);
    await Promise.all([ours.close(), float32.close(), int8.close()]);
  });

  test("learns from a teacher, and evaluates with the factors as they are", async () => {
    const scored = TRAINING.map((line) => ({ ...line, positive_scores: [4], negative_scores: [1] }));
    writeFileSync(at("scored.jsonl"), scored.map((line) => JSON.stringify(line)).join("\n"));
    mkdirSync(at("beir", "qrels"), { recursive: true });
    const corpus = UNSEEN.slice(0, 20).flatMap(({ positive, negatives }, i) => [
      { _id: `p${i}`, title: "", text: positive },
      { _id: `n${i}`, title: "", text: negatives[0] },
    ]);
    const asked = UNSEEN.slice(0, 20).map(({ query }, i) => ({ _id: `q${i}`, text: query }));
    const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    writeFileSync(at("beir", "corpus.jsonl"), lines(corpus));
    writeFileSync(at("beir", "queries.jsonl"), lines(asked));
    const judged = asked.map((_, i) => `q${i}\tp${i}\t1`);
    writeFileSync(at("beir", "qrels", "dev.tsv"), ["query-id\tcorpus-id\tscore", ...judged, ""].join("\n"));
    const found: number[] = [];
    const config = configured({
      data: { files: ["scored.jsonl"] },
      loss: { terms: [{ kind: "kl" }, { kind: "kl", of: "lexical", weight: 0.5 }], semanticWeight: 0.5 },
      teacher: { kind: "file" },
      steps: 80,
      evaluation: { beir: "beir", metric: "mrr@10", every: 40 },
    });
    const { loss } = await train(config, at("taught"), { onEvaluation: ({ value }) => found.push(value) });
    const [first] = (await readLog(at("taught", "log.jsonl"))) as StepEntry[];
    expect(loss).toBeLessThan(first.loss);
    expect(found.length).toBe(2);
    expect(found[1]).toBeGreaterThan(0.6);
  });

  test("refuses what has no meaning", () => {
    expect(() => configured({ optimizer: { learningRate: 1e-3 } })).toThrow(/frozen encoder/);
    expect(() => configured({ loss: { densified: 8 } })).toThrow(/"loss.densified" has no effect/);
    expect(() => configured({ headWarmUp: { steps: 1 } })).toThrow(/delade or splade/);
  });
});
