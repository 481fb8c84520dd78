// Parameters as constants of a graph, in as many bits as wanted.

import { roundToFloat16, toFloat16 } from "../../../support/float16.ts";
import { reshape } from "../graph/arrange.ts";
import { mul } from "../graph/elementwise.ts";
import type { Graph, Tensor } from "../graph/graph.ts";

export const PRECISIONS = ["float32", "float16", "int8"] as const;

/**
 * - `float32`: as trained
 * - `float16`: half the size, rounded to eleven bits
 * - `int8`: about a quarter; matrices in steps of 1/127 of the largest of 32 neighbours, the rest in float32
 */
export type Precision = (typeof PRECISIONS)[number];

export interface Weights {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/**
 * The runtime computes in float32 whatever a file holds, and widens the constants once, when it loads them. Computing in
 * int8 (DynamicQuantizeLinear, MatMulInteger) takes 3.9 ms instead of 7.6 for 15 tokens × 384 × 30,522, and 265 instead
 * of 313 for 1,024; but what a text gets then depends on who shares its batch.
 */
export function constantOf(graph: Graph, name: string, weights: Weights, precision: Precision): Tensor {
  const { shape, data } = weights;
  if (precision === "float16") {
    const halves = new Uint16Array(data.length);
    for (let i = 0; i < data.length; i++) halves[i] = toFloat16(data[i]);
    return widened(graph.constant("float16", shape, bytesOf(halves), name));
  }
  if (precision === "int8" && shape.length === 2) {
    const { values, shares, largest, group } = quantize(weights);
    const groups = shares.length;
    const whole = graph.constant("int8", [groups, group], bytesOf(values), name);
    const share = graph.constant(
      "float16",
      [groups, 1],
      bytesOf(Uint16Array.from(shares, toFloat16)),
      `${name}.share`,
    );
    return reshape(mul(widened(whole), mul(widened(share), largest)), shape);
  }
  return graph.constant("float32", shape, bytesOf(data), name);
}

/**
 * Numbers of a row that share a step. A trained DeLADE model's scores, 9 in the mean, were off by .25 with 128 of them,
 * by .16 with 64 and by .06 with 32; steps in float16 make these as small as 64 would be with steps in float32.
 */
const GROUP = 32;

/** Numbers as whole ones from −127 to 127, and what one step of each group is; a row is a whole number of groups. */
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
  /** A group's step, as a share of the largest one, exact in float16. */
  readonly shares: Float32Array;
  readonly largest: number;
  /** Numbers that share a step. */
  readonly group: number;
}

function widened(tensor: Tensor): Tensor {
  return tensor.graph.add("Cast", [tensor], tensor.shape, { type: "float32", attributes: { to: 1 } });
}

function bytesOf(array: Float32Array | Uint16Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
