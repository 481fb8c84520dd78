import { describe, expect, test } from "vitest";
import "../../../../test/helpers/swiftshader.ts";
import { mulberry32 } from "../../../support/numbers/random.ts";
import type { Batch, Tensors, TokenRows } from "../data/batch.ts";
import { initialParameters } from "../model/parameters.ts";
import type { Head, ModelSettings } from "../model/settings.ts";
import { Trainer, type TrainerOptions } from "./trainer.ts";

const ENCODER = { vocabulary: 50, width: 16, layers: 2, heads: 2, ffn: 24, positions: 40 };
const JOINT: Head = {
  kind: "joint",
  lexical: { kind: "delade" },
  semantic: { pooling: "mean", normalize: true, scale: true },
};
const MODEL: ModelSettings = { encoder: ENCODER, head: JOINT };
const RATES = { encoder: 1e-3, heads: 2e-3 };

function texts(random: () => number, rows: number, longest: number): TokenRows {
  const lengths = Int32Array.from({ length: rows }, () => 2 + Math.floor(random() * (longest - 1)));
  const width = Math.max(...lengths);
  const ids = new Int32Array(rows * width);
  lengths.forEach((length, row) => {
    for (let at = 0; at < length; at++) ids[row * width + at] = 1 + Math.floor(random() * 49);
  });
  return { rows, width, ids, lengths };
}

/** A query's positive begins with the query's tokens. */
function batch(seed: number, queries = 4, passagesPerQuery = 2): Batch {
  const random = mulberry32(seed);
  const asked = texts(random, queries, 9);
  const answers = texts(random, queries * passagesPerQuery, 30);
  for (let i = 0; i < queries; i++) {
    const row = i * passagesPerQuery;
    const shared = Math.min(asked.lengths[i], answers.lengths[row]);
    answers.ids.set(asked.ids.subarray(i * asked.width, i * asked.width + shared), row * answers.width);
  }
  const words = (texts: TokenRows) => ({
    rows: texts.rows,
    width: texts.width,
    at: texts.ids.map((_, i) => Math.min(i % texts.width, texts.lengths[Math.floor(i / texts.width)] - 1)),
    terms: texts.ids.map((id) => id % 7),
    shares: Float32Array.from(texts.ids, (id) => (id % 5) / 50),
    read: Float32Array.from(texts.ids, (id) => (id % 3 === 0 ? 0 : 1)),
    means: Float32Array.from(texts.ids, (id) => (id % 3 === 0 ? 0 : 1 / texts.width)),
  });
  return {
    queries: asked,
    passages: answers,
    passagesPerQuery,
    words: {
      idf: Float32Array.from({ length: 7 }, (_, i) => 1 + i / 3),
      query: words(asked),
      passage: words(answers),
    },
  };
}

/** Initial parameters with noise, so that the lexical head has an effect. */
function parameters(model: ModelSettings, seed = 5): Tensors {
  const random = mulberry32(seed);
  return new Map(
    Array.from(initialParameters(model, seed), ([name, { shape, data }]) => [
      name,
      { shape, data: data.map((x) => x + (/anchored\.(p|q)/.test(name) ? 0.04 : 0.4) * (random() - 0.5)) },
    ]),
  );
}

const create = (options: TrainerOptions = {}, model = MODEL) =>
  Trainer.create(model, parameters(model), { threads: 1, ...options });

async function lossesOf(trainer: Trainer, steps: number, from = 0): Promise<number[]> {
  const losses: number[] = [];
  for (let i = 0; i < steps; i++) losses.push((await trainer.step(batch(from + i), RATES)).loss);
  return losses;
}

/** The largest difference of any parameter. */
function apart(a: Tensors, b: Tensors): number {
  let most = 0;
  for (const [name, { data }] of a) {
    for (const [i, x] of b.get(name)!.data.entries()) most = Math.max(most, Math.abs(x - data[i]));
  }
  return most;
}

describe("chunks", () => {
  const HEADS: Record<string, Head> = {
    "DeLADE and a vector": JOINT,
    uniCOIL: { kind: "joint", lexical: { kind: "unicoil" } },
    ColBERT: { kind: "colbert", width: 6 },
    "anchored, and a vector": {
      kind: "joint",
      lexical: { kind: "anchored" },
      semantic: { pooling: "cls", normalize: true },
    },
  };

  test.each(Object.entries(HEADS))("%s: give the same step as the whole batch", async (_, head) => {
    const model: ModelSettings = { encoder: ENCODER, head, frozenWordEmbeddings: false };
    const optimizer = { clip: Number.POSITIVE_INFINITY };
    const [whole, chunked] = [
      await create({ optimizer }, model),
      await create({ optimizer, chunkPositions: 64 }, model),
    ];
    const given = batch(1);
    const [one, many] = [await whole.step(given, RATES), await chunked.step(given, RATES)];
    expect(many.loss).toBeCloseTo(one.loss, 5);
    expect(many.gradientNorm / one.gradientNorm).toBeCloseTo(1, 4);
    const [a, b] = [await whole.copyState(), await chunked.copyState()];
    // The first moment of the first step is a tenth of the gradient.
    for (const [name, { data }] of a.firstMoments) {
      const other = b.firstMoments.get(name)!.data;
      const scale = data.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-6);
      for (const [i, x] of data.entries()) expect(Math.abs(x - other[i]) / scale, name).toBeLessThan(1e-3);
    }
    for (const trainer of [whole, chunked]) await trainer.close();
  });

  test("a text longer than a chunk gets a chunk of its own", async () => {
    const trainer = await create({ chunkPositions: 8 });
    const whole = await create();
    const given = batch(2);
    const [a, b] = [await trainer.score(given), await whole.score(given)];
    for (const [i, score] of a.entries()) expect(score).toBeCloseTo(b[i], 4);
  });
});

describe("a run", () => {
  test("repeats bit for bit on one thread, and continues exactly from a saved state", async () => {
    const [a, b] = [await create(), await create()];
    const losses = await lossesOf(a, 5);
    expect(await lossesOf(b, 3)).toEqual(losses.slice(0, 3));
    const state = await b.copyState();
    expect(state.step).toBe(3);
    const resumed = await Trainer.create(MODEL, initialParameters(MODEL, 99), { threads: 1 });
    await resumed.restore(state);
    expect(resumed.steps).toBe(3);
    expect(await lossesOf(resumed, 2, 3)).toEqual(losses.slice(3));
    expect(await resumed.copyState()).toEqual(await a.copyState());
  });

  test("in chunks repeats bit for bit too", async () => {
    const options = { chunkPositions: 100 };
    expect(await lossesOf(await create(options), 3)).toEqual(await lossesOf(await create(options), 3));
  });

  test("learns: the loss falls on a repeated batch", async () => {
    const trainer = await create();
    const given = batch(3, 6);
    const first = await trainer.step(given, RATES);
    let last = first;
    for (let i = 0; i < 40; i++) last = await trainer.step(given, { encoder: 1e-2, heads: 1e-2 });
    expect(first.loss).toBeGreaterThan(1);
    expect(last.loss).toBeLessThan(0.2);
  });

  test("reports the parts of its loss", async () => {
    const teacher = Float32Array.from({ length: 4 * 8 }, (_, i) => (i * 7) % 5);
    const trainer = await create({
      loss: {
        terms: [{ kind: "nll" }, { kind: "kl", weight: 0.5 }, { kind: "nll", of: "lexical" }],
        flops: { query: 0.1, passage: 0.2, steps: 10 },
      },
    });
    const { loss, parts } = await trainer.step({ ...batch(1), teacher }, RATES);
    expect(Object.keys(parts).sort()).toEqual(["flops", "kl", "nll", "nll lexical"]);
    expect(Object.values(parts).reduce((a, b) => a + b)).toBeCloseTo(loss, 5);
  });

  test("rates of 0 leave a group as it is", async () => {
    const trainer = await create();
    const before = await trainer.copyState();
    await trainer.step(batch(1), { encoder: 0, heads: 1e-2 });
    const after = await trainer.copyState();
    const same = (name: string) => expect(after.parameters.get(name), name);
    same("encoder.layer.0.output.dense.weight").toEqual(
      before.parameters.get("encoder.layer.0.output.dense.weight"),
    );
    same("lexical.bias").not.toEqual(before.parameters.get("lexical.bias"));
    same("embeddings.word_embeddings.weight").toEqual(
      before.parameters.get("embeddings.word_embeddings.weight"),
    );
    expect(after.firstMoments.has("embeddings.word_embeddings.weight")).toBe(false);
  });
});

describe("encodings", () => {
  test("scores are those of the encodings, whatever the chunks", async () => {
    const trainer = await create({ chunkPositions: 60 });
    const given = batch(6);
    const scores = await trainer.score(given);
    const [queries, passages] = [
      await trainer.encode(given.queries, "query", 0),
      await trainer.encode(given.passages, "passage", 0),
    ];
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 8; j++) {
        const [q, p] = [queries.lexical![i], passages.lexical![j]];
        const weights = new Map(Array.from(p.ids, (id, at) => [id, p.weights[at]]));
        const lexical = q.ids.reduce((sum, id, at) => sum + q.weights[at] * (weights.get(id) ?? 0), 0);
        const semantic = queries.semantic![i].reduce((sum, x, at) => sum + x * passages.semantic![j][at], 0);
        expect(scores[i * 8 + j]).toBeCloseTo(lexical + semantic, 4);
      }
    }
  });

  test("weights up to the threshold are left out, ids ascend", async () => {
    const trainer = await create();
    const { lexical } = await trainer.encode(batch(6).queries, "query", 0.01);
    expect(lexical).toHaveLength(4);
    for (const { ids, weights } of lexical!) {
      expect(weights.every((weight) => weight > 0.01)).toBe(true);
      expect([...ids]).toEqual([...ids].sort((a, b) => a - b));
    }
  });

  test("a ColBERT model has scores and no encodings", async () => {
    const trainer = await create({}, { encoder: ENCODER, head: { kind: "colbert", width: 4 } });
    expect(await trainer.score(batch(1))).toHaveLength(4 * 8);
    await expect(trainer.encode(batch(1).queries, "query")).rejects.toThrow("no vector of a text");
  });
});

describe("a masked-LM head", () => {
  const random = mulberry32(8);
  const read = texts(random, 12, 20);
  const at = Int32Array.from(read.lengths, (_, row) => row * read.width + 1);
  const labels = Int32Array.from(at, (place) => read.ids[place]);
  const given = { texts: { ...read, ids: read.ids.map((id, i) => (at.includes(i) ? 0 : id)) }, at, labels };

  test("learns the masked tokens, in chunks and in one piece", async () => {
    const [whole, chunked] = [await create(), await create({ chunkPositions: 50 })];
    const [one, many] = [await whole.warmUp(given, RATES), await chunked.warmUp(given, RATES)];
    expect(many.loss).toBeCloseTo(one.loss, 5);
    expect(many.gradientNorm / one.gradientNorm).toBeCloseTo(1, 4);
    expect(one.parts).toEqual({ mlm: one.loss });
    let last = one;
    for (let i = 0; i < 60; i++) last = await whole.warmUp(given, { encoder: 1e-2, heads: 1e-2 });
    expect(last.loss).toBeLessThan(one.loss / 2);
  });

  test("learns the target weights of tokens, in chunks and in one piece", async () => {
    const places = Array.from(read.lengths, (length, row) =>
      Array.from({ length: length - 1 }, (_, i) => row * read.width + i + 1),
    ).flat();
    const weights = Float32Array.from(places, (place) => (read.ids[place] % 7) / 7);
    // Only one text has masked tokens. The other chunks have none and still count for the weights.
    const few = { ...given, at: at.subarray(0, 1), labels: labels.subarray(0, 1) };
    const weighed = { ...few, weighed: { at: Int32Array.from(places), weights } };
    const [whole, chunked] = [await create(), await create({ chunkPositions: 50 })];
    const [one, many] = [await whole.warmUp(weighed, RATES), await chunked.warmUp(weighed, RATES)];
    expect(one.parts.weights).toBeGreaterThan(0.01);
    expect(one.loss).toBeCloseTo(one.parts.mlm + one.parts.weights, 5);
    expect(many.parts.weights).toBeCloseTo(one.parts.weights, 5);
    expect(many.parts.mlm).toBeCloseTo(one.parts.mlm, 5);
    expect(many.gradientNorm / one.gradientNorm).toBeCloseTo(1, 4);
    let last = one;
    for (let i = 0; i < 80; i++) last = await whole.warmUp(weighed, { encoder: 1e-2, heads: 1e-2 });
    expect(last.parts.weights).toBeLessThan(one.parts.weights / 4);
  });
});

describe("bad input", () => {
  test("a NaN or infinite loss stops the step before anything changes", async () => {
    const trainer = await create({ loss: { terms: [{ kind: "nll", scale: 1e38 }] } });
    const before = await trainer.copyState();
    await expect(trainer.step(batch(1), RATES)).rejects.toThrow(/the loss is (NaN|Infinity) at step 1/);
    expect(await trainer.copyState()).toEqual(before);
  });

  test("a state of another model", async () => {
    const trainer = await create();
    const other = await create({}, { encoder: { ...ENCODER, width: 8 }, head: JOINT });
    const before = await trainer.copyState();
    await expect(trainer.restore(await other.copyState())).rejects.toThrow("expected");
    await expect(trainer.restore({ ...before, secondMoments: new Map() })).rejects.toThrow("are missing");
    expect(await trainer.copyState()).toEqual(before);
  });
});

test("a GPU does the same steps", async (context) => {
  const head: Head = { kind: "joint", lexical: { kind: "delade" } };
  const model: ModelSettings = { encoder: { ...ENCODER, layers: 1 }, head };
  const optimizer = { weightDecay: 0.1 };
  const host = await create({ optimizer }, model);
  let device: Trainer;
  try {
    device = await create({ optimizer, provider: "webgpu", chunkPositions: 100 }, model);
  } catch (error) {
    return context.skip(`no GPU: ${(error as Error).message}`);
  }
  const given = batch(1);
  const [a, b] = [await host.step(given, RATES), await device.step(given, RATES)];
  expect(b.loss).toBeCloseTo(a.loss, 4);
  expect(b.gradientNorm / a.gradientNorm).toBeCloseTo(1, 3);
  const [there, here] = [await device.copyState(), await host.copyState()];
  expect(there.step).toBe(1);
  expect(apart(there.firstMoments, here.firstMoments)).toBeLessThan(1e-4);
  expect(apart(there.parameters, here.parameters)).toBeLessThan(RATES.heads * 2);
  await device.restore(here);
  expect(await device.copyState()).toEqual(here);
  await device.close();
});
