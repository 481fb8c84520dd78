// Writes parameters as constants of a graph, in the wanted precision.

import { viewBytes } from "../../../segment/container/container-format.ts";
import { roundToFloat16, toFloat16 } from "../../../support/numbers/float16.ts";
import { reshape } from "../graph/arrange.ts";
import { mul } from "../graph/elementwise.ts";
import type { Graph, Tensor } from "../graph/graph.ts";
import { int8Constant } from "../graph/int8.ts";
import { POSITION_EMBEDDINGS, TYPE_EMBEDDINGS } from "../model/parameters.ts";

export const PRECISIONS = ["float32", "float16", "int8"] as const;

/**
 * The precision of stored parameters.
 * - `float32`: as trained
 * - `float16`: half the size, rounded to eleven bits
 * - `int8`: about a quarter of the size; matrices in steps of 1/127 of the largest of 32 neighbors, the rest in float32
 */
export type Precision = (typeof PRECISIONS)[number];

export const ARITHMETICS = ["float32", "int8"] as const;

/**
 * What an exported encoder computes with. `int8` multiplies matrices in int8 and does the rest in float32; it is two to
 * three times as fast on a processor that multiplies bytes (AVX-512 VNNI, ARM's dot product), and differs by less than 1 %.
 */
export type Arithmetic = (typeof ARITHMETICS)[number];

interface Weights {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/**
 * Adds a parameter to a graph. Unless it computes in int8, the runtime converts the constants to float32 once, when it
 * loads them.
 */
export function constantOf(
  graph: Graph,
  name: string,
  weights: Weights,
  precision: Precision,
  compute: Arithmetic,
): Tensor {
  const { shape, data } = weights;
  if (compute === "int8" && data.every((x) => x === 0)) {
    return { ...graph.constant("float32", shape, viewBytes(data), name), isZero: true };
  }
  if (compute === "int8" && isMultiplied(name, shape)) return int8Constant(graph, name, weights);
  if (precision === "float16") {
    const halves = new Uint16Array(data.length);
    for (let i = 0; i < data.length; i++) halves[i] = toFloat16(data[i]);
    return widened(graph.constant("float16", shape, viewBytes(halves), name));
  }
  if (precision === "int8" && shape.length === 2) {
    const { values, shares, largest, group } = quantize(weights);
    const groups = shares.length;
    const whole = graph.constant("int8", [groups, group], viewBytes(values), name);
    const share = graph.constant(
      "float16",
      [groups, 1],
      viewBytes(Uint16Array.from(shares, toFloat16)),
      `${name}.share`,
    );
    return reshape(mul(widened(whole), mul(widened(share), largest)), shape);
  }
  return graph.constant("float32", shape, viewBytes(data), name);
}

/** Whether a parameter is a matrix that states are multiplied with. A single row is not worth it. */
function isMultiplied(name: string, shape: readonly number[]): boolean {
  return shape.length === 2 && shape[0] > 1 && name !== POSITION_EMBEDDINGS && name !== TYPE_EMBEDDINGS;
}

/**
 * Numbers of a row that share a step. A smaller group is more exact and makes a larger file. A trained DeLADE model's
 * scores (mean 9) were off by .25 with 128, by .16 with 64 and by .06 with 32. Steps are stored in float16, so groups of
 * 32 take as many bytes as groups of 64 with steps in float32.
 */
const GROUP = 32;

/** Rounds numbers to steps: whole numbers from −127 to 127, and the step of each group. A row has whole groups. */
export function quantize({ shape, data }: Weights): Quantized {
  const [, columns] = shape;
  const group = columns % GROUP === 0 ? GROUP : columns;
  const steps = new Float32Array(data.length / group);
  data.forEach((x, i) => {
    const at = Math.floor(i / group);
    steps[at] = Math.max(steps[at], Math.abs(x) / 127);
  });
  const largest = steps.reduce((a, b) => Math.max(a, b), 0);
  const shares = steps.map((step) => (largest === 0 ? 0 : roundToFloat16(step / largest)));
  const values = Int8Array.from(data, (x, i) => {
    const step = shares[Math.floor(i / group)] * largest;
    return step === 0 ? 0 : Math.max(-127, Math.min(127, Math.round(x / step)));
  });
  return { values, shares, largest, group };
}

interface Quantized {
  readonly values: Int8Array;
  /** The step of each group, as a share of the largest step; exact in float16. */
  readonly shares: Float32Array;
  readonly largest: number;
  /** Numbers that share a step. */
  readonly group: number;
}

function widened(tensor: Tensor): Tensor {
  return tensor.graph.add("Cast", [tensor], tensor.shape, { type: "float32", attributes: { to: 1 } });
}
