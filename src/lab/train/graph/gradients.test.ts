// Compares every operation's gradient with finite differences of the graph itself and with jax-js, an independent
// implementation.

import { defaultDevice, grad, init, type Array as JaxArray, nn, numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import { loadRuntime, type Runtime } from "../../../encode/onnx/runtime.ts";
import { mulberry32 } from "../../../support/numbers/random.ts";
import { columnsOf, first, flat, reshape, rowsOf, sliceFrom, transpose } from "./arrange.ts";
import { abs, add, div, exp, gelu, log, mul, relu, sub } from "./elementwise.ts";
import { Graph, type Tensor } from "./graph.ts";
import { linear, matmul } from "./matmul.ts";
import { layerNorm, logSoftmax, logSumExp, softmax, unit } from "./normalize.ts";
import { pooledProbabilities, pooledTokens } from "./pooling.ts";
import { max, mean, sum, total } from "./reduce.ts";
import { Session } from "./session.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await loadRuntime();
  await init("wasm");
  defaultDevice("wasm");
});

interface Operation {
  readonly shapes: readonly (readonly number[])[];
  /** `shapes` with names for axes that are unknown when the graph is built. */
  readonly unknown?: readonly (readonly (number | string)[])[];
  build(inputs: readonly Tensor[]): Tensor;
  jax(inputs: readonly JaxArray[]): JaxArray;
  /** Draws a number that the operation is defined for. */
  values?(random: () => number): number;
}

const IDS = [1, 3, 1, 0, 2, 2];
const COLUMNS = Int32Array.of(3, -1, 0, 2);

function ids(graph: Graph, shape: readonly number[]): Tensor {
  return graph.constant("int64", shape, new Uint8Array(BigInt64Array.from(IDS, BigInt).buffer));
}

/** Rows of a unit matrix. */
const oneHot = (numbers: readonly number[], classes: number) =>
  np.array(numbers.map((number) => Array.from({ length: classes }, (_, i) => (i === number ? 1 : 0))));

/** Scores of DeLADE's head as a plain formula. */
const pooled = (logits: JaxArray, weights: JaxArray) =>
  nn.relu(np.max(nn.softmax(logits, -1).mul(weights), 1, { keepdims: true }));

const positive = (random: () => number) => 0.5 + random();

const OPERATIONS: Record<string, Operation> = {
  add: binary(add, (a, b) => a.add(b)),
  sub: binary(sub, (a, b) => a.sub(b)),
  mul: binary(mul, (a, b) => a.mul(b)),
  div: { ...binary(div, (a, b) => a.div(b)), values: positive },
  "mul by a number": unary(
    (a) => mul(a, 3),
    (a) => a.mul(3),
  ),
  "mul, both broadcast": {
    ...binary(mul, (a, b) => a.mul(b)),
    shapes: [
      [3, 1],
      [1, 4],
    ],
  },
  "add of one number": { ...binary(add, (a, b) => a.add(b)), shapes: [[2, 3], []] },
  exp: unary(exp, np.exp),
  log: { ...unary(log, np.log), values: positive },
  abs: unary(abs, np.abs),
  relu: unary(relu, nn.relu),
  gelu: unary(gelu, (a) => nn.gelu(a, { approximate: false })),
  softmax: unary(softmax, (a) => nn.softmax(a, -1)),
  logSoftmax: unary(logSoftmax, (a) => nn.logSoftmax(a, -1)),
  logSumExp: unary(logSumExp, (a) => np.log(np.sum(np.exp(a), -1))),
  unit: unary(unit, (a) => a.ref.div(np.sqrt(np.sum(np.square(a), -1, { keepdims: true })))),
  layerNorm: {
    shapes: [[2, 3, 5], [5], [5]],
    unknown: [["rows", "tokens", 5], [5], [5]],
    build: ([a, weight, bias]) => layerNorm(a, weight, bias),
    jax: ([a, weight, bias]) => {
      const centered = a.ref.sub(np.mean(a, -1, { keepdims: true }));
      const variance = np.mean(np.square(centered.ref), -1, { keepdims: true });
      return centered
        .div(np.sqrt(variance.add(1e-12)))
        .mul(weight)
        .add(bias);
    },
  },
  linear: {
    shapes: [[2, 3, 4], [5, 4], [5]],
    unknown: [["rows", "tokens", 4], [5, 4], [5]],
    build: ([x, weight, bias]) => linear(x, weight, bias),
    jax: ([x, weight, bias]) => np.matmul(x, np.transpose(weight)).add(bias),
  },
  "linear without bias": {
    shapes: [
      [3, 4],
      [5, 4],
    ],
    build: ([x, weight]) => linear(x, weight),
    jax: ([x, weight]) => np.matmul(x, np.transpose(weight)),
  },
  matmul: {
    shapes: [
      [2, 2, 3, 4],
      [2, 2, 4, 5],
    ],
    unknown: [
      ["rows", 2, "tokens", 4],
      ["rows", 2, 4, 5],
    ],
    build: ([a, b]) => matmul(a, b),
    jax: ([a, b]) => np.matmul(a, b),
  },
  reshape: {
    shapes: [[2, 3, 4]],
    unknown: [["rows", "tokens", 4]],
    build: ([a]) => reshape(flat(a), [a.shape[0], a.shape[1], 2, 2]),
    jax: ([a]) => a.reshape([2, 3, 2, 2]),
  },
  flat: {
    shapes: [[2, 3, 4]],
    unknown: [["rows", "tokens", 4]],
    build: ([a]) => flat(a),
    jax: ([a]) => a.reshape([6, 4]),
  },
  transpose: {
    shapes: [[2, 3, 4]],
    build: ([a]) => transpose(a, [2, 0, 1]),
    jax: ([a]) => np.transpose(a, [2, 0, 1]),
  },
  sliceFrom: {
    shapes: [[2, 4, 3]],
    unknown: [["rows", "tokens", 3]],
    build: ([a]) => flat(sliceFrom(a, 1, 1)),
    jax: ([a]) => a.slice([], [1, 4]).reshape([6, 3]),
  },
  first: {
    shapes: [[2, 4, 3]],
    unknown: [["rows", "tokens", 3]],
    build: ([a]) => first(a, 1, 1),
    jax: ([a]) => a.slice([], [0, 1]),
  },
  "first of a known length": {
    shapes: [[4, 3]],
    build: ([a]) => first(a, 0, 2),
    jax: ([a]) => a.slice([0, 2]),
  },
  rowsOf: {
    shapes: [[4, 3]],
    build: ([table]) => rowsOf(table, ids(table.graph, [2, 3])),
    jax: ([table]) => np.matmul(oneHot(IDS, 4), table).reshape([2, 3, 3]),
  },
  columnsOf: {
    shapes: [[2, 4]],
    unknown: [["rows", 4]],
    build: ([a]) => columnsOf(a, COLUMNS),
    jax: ([a]) => np.matmul(a, np.transpose(oneHot([...COLUMNS], 4))),
  },
  sum: {
    shapes: [[2, 3, 4]],
    unknown: [["rows", "tokens", 4]],
    build: ([a]) => sum(a, [0, 2]),
    jax: ([a]) => np.sum(a, [0, 2], { keepdims: true }),
  },
  total: unary(total, (a) => np.sum(a)),
  mean: {
    shapes: [[2, 3, 4]],
    unknown: [["rows", "tokens", 4]],
    build: ([a]) => mean(a, [0, 1]),
    jax: ([a]) => np.mean(a, [0, 1], { keepdims: true }),
  },
  max: {
    shapes: [[2, 3, 4]],
    unknown: [["rows", "tokens", 4]],
    build: ([a]) => max(a, [1]),
    jax: ([a]) => np.max(a, 1, { keepdims: true }),
  },
  pooledProbabilities: {
    shapes: [
      [2, 3, 6],
      [2, 3, 1],
    ],
    unknown: [
      ["rows", "tokens", 6],
      ["rows", "tokens", 1],
    ],
    build: ([logits, weights]) => pooledProbabilities(logits, weights),
    jax: ([logits, weights]) => pooled(logits, weights),
  },
  "pooledTokens, sums": tokens("add"),
  "pooledTokens, maxima": tokens("max"),
};

function unary(build: (a: Tensor) => Tensor, jax: (a: JaxArray) => JaxArray): Operation {
  return {
    shapes: [[2, 3, 4]],
    unknown: [["rows", 3, "tokens"]],
    build: ([a]) => build(a),
    jax: ([a]) => jax(a),
  };
}

function binary(
  build: (a: Tensor, b: Tensor) => Tensor,
  jax: (a: JaxArray, b: JaxArray) => JaxArray,
): Operation {
  return {
    shapes: [
      [2, 3, 4],
      [3, 1],
    ],
    build: ([a, b]) => build(a, b),
    jax: ([a, b]) => jax(a, b),
  };
}

function tokens(reduction: "add" | "max"): Operation {
  return {
    shapes: [[2, 3]],
    unknown: [["rows", 3]],
    build: ([weights]) => pooledTokens(ids(weights.graph, [2, 3]), weights, 4, reduction),
    jax: ([weights]) => {
      const cells = oneHot(IDS, 4)
        .reshape([2, 3, 4])
        .mul(weights.reshape([2, 3, 1]));
      return reduction === "add" ? np.sum(cells, 1) : np.max(cells, 1);
    },
    values: positive,
  };
}

const size = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** Numbers between −2 and 2 that are not close to 0, where some operations have a kink. */
function numbers(random: () => number, operation: Operation, shape: readonly number[]): Float32Array {
  const { values = () => Math.sign(random() - 0.5) * (0.05 + 1.95 * random()) } = operation;
  return Float32Array.from({ length: size(shape) }, () => values(random));
}

describe.each(Object.entries(OPERATIONS))("%s", (_, operation) => {
  const { shapes, unknown = shapes } = operation;

  test.each([
    ["known", shapes],
    ["unknown", unknown],
  ])("%s shapes: finite differences and jax-js agree", async (_, declared) => {
    const random = mulberry32(17);
    const inputs = shapes.map((shape) => numbers(random, operation, shape));
    const graph = new Graph();
    const tensors = declared.map((shape, i) => graph.input(`x${i}`, "float32", shape));
    const result = operation.build(tensors);
    // A weighted sum turns the result into one number. Its gradients are compared.
    const upstream = graph.input("upstream", "float32", result.shape);
    const gradients = graph.gradients([[result, upstream]], tensors);
    const session = await open(graph, {
      result,
      ...Object.fromEntries(gradients.map((gradient, i) => [`d${i}`, gradient])),
    });
    const feeds = (values: readonly Float32Array[]) =>
      Object.fromEntries(values.map((data, i) => [`x${i}`, new runtime.Tensor("float32", data, shapes[i])]));
    const forward = await open(graph, { result });
    const { result: plain } = await forward.run(feeds(inputs));
    const outer = Float32Array.from({ length: plain.size }, () => 2 * random() - 1);
    const at = await session.run({
      ...feeds(inputs),
      upstream: new runtime.Tensor("float32", outer, plain.dims),
    });

    const loss = async (values: readonly Float32Array[]) => {
      const data = (await forward.run(feeds(values))).result.data as Float32Array;
      return data.reduce((total, x, i) => total + x * outer[i], 0);
    };
    const arrays = () => inputs.map((data, i) => np.array(data).reshape([...shapes[i]]));
    const jaxLoss = (...each: JaxArray[]) =>
      np.sum(operation.jax(each).reshape([outer.length]).mul(np.array(outer)));
    for (const [i, data] of inputs.entries()) {
      const found = at[`d${i}`].data as Float32Array;
      expect(at[`d${i}`].dims).toEqual([...shapes[i]]);
      const expected = await grad(jaxLoss, { argnums: i })(...arrays()).data();
      for (let j = 0; j < data.length; j++) {
        near(found[j], expected[j], 1e-4);
        const [above, below] = [1, -1].map((sign) => {
          const moved = inputs.map((each) => each.slice());
          moved[i][j] += sign * STEP;
          return moved;
        });
        near(found[j], ((await loss(above)) - (await loss(below))) / (above[i][j] - below[i][j]), 1e-3);
      }
    }
  });
});

const STEP = 2 ** -7;

function near(found: number, expected: number, tolerance: number): void {
  expect(Math.abs(found - expected), `${found} instead of ${expected}`).toBeLessThanOrEqual(
    tolerance * Math.max(1, Math.abs(expected)),
  );
}

async function open(graph: Graph, outputs: Record<string, Tensor>): Promise<Session> {
  return Session.open(runtime, graph.written(outputs), { provider: "cpu", threads: 1 });
}

test("the gradient of an unused tensor is 0; that of a tensor used twice is the sum", async () => {
  const graph = new Graph();
  const [a, b] = [graph.input("a", "float32", [2]), graph.input("b", "float32", [2])];
  const result = total(mul(a, a));
  const [da, db] = graph.gradients([[result, graph.number(1)]], [a, b]);
  const session = await open(graph, { da, db });
  expect(session.inputs).toEqual(new Set(["a"]));
  const found = await session.run({ a: new runtime.Tensor("float32", Float32Array.of(3, -4), [2]) });
  expect([...(found.da.data as Float32Array)]).toEqual([6, -8]);
  expect([...(found.db.data as Float32Array)]).toEqual([0, 0]);
});

test("incompatible shapes are refused when the graph is built", () => {
  const graph = new Graph();
  const a = graph.input("a", "float32", [2, 3]);
  const b = graph.input("b", "float32", ["rows", 4]);
  expect(() => add(a, b)).toThrow("Add of 2,3 and rows,4");
  expect(() => matmul(a, a)).toThrow("a product of 2,3 and 2,3");
  expect(() => linear(a, b)).toThrow("a product of 2,3 and the transposed rows,4");
  expect(() => graph.gradients([[a, b]], [a])).toThrow("a gradient of rows,4");
  expect(() => graph.sizes(["nobody", 3])).toThrow("no input has an axis called nobody");
});
