// Operations that rearrange numbers: reshape, transpose, slice, and select rows or columns.

import type { Graph, Tensor } from "./graph.ts";
import { hasSameShape, lengthFrom, product, type Shape } from "./shape.ts";

/** Gives a tensor another shape with the same numbers. */
export function reshape(a: Tensor, shape: Shape): Tensor {
  if (hasSameShape(a.shape, shape)) return a;
  const { graph } = a;
  return graph.recordGradient(reshaped(a, shape), [a], (gradient) => [reshaped(gradient, a.shape)]);
}

/** Reshapes without recording a gradient. */
export function reshaped(a: Tensor, shape: Shape): Tensor {
  return a.graph.add("Reshape", [a, target(a.graph, shape)], shape);
}

/** Joins all axes but the last into one. */
export function flat(a: Tensor): Tensor {
  return reshape(a, [product(a.shape.slice(0, -1)), a.shape.at(-1)!]);
}

/** The shape as a value. The runtime computes one unknown axis itself (−1). */
function target(graph: Graph, shape: Shape): Tensor {
  const unknown = shape.filter((dim) => typeof dim === "string").length;
  if (unknown !== 1) return graph.sizes(shape);
  return graph.integers(shape.map((dim) => (typeof dim === "string" ? -1 : dim)));
}

/** Axis i of the result is axis order[i] of `a`. */
export function transpose(a: Tensor, order: readonly number[]): Tensor {
  const back = order.map((_, axis) => order.indexOf(axis));
  return a.graph.recordGradient(transposed(a, order), [a], (gradient) => [transposed(gradient, back)]);
}

/** Transposes without recording a gradient. */
export function transposed(a: Tensor, order: readonly number[]): Tensor {
  const shape = order.map((axis) => a.shape[axis]);
  return a.graph.add("Transpose", [a], shape, { attributes: { perm: order } });
}

/** Takes everything from `start` on along an axis. */
export function sliceFrom(a: Tensor, axis: number, start: number): Tensor {
  const shape = a.shape.map((dim, i) => (i === axis ? lengthFrom(dim, start) : dim));
  return sliced(a, axis, start, Number.MAX_SAFE_INTEGER, shape, (gradient) =>
    padded(gradient, axis, start, 0, a.shape),
  );
}

/** Takes the first `count` along an axis. */
export function first(a: Tensor, axis: number, count: number): Tensor {
  const shape = a.shape.map((dim, i) => (i === axis ? count : dim));
  return sliced(a, axis, 0, count, shape, (gradient) => {
    const { [axis]: length } = a.shape;
    if (typeof length === "number") return padded(gradient, axis, 0, length - count, a.shape);
    const behind = lengthFrom(length, count);
    const rest = a.graph.zeros(a.shape.map((dim, i) => (i === axis ? behind : dim)));
    return a.graph.add("Concat", [gradient, rest], a.shape, { attributes: { axis } });
  });
}

function sliced(
  a: Tensor,
  axis: number,
  start: number,
  end: number,
  shape: Shape,
  backward: (gradient: Tensor) => Tensor,
): Tensor {
  const { graph } = a;
  const [from, to, axes] = [[start], [end], [axis]].map((values) => graph.integers(values));
  return graph.recordGradient(graph.add("Slice", [a, from, to, axes], shape), [a], (gradient) => [
    backward(gradient),
  ]);
}

/** Adds zeros before and after an axis, without recording a gradient. */
function padded(a: Tensor, axis: number, before: number, behind: number, shape: Shape): Tensor {
  if (before === 0 && behind === 0) return a;
  const pads = [...a.shape.map((_, i) => (i === axis ? before : 0))];
  pads.push(...a.shape.map((_, i) => (i === axis ? behind : 0)));
  return a.graph.add("Pad", [a, a.graph.integers(pads)], shape);
}

/** Selects rows of a table by their numbers: an embedding. The gradients of a row that is selected twice are summed. */
export function rowsOf(table: Tensor, numbers: Tensor): Tensor {
  const { graph } = table;
  const shape = [...numbers.shape, table.shape[1]];
  const rows = (from: Tensor, shape: Shape) =>
    graph.add("Gather", [from, numbers], shape, { attributes: { axis: 0 } });
  const result = rows(table, shape);
  if (table.steps) {
    const steps = rows(table.steps, numbers.shape);
    const numbersOf = graph.add("Cast", [result], shape, { type: "float32", attributes: { to: 1 } });
    return graph.add("Mul", [numbersOf, reshaped(steps, [...numbers.shape, 1])], shape);
  }
  return graph.recordGradient(result, [table], (gradient) => {
    const attributes = { reduction: "add" };
    const long =
      numbers.type === "int64"
        ? numbers
        : graph.add("Cast", [numbers], numbers.shape, { type: "int64", attributes: { to: 7 } });
    const at = reshaped(long, [...numbers.shape, 1]);
    return [graph.add("ScatterND", [graph.zeros(table.shape), at, gradient], table.shape, { attributes })];
  });
}

/** Selects entries along axis 1 by their numbers: [rows, n] from [rows, columns]. Gradients of one entry are summed. */
export function elementsAt(a: Tensor, numbers: Tensor): Tensor {
  const { graph } = a;
  const axis = { axis: 1 };
  const found = graph.add("GatherElements", [a, numbers], numbers.shape, { attributes: axis });
  return graph.recordGradient(found, [a], (gradient) => {
    const attributes = { ...axis, reduction: "add" };
    return [graph.add("ScatterElements", [graph.zeros(a.shape), numbers, gradient], a.shape, { attributes })];
  });
}

/**
 * Selects columns: column j of the result is column from[j] of `a`, or 0 if from[j] is −1. No column may be selected twice.
 * A column that is not selected has a gradient of 0.
 */
export function columnsOf(a: Tensor, from: Int32Array): Tensor {
  const { graph } = a;
  const [rows, columns] = a.shape as [Shape[0], number];
  const back = new Int32Array(columns).fill(-1);
  from.forEach((column, j) => {
    if (column >= 0) back[column] = j;
  });
  const take = (x: Tensor, order: Int32Array) => {
    const spare = padded(x, 1, 0, 1, [rows, (x.shape[1] as number) + 1]);
    const longs = BigInt64Array.from(order, (column) => BigInt(column < 0 ? (x.shape[1] as number) : column));
    const numbers = graph.constant("int64", [order.length], new Uint8Array(longs.buffer));
    return graph.add("Gather", [spare, numbers], [rows, order.length], { attributes: { axis: 1 } });
  };
  return graph.recordGradient(take(a, from), [a], (gradient) => [take(gradient, back)]);
}
