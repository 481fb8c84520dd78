// Compares the graph's heads and losses with the golden files, and its densified scores with our rows and kernels.

import { beforeAll, describe, expect, test } from "vitest";
import { golden } from "../../../../test/helpers/golden.ts";
import { Densifier } from "../../../densify/densify.ts";
import { Slicing } from "../../../densify/slicing.ts";
import { Vocabulary } from "../../../densify/vocabulary.ts";
import { loadRuntime, type Runtime } from "../../../encode/onnx/runtime.ts";
import { mulberry32 } from "../../../support/numbers/random.ts";
import { Graph, type Tensor } from "../graph/graph.ts";
import { linear } from "../graph/matmul.ts";
import { pooledProbabilities } from "../graph/pooling.ts";
import { Session } from "../graph/session.ts";
import { splade, tokenWeights } from "../model/head-graphs.ts";
import type { LossSettings, LossTerm } from "../model/settings.ts";
import { flopsWeight, lossOf } from "./loss.ts";
import { scores } from "./scores.ts";

/** The loss of the paper's reference code for distillation: the fused scores and each part. */
const THREE_TERMS: readonly LossTerm[] = [
  { kind: "kl" },
  { kind: "kl", of: "semantic", weight: 0.5, teacherScale: 0.75 },
  { kind: "kl", of: "lexical", weight: 0.5, teacherScale: 0.25 },
];

let runtime: Runtime;
beforeAll(async () => {
  runtime = await loadRuntime();
});

type Numbers = number | readonly Numbers[];

const shapeOf = (values: Numbers): number[] =>
  typeof values === "number" ? [] : [values.length, ...shapeOf(values[0])];
const flatten = (values: Numbers): number[] =>
  typeof values === "number" ? [values] : values.flatMap(flatten);

function constant(graph: Graph, values: Numbers): Tensor {
  const bytes = new Uint8Array(Float32Array.from(flatten(values)).buffer);
  return graph.constant("float32", shapeOf(values), bytes);
}

async function run(graph: Graph, outputs: Record<string, Tensor>): Promise<Record<string, Float32Array>> {
  const session = await Session.open(runtime, graph.written(outputs), { provider: "cpu", threads: 1 });
  const values = await session.run({});
  return Object.fromEntries(Object.entries(values).map(([name, { data }]) => [name, data as Float32Array]));
}

function close(found: Float32Array, expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  for (const [i, x] of expected.entries()) expect(found[i]).toBeCloseTo(x, 5);
}

describe("heads, golden", () => {
  const { cases, W, b, cls_proj_W, cls_proj_b } = golden("heads.json");

  // biome-ignore lint/suspicious/noExplicitAny: the shape is the golden's own
  test.each<{ name: string } & Record<string, any>>(cases)("$name", async (each) => {
    const { hidden, logits, mask } = each;
    const graph = new Graph();
    const parameters: Record<string, Tensor> = {
      "lexical.weight.weight": constant(graph, [W]),
      "lexical.weight.bias": constant(graph, [b]),
    };
    const weights = tokenWeights(
      constant(graph, [hidden.slice(1)]),
      constant(graph, [mask.slice(1)]),
      (name) => parameters[name],
    );
    const found = await run(graph, {
      weights,
      delade: pooledProbabilities(constant(graph, [logits.slice(1)]), weights),
      without: splade(constant(graph, [logits.slice(1)]), constant(graph, [mask.slice(1)])),
      all: splade(constant(graph, [logits]), constant(graph, [mask])),
      projected: linear(
        constant(graph, [hidden[0]]),
        constant(graph, cls_proj_W),
        constant(graph, cls_proj_b),
      ),
    });
    close(
      found.weights,
      each.term_weight.slice(1).map((weight: number, i: number) => weight * mask[i + 1]),
    );
    close(
      found.delade,
      each.delade.map((weight: number) => Math.max(0, weight)),
    );
    close(found.without, each.splade_max_without_cls);
    close(found.all, each.splade_max_all_positions);
    close(found.projected, each.cls_projected);
  });
});

describe("losses, golden", () => {
  const expected = golden("losses.json");
  const { B, n } = expected;
  const positives = Array.from({ length: B }, (_, i) =>
    Array.from({ length: B * n }, (_, j) => (j === i * n ? 1 : 0)),
  );
  const turned = (matrix: number[][]) => matrix[0].map((_, j) => matrix.map((row) => row[j]));
  const unitMatrix = Array.from({ length: B }, (_, i) =>
    Array.from({ length: B }, (_, j) => (i === j ? 1 : 0)),
  );

  /** Queries are unit vectors, so the passages are the columns of the wanted scores. */
  async function losses(settings: LossSettings, teacher = expected.teacher_scores) {
    const graph = new Graph();
    const side = (lexical: Numbers, semantic: Numbers) => ({
      lexical: constant(graph, lexical),
      semantic: constant(graph, semantic),
    });
    const { loss, parts, scores } = lossOf(
      side(unitMatrix, unitMatrix),
      side(turned(expected.lexical_scores), turned(expected.semantic_scores)),
      {
        positives: constant(graph, positives),
        teacher: constant(graph, teacher),
        flopsQuery: graph.number(0),
        flopsPassage: graph.number(1),
      },
      settings,
    );
    return run(graph, { loss, scores: scores.fused, ...parts });
  }

  test("scores are sums of the parts'", async () => {
    close((await losses({})).scores, expected.scores.flat());
    const { scores } = await losses({ semanticWeight: 2 });
    close(
      scores,
      expected.scores.flat().map((score: number, i: number) => score + expected.semantic_scores.flat()[i]),
    );
  });

  test("the paper's NLL", async () => {
    const { loss, nll } = await losses({});
    close(loss, [expected.nll]);
    close(nll, [expected.nll]);
  });

  test("distillation: of the fused scores, of each part, of the three together", async () => {
    const found = await losses({ terms: THREE_TERMS });
    close(found.kl, [expected.kd_fused]);
    close(found["kl semantic"], [expected.kd_semantic / 2]);
    close(found["kl lexical"], [expected.kd_lexical / 2]);
    close(found.loss, [expected.reference_tct_total]);
  });

  test("margins of pairs as a matrix", async () => {
    close((await losses({ terms: [{ kind: "kl" }] }, expected.pairwise_teacher_in_batch)).loss, [
      expected.kd_pairwise,
    ]);
  });

  test("terms weigh what they are given, and scores are scaled", async () => {
    const both = await losses({ terms: [{ kind: "nll", weight: 2 }, { kind: "kl" }] });
    close(both.loss, [2 * expected.nll + expected.kd_fused]);
    const cold = await losses({ terms: [{ kind: "nll", scale: 0 }] });
    close(cold.loss, [Math.log(B * n)]);
  });

  test("FLOPS and its schedule", async () => {
    const graph = new Graph();
    const side = { lexical: constant(graph, expected.flops_batch) };
    const targets = {
      positives: constant(graph, [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ]),
      flopsQuery: graph.number(2),
      flopsPassage: graph.number(3),
    };
    const settings = { flops: { query: 1, passage: 1, steps: 1 } };
    const { parts, loss } = lossOf(side, side, targets, settings);
    const found = await run(graph, { ...parts, loss });
    close(found.flops, [5 * expected.flops]);
    close(found.loss, [found.nll[0] + found.flops[0]]);
    for (const { lambda, T, t, value } of expected.flops_lambda) {
      expect(flopsWeight(lambda, t, T)).toBeCloseTo(value, 15);
    }
  });
});

describe("densified scores", () => {
  const words = ["[PAD]", "[CLS]", ...Array.from({ length: 35 }, (_, i) => `w${i}`)];
  const vocabulary = new Vocabulary(words);

  test.each([
    { strategy: "stride", dims: 7 },
    { strategy: "contiguous", dims: 5 },
    { strategy: "random", dims: 8, seed: 3 },
    { strategy: "full" },
  ] as const)("$strategy: the same as rows and their gated inner product", async (options) => {
    const slicing = new Slicing(vocabulary, options);
    const random = mulberry32(5);
    // Weights differ from each other and are exact in float16.
    const weights = () =>
      words.map((_, id) => (random() < 0.3 ? 0 : (id + 64 * Math.floor(random() * 8)) / 64));
    const [queries, passages] = [
      [weights(), weights()],
      [weights(), weights(), weights()],
    ];
    const graph = new Graph();
    const { fused } = scores(
      { lexical: constant(graph, queries) },
      { lexical: constant(graph, passages) },
      { densified: slicing },
    );
    const found = await run(graph, { fused });
    const densifier = new Densifier(slicing);
    const row = (weights: number[]) => {
      const { row } = densifier.densify({ ids: weights.map((_, id) => id), weights });
      return new Map(Array.from(row.slices, (slice, i) => [`${slice} ${row.indices[i]}`, row.values[i]]));
    };
    const expected = queries.flatMap((query) => {
      const asked = row(query);
      return passages.map((passage) =>
        Array.from(row(passage), ([cell, value]) => value * (asked.get(cell) ?? 0)).reduce(
          (a, b) => a + b,
          0,
        ),
      );
    });
    expect(expected.some((score) => score > 0)).toBe(true);
    close(found.fused, expected);
  });
});
