// Compares the loss and the gradients of tiny models, one for each head, with jax-js and with finite differences.

import { defaultDevice, init, type Array as JaxArray, numpy as np, valueAndGrad } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import { jaxLoss } from "../../../../test/helpers/jax-model.ts";
import { Slicing } from "../../../densify/slicing.ts";
import { Vocabulary } from "../../../densify/vocabulary.ts";
import { loadRuntime, type Runtime } from "../../../encode/onnx/runtime.ts";
import { mulberry32 } from "../../../support/numbers/random.ts";
import type { Batch, Tensors, TokenRows, WordRows } from "../data/batch.ts";
import { Session, type Values } from "../graph/session.ts";
import { Feeds } from "../step/feeds.ts";
import { wholeGraph } from "../step/graphs.ts";
import { checkParameters, initialParameters, parametersOf, trainedParametersOf } from "./parameters.ts";
import type { Head, LossSettings, ModelSettings } from "./settings.ts";

let runtime: Runtime;
beforeAll(async () => {
  runtime = await loadRuntime();
  await init("wasm");
  defaultDevice("wasm");
});

const ENCODER = { vocabulary: 13, width: 8, layers: 1, heads: 2, ffn: 12, positions: 9 };

const HEADS: Record<string, Head> = {
  DeLADE: { kind: "joint", lexical: { kind: "delade" } },
  "DeLADE+[CLS]": {
    kind: "joint",
    lexical: { kind: "delade" },
    semantic: { pooling: "cls", width: 3 },
  },
  "DeLADE and the scaled mean": {
    kind: "joint",
    lexical: { kind: "delade" },
    semantic: { pooling: "mean", normalize: true, scale: true },
  },
  SPLADE: { kind: "joint", lexical: { kind: "splade" } },
  "SPLADE without [CLS]": { kind: "joint", lexical: { kind: "splade", withoutCls: true } },
  uniCOIL: { kind: "joint", lexical: { kind: "unicoil" } },
  Anchored: { kind: "joint", lexical: { kind: "anchored" } },
  "Anchored, with a vector": {
    kind: "joint",
    lexical: { kind: "anchored" },
    semantic: { pooling: "cls", normalize: true, scale: true },
  },
  "Dense, [CLS]": { kind: "joint", semantic: { pooling: "cls" } },
  "Dense, mean, projected": { kind: "joint", semantic: { pooling: "mean", width: 5 } },
  ColBERT: { kind: "colbert", width: 6 },
};

/** Random rows of these lengths, padded to a width. */
function texts(random: () => number, width: number, lengths: readonly number[]): TokenRows {
  const ids = new Int32Array(lengths.length * width);
  lengths.forEach((length, row) => {
    // Few different tokens, so that queries and passages share some.
    for (let at = 0; at < length; at++) ids[row * width + at] = 1 + Math.floor(random() * 5);
  });
  return { rows: lengths.length, width, ids, lengths: Int32Array.from(lengths) };
}

function batch(seed: number): Batch {
  const random = mulberry32(seed);
  return {
    queries: texts(random, 4, [4, 3]),
    passages: texts(random, 6, [6, 4, 5, 2]),
    passagesPerQuery: 2,
    words: {
      idf: Float32Array.of(1.5, 0.3, 0.8),
      query: words(random, [4, 3], 3),
      passage: words(random, [6, 4, 5, 2], 5),
    },
  };
}

/** Random words of texts of these lengths: some share a term, some a piece, and some are not read. */
function words(random: () => number, lengths: readonly number[], width: number): WordRows {
  const below = (limit: number) => Math.floor(random() * limit);
  const each = lengths.flatMap((length) => Array.from({ length: width }, () => length));
  const at = Int32Array.from(each, (length) => below(length));
  const terms = Int32Array.from(each, () => below(3));
  const shares = Float32Array.from(each, () => (random() < 0.2 ? 0 : random()));
  const read = Float32Array.from(each, () => (random() < 0.2 ? 0 : 1));
  const means = read.map((isRead) => isRead / width);
  return { rows: lengths.length, width, at, terms, shares, read, means };
}

/** Larger than the initial parameters of a run, so that every part of the model matters. */
function parameters(model: ModelSettings): Tensors {
  const random = mulberry32(11);
  return new Map(
    Array.from(initialParameters(model, 7), ([name, { shape, data }]) => [
      name,
      // Exponents stay small: differences of large factors are lost in rounding.
      { shape, data: data.map((x) => x + (/anchored\.(p|q)/.test(name) ? 0.06 : 0.6) * (random() - 0.5)) },
    ]),
  );
}

function feeds(held: Tensors, { queries, passages, passagesPerQuery, words }: Batch) {
  const { Tensor } = runtime;
  const side = (name: string, { rows, width, ids, lengths }: TokenRows) => ({
    [`${name}.ids`]: new Tensor("int32", ids, [rows, width]),
    [`${name}.mask`]: new Tensor(
      "float32",
      Float32Array.from(ids, (_, i) => (i % width < lengths[Math.floor(i / width)] ? 1 : 0)),
      [rows, width],
    ),
  });
  const positives = new Float32Array(queries.rows * passages.rows);
  for (let i = 0; i < queries.rows; i++) positives[i * passages.rows + i * passagesPerQuery] = 1;
  return {
    ...side("query", queries),
    ...side("passage", passages),
    ...new Feeds(runtime, { encoder: ENCODER, head: HEADS.Anchored }).words(words!),
    positives: new Tensor("float32", positives, [queries.rows, passages.rows]),
    ...Object.fromEntries(
      Array.from(held, ([name, { shape, data }]) => [name, new Tensor("float32", data, shape)]),
    ),
  };
}

async function open(model: ModelSettings, loss: LossSettings = {}): Promise<Session> {
  return Session.open(runtime, wholeGraph(model, loss), { provider: "cpu", threads: 1 });
}

/** Compares the largest gradient of each parameter with finite differences of the loss. */
async function checkDifferences(
  session: Session,
  model: ModelSettings,
  held: Tensors,
  given: Batch,
  more: Values = {},
): Promise<void> {
  const at = await session.run({ ...feeds(held, given), ...more });
  const lossAt = async (name: string, i: number, value: number) => {
    const data = held.get(name)!.data.slice();
    data[i] = value;
    const moved = new Map([...held, [name, { shape: held.get(name)!.shape, data }]]);
    return ((await session.run({ ...feeds(moved, given), ...more })).loss.data as Float32Array)[0];
  };
  for (const { name } of trainedParametersOf(model)) {
    const gradient = at[`gradient.${name}`].data as Float32Array;
    const i = gradient.reduce((best, x, i) => (Math.abs(x) > Math.abs(gradient[best]) ? i : best), 0);
    const { data } = held.get(name)!;
    const [above, below] = [Math.fround(data[i] + 2 ** -9), Math.fround(data[i] - 2 ** -9)];
    const slope = ((await lossAt(name, i, above)) - (await lossAt(name, i, below))) / (above - below);
    const error = Math.abs(gradient[i] - slope) / Math.max(1, Math.abs(slope));
    expect(error, `${name}: ${gradient[i]}, differences ${slope}`).toBeLessThan(1e-3);
  }
}

describe.each(Object.entries(HEADS))("%s", (name, head) => {
  // ColBERT's scores are sums of 32 terms. Finite differences of such a large loss are lost in rounding.
  const scale = head.kind === "colbert" ? 1 / 32 : 1;
  const layers = name === "DeLADE+[CLS]" ? 2 : 1;
  const model: ModelSettings = { encoder: { ...ENCODER, layers }, head, frozenWordEmbeddings: false };

  test("loss and gradients match jax-js, and the largest gradients match finite differences", async () => {
    const held = parameters(model);
    const given = batch(3);
    const session = await open(model, { terms: [{ kind: "nll", scale }] });
    const found = await session.run(feeds(held, given));
    const names = [...held.keys()];
    const arrays = names.map((name) => {
      const { shape, data } = held.get(name)!;
      return np.array(data).reshape([...shape]);
    });
    const [loss, gradients] = valueAndGrad((each: JaxArray[]) =>
      jaxLoss(model, (name) => each[names.indexOf(name)].ref, given, scale),
    )(arrays);
    expect((found.loss.data as Float32Array)[0]).toBeCloseTo((await loss.data())[0], 4);
    for (const [at, name] of names.entries()) {
      const expected = await gradients[at].data();
      const ours = found[`gradient.${name}`].data as Float32Array;
      expect(ours.length).toBe(expected.length);
      expect(ours.some((x) => x !== 0) || ZERO.test(name), `${name} has no gradient`).toBe(true);
      for (const [i, x] of ours.entries()) {
        const error = Math.abs(x - expected[i]) / Math.max(1, Math.abs(expected[i]));
        expect(error, `${name}[${i}]: ${x} instead of ${expected[i]}`).toBeLessThan(1e-4);
      }
    }
    await checkDifferences(session, model, held, given);
  });
});

/** A bias of all keys changes all scores of a query by the same amount, so its gradient is 0. */
const ZERO = /attention\.self\.key\.bias$/;

test("the gradients of densified scores, distillation and FLOPS match finite differences", async () => {
  const head = HEADS["DeLADE+[CLS]"];
  const model: ModelSettings = { encoder: ENCODER, head, frozenWordEmbeddings: false };
  const words = new Vocabulary(Array.from({ length: ENCODER.vocabulary }, (_, i) => `w${i}`));
  const session = await open(model, {
    densified: new Slicing(words, { strategy: "stride", dims: 4 }),
    terms: [
      { kind: "nll" },
      { kind: "kl" },
      { kind: "kl", of: "semantic", weight: 0.5, teacherScale: 0.75 },
      { kind: "kl", of: "lexical", weight: 0.5, teacherScale: 0.25 },
    ],
    flops: { query: 1, passage: 1, steps: 1 },
  });
  const { Tensor } = runtime;
  const given = batch(4);
  const teacher = Float32Array.from({ length: 8 }, (_, i) => Math.cos(i));
  await checkDifferences(session, model, parameters(model), given, {
    teacher: new Tensor("float32", teacher, [2, 4]),
    flopsQuery: new Tensor("float32", Float32Array.of(0.5), []),
    flopsPassage: new Tensor("float32", Float32Array.of(0.25), []),
  });
});

test("word embeddings are frozen by default", async () => {
  const session = await open({ encoder: ENCODER, head: HEADS.DeLADE });
  expect(session.outputs).not.toContain("gradient.embeddings.word_embeddings.weight");
  expect(session.outputs).toContain("gradient.lexical.bias");
});

test("a frozen encoder has no gradients", async () => {
  const session = await open({
    encoder: ENCODER,
    head: HEADS["Anchored, with a vector"],
    frozenEncoder: true,
  });
  const trained = session.outputs.filter((name) => name.startsWith("gradient."));
  expect(trained.length).toBe(9);
  expect(trained.every((name) => /^gradient\.(anchored|semantic)\./.test(name))).toBe(true);
});

describe("parameters", () => {
  const model: ModelSettings = { encoder: ENCODER, head: HEADS["DeLADE and the scaled mean"] };

  test("the same seed gives the same values, another seed gives others", () => {
    const [a, b, c] = [initialParameters(model, 1), initialParameters(model, 1), initialParameters(model, 2)];
    const name = "encoder.layer.0.intermediate.dense.weight";
    expect(a).toEqual(b);
    expect(a.get(name)!.data).not.toEqual(c.get(name)!.data);
    const { data } = a.get(name)!;
    const variance = data.reduce((sum, x) => sum + x * x, 0) / data.length;
    expect(Math.sqrt(variance)).toBeGreaterThan(0.01);
    expect(Math.sqrt(variance)).toBeLessThan(0.03);
  });

  test("values of a checkpoint are used, also with the prefix bert.; missing ones are made from the seed", () => {
    const shape = [ENCODER.width];
    const held = { shape, data: new Float32Array(ENCODER.width).fill(5) };
    const begun = initialParameters(model, 1, new Map([["bert.embeddings.LayerNorm.bias", held]]));
    expect(begun.get("embeddings.LayerNorm.bias")!.data).toEqual(held.data);
    expect(begun.get("embeddings.LayerNorm.weight")!.data[0]).toBe(1);
    expect(begun.get("semantic.scale")).toEqual({ shape: [], data: Float32Array.of(3) });
    expect([...begun.keys()]).toEqual(parametersOf(model).map(({ name }) => name));
  });

  test("a wrong or missing parameter is refused by name", () => {
    const wrong = new Map([["lexical.bias", { shape: [14], data: new Float32Array(14) }]]);
    expect(() => initialParameters(model, 1, wrong)).toThrow("lexical.bias is 14, but the model needs 13");
    expect(() => checkParameters(model, new Map())).toThrow("lack embeddings.word_embeddings.weight");
  });
});
