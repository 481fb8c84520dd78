// Sums, means and maxima along axes. The axes stay with length 1, so a result can be broadcast against its input; only
// `total` removes all axes.

import { equal, where } from "./elementwise.ts";
import type { Tensor } from "./graph.ts";
import type { Shape } from "./shape.ts";

export function sum(a: Tensor, axes: readonly number[]): Tensor {
  return a.graph.recordGradient(reduced("ReduceSum", a, axes), [a], (gradient) => [
    expanded(gradient, a.shape),
  ]);
}

/** The sum of all numbers, without axes. */
export function total(a: Tensor): Tensor {
  const result = a.graph.add("ReduceSum", [a], [], { attributes: { keepdims: 0 } });
  return a.graph.recordGradient(result, [a], (gradient) => [expanded(gradient, a.shape)]);
}

/** The mean along axes. The lengths of the axes need not be known. */
export function mean(a: Tensor, axes: readonly number[]): Tensor {
  const { graph } = a;
  const result = reduced("ReduceMean", a, axes);
  return graph.recordGradient(result, [a], (gradient) => {
    const count = graph.add("ReduceProd", [graph.sizes(axes.map((axis) => a.shape[axis]))], [], {
      attributes: { keepdims: 0 },
    });
    const numbers = graph.add("Cast", [count], [], { type: "float32", attributes: { to: 1 } });
    return [expanded(graph.add("Div", [gradient, numbers], gradient.shape), a.shape)];
  });
}

/** The maximum along axes. Its gradient goes to the largest number, or to each of several equally large ones. */
export function max(a: Tensor, axes: readonly number[]): Tensor {
  const result = reduced("ReduceMax", a, axes);
  return a.graph.recordGradient(result, [a], (gradient) => [where(equal(a, result), gradient)]);
}

/** Reduces axes to length 1, without recording a gradient. */
export function reduced(operation: string, a: Tensor, axes: readonly number[]): Tensor {
  const shape = a.shape.map((dim, axis) => (axes.includes(axis) ? 1 : dim));
  return a.graph.add(operation, [a, a.graph.integers(axes)], shape, { attributes: { keepdims: 1 } });
}

/** Repeats a tensor along axes of length 1, without recording a gradient. */
function expanded(a: Tensor, shape: Shape): Tensor {
  return a.graph.add("Expand", [a, a.graph.sizes(shape)], shape);
}
