// Matrix products that compute in int8, for exported encoders. Processors multiply and add four bytes in the time of one
// float32 (AVX-512 VNNI, AMX, ARM's dot product), so a product takes a fifth of the time.
//
// A weight is a whole number from −64 to 64 times the step of its row. Processors with AVX2 and without VNNI add two products in
// 16 bits: 2 · 255 · 64 fits, and 2 · 255 · 127 would be cut off, which costs more than the bit. Each row of the other matrix,
// that is each token, gets a step of its own when the graph runs. So what a text gives does not depend on the other texts of its
// batch, as it would with DynamicQuantizeLinear, which has one step for all. It is more exact, too: the states of [CLS] reach 30
// and the states of words 4, so with one step for all, words would use an eighth of the numbers.
//
// There are no gradients: such a graph cannot be trained.

import { reshaped } from "./arrange.ts";
import type { Graph, Tensor } from "./graph.ts";
import { product } from "./shape.ts";

/** The largest of a matrix's whole numbers, above and below zero. */
const MOST = 64;
/** What stands for 0 in a quantized row: the kernels want bytes without a sign. */
const ZERO = 128;
/** What stands for 0 in a row that has hardly a negative number: more bytes are left for those above 0. */
const LOW_ZERO = 32;
const LARGEST_BYTE = 255;
/** The least step of a row. A row of zeros has no largest number to divide by. */
const LEAST_STEP = 1e-20;

/** A matrix [out, in] as int8, with a step for each row. */
export function int8Constant(
  graph: Graph,
  name: string,
  { shape, data }: { readonly shape: readonly number[]; readonly data: Float32Array },
): Tensor {
  const { values, steps } = int8Rows(data, shape[0]);
  const matrix = graph.constant("int8", shape, new Uint8Array(values.buffer), name);
  return {
    ...matrix,
    steps: graph.constant("float32", [shape[0]], new Uint8Array(steps.buffer), `${name}.steps`),
  };
}

/** Rounds each row to whole numbers from −MOST to MOST times a step. */
export function int8Rows(data: Float32Array, rows: number): { values: Int8Array; steps: Float32Array } {
  const columns = data.length / rows;
  const steps = new Float32Array(rows);
  const values = new Int8Array(data.length);
  for (let row = 0; row < rows; row++) {
    const numbers = data.subarray(row * columns, (row + 1) * columns);
    steps[row] = numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / MOST;
    if (steps[row] > 0)
      values.set(
        Int8Array.from(numbers, (x) => Math.round(x / steps[row])),
        row * columns,
      );
  }
  return { values, steps };
}

/** x·Wᵀ + b over the last axis of x, for a matrix W of `int8Constant`. */
export function int8Linear(x: Tensor, weight: Tensor, bias?: Tensor): Tensor {
  const { graph } = x;
  const [out, into] = weight.shape;
  const leading = x.shape.slice(0, -1);
  const rows = product(leading);
  const zero = x.atLeast === undefined ? ZERO : LOW_ZERO;
  const flat = x.shape.length === 2 ? x : graph.once(`flat ${x.name}`, () => reshaped(x, [rows, into]));
  const { values, steps } = quantizedRows(flat, zero, x.atLeast);
  // The runtime transposes a constant once, when it loads the graph.
  const columns = graph.once(`transposed ${weight.name}`, () =>
    graph.add("Transpose", [weight], [into, out], { attributes: { perm: [1, 0] } }),
  );
  const sums = graph.add(
    "MatMulIntegerToFloat",
    [values, columns, graph.number(1), weight.steps!, byte(graph, zero)],
    [rows, out],
    { type: "float32", domain: "com.microsoft" },
  );
  const scaled = graph.add("Mul", [sums, steps], [rows, out]);
  const result = bias && !bias.isZero ? graph.add("Add", [scaled, bias], [rows, out]) : scaled;
  return leading.length === 1 ? result : reshaped(result, [...leading, out]);
}

/** A matrix rounded to bytes, with a step for each row: [rows, 1]. The byte `zero` stands for 0. */
function quantizedRows(x: Tensor, zero: number, atLeast?: number): { values: Tensor; steps: Tensor } {
  const { graph } = x;
  const [rows] = x.shape;
  const keep = { attributes: { keepdims: 1 } };
  const steps = graph.once(`steps of ${x.name}`, () => {
    const most = graph.add("ReduceMax", [x, graph.integers([1])], [rows, 1], keep);
    const stepFor = (size: Tensor) =>
      graph.add("Mul", [size, graph.number(1 / (LARGEST_BYTE - zero))], [rows, 1]);
    const noLess = (step: Tensor, least: number) => graph.add("Max", [step, graph.number(least)], [rows, 1]);
    if (atLeast !== undefined) return noLess(stepFor(most), -atLeast / zero);
    // Two reductions take less time than the absolute values and one.
    const lowest = graph.add("ReduceMin", [x, graph.integers([1])], [rows, 1], keep);
    const size = graph.add("Max", [most, graph.add("Neg", [lowest], [rows, 1])], [rows, 1]);
    return noLess(stepFor(size), LEAST_STEP);
  });
  const values = graph.once(`bytes of ${x.name}`, () => {
    const zeros = graph.once(`${zero} for each of ${rows}`, () =>
      graph.add("Expand", [byte(graph, zero), graph.sizes([rows])], [rows]),
    );
    const inputs = [x, reshaped(steps, [rows]), zeros];
    return graph.add("QuantizeLinear", inputs, x.shape, { type: "uint8", attributes: { axis: 0 } });
  });
  return { values, steps };
}

function byte(graph: Graph, value: number): Tensor {
  return graph.once(`byte ${value}`, () => graph.constant("uint8", [], Uint8Array.of(value)));
}
