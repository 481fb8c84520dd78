// Matrix products and their gradients.

import { reshaped, transposed } from "./arrange.ts";
import { unbroadcast } from "./elementwise.ts";
import type { Tensor } from "./graph.ts";
import { int8Linear } from "./int8.ts";
import { product } from "./shape.ts";

/** x·Wᵀ + b over the last axis of x; W is [out, in], as PyTorch stores it. */
export function linear(x: Tensor, weight: Tensor, bias?: Tensor): Tensor {
  const { graph } = x;
  const [out, into] = weight.shape;
  const leading = x.shape.slice(0, -1);
  const rows = product(leading);
  if (x.shape.at(-1) !== into) throw new Error(`a product of ${x.shape} and the transposed ${weight.shape}`);
  if (weight.steps) return int8Linear(x, weight, bias);
  const input = x.shape.length === 2 ? x : reshaped(x, [rows, into]);
  const operands = [input, weight, ...(bias ? [bias] : [])];
  const result = graph.add("Gemm", operands, [rows, out], { attributes: { transB: 1 } });
  const shaped = leading.length === 1 ? result : reshaped(result, [...leading, out]);
  return graph.recordGradient(shaped, [x, weight, ...(bias ? [bias] : [])], (gradient) => {
    const back = leading.length === 1 ? gradient : reshaped(gradient, [rows, out]);
    const forInput = graph.add("Gemm", [back, weight], [rows, into]);
    return [
      leading.length === 1 ? forInput : reshaped(forInput, x.shape),
      graph.add("Gemm", [back, input], weight.shape, { attributes: { transA: 1 } }),
      ...(bias ? [unbroadcast(back, bias.shape)] : []),
    ];
  });
}

/** a·b over the last two axes. The other axes must be the same. */
export function matmul(a: Tensor, b: Tensor): Tensor {
  const { graph } = a;
  const multiply = (x: Tensor, y: Tensor) =>
    graph.add("MatMul", [x, y], [...x.shape.slice(0, -1), y.shape.at(-1)!]);
  const rank = a.shape.length;
  if (b.shape.length !== rank || a.shape[rank - 1] !== b.shape[rank - 2]) {
    throw new Error(`a product of ${a.shape} and ${b.shape}`);
  }
  const swapLastAxes = (x: Tensor) => {
    const order = x.shape.map((_, axis) => axis);
    return transposed(x, [...order.slice(0, -2), rank - 1, rank - 2]);
  };
  return graph.recordGradient(multiply(a, b), [a, b], (gradient) => [
    multiply(gradient, swapLastAxes(b)),
    multiply(swapLastAxes(a), gradient),
  ]);
}
