// Elementwise operations with broadcasting, and their gradients.

import { reshaped } from "./arrange.ts";
import type { Tensor } from "./graph.ts";
import { broadcast, hasSameShape, type Shape } from "./shape.ts";

/** A tensor, or a number (a tensor without axes). */
type Operand = Tensor | number;

export function add(a: Tensor, b: Operand): Tensor {
  const other = operand(a, b);
  return a.graph.recordGradient(binaryNode("Add", a, other), [a, other], (gradient) => [
    unbroadcast(gradient, a.shape),
    unbroadcast(gradient, other.shape),
  ]);
}

export function sub(a: Tensor, b: Operand): Tensor {
  const other = operand(a, b);
  return a.graph.recordGradient(binaryNode("Sub", a, other), [a, other], (gradient) => [
    unbroadcast(gradient, a.shape),
    unbroadcast(unaryNode("Neg", gradient), other.shape),
  ]);
}

export function mul(a: Tensor, b: Operand): Tensor {
  const other = operand(a, b);
  return a.graph.recordGradient(binaryNode("Mul", a, other), [a, other], (gradient) => [
    unbroadcast(binaryNode("Mul", gradient, other), a.shape),
    unbroadcast(binaryNode("Mul", gradient, a), other.shape),
  ]);
}

export function div(a: Tensor, b: Operand): Tensor {
  const other = operand(a, b);
  const result = binaryNode("Div", a, other);
  return a.graph.recordGradient(result, [a, other], (gradient) => {
    const part = binaryNode("Div", gradient, other);
    return [
      unbroadcast(part, a.shape),
      unbroadcast(unaryNode("Neg", binaryNode("Mul", part, result)), other.shape),
    ];
  });
}

export function exp(a: Tensor): Tensor {
  const result = unaryNode("Exp", a);
  return a.graph.recordGradient(result, [a], (gradient) => [binaryNode("Mul", gradient, result)]);
}

export function log(a: Tensor): Tensor {
  return a.graph.recordGradient(unaryNode("Log", a), [a], (gradient) => [binaryNode("Div", gradient, a)]);
}

/** The slope at 0 is 0. */
export function abs(a: Tensor): Tensor {
  return a.graph.recordGradient(unaryNode("Abs", a), [a], (gradient) => [
    binaryNode("Sub", where(compared("Greater", a), gradient), where(compared("Less", a), gradient)),
  ]);
}

/** The slope at 0 is 0. */
export function relu(a: Tensor): Tensor {
  return a.graph.recordGradient(unaryNode("Relu", a), [a], (gradient) => [
    where(compared("Greater", a), gradient),
  ]);
}

/** The least value of x·Φ(x), rounded down. */
const GELU_AT_LEAST = -0.17;

/** x·Φ(x), exact, as in BERT. */
export function gelu(a: Tensor): Tensor {
  const { graph } = a;
  const result = { ...unaryNode("Gelu", a), atLeast: GELU_AT_LEAST };
  const scaledTensor = (x: Tensor, factor: number) => binaryNode("Mul", x, graph.number(factor));
  return graph.recordGradient(result, [a], (gradient) => {
    const erf = unaryNode("Erf", scaledTensor(a, Math.SQRT1_2));
    const cumulative = binaryNode("Add", scaledTensor(erf, 0.5), graph.number(0.5));
    const density = scaledTensor(
      unaryNode("Exp", scaledTensor(binaryNode("Mul", a, a), -0.5)),
      1 / Math.sqrt(2 * Math.PI),
    );
    return [binaryNode("Mul", gradient, binaryNode("Add", cumulative, binaryNode("Mul", a, density)))];
  });
}

/** Adds a node with two operands, without recording a gradient. */
export function binaryNode(operation: string, a: Tensor, b: Tensor): Tensor {
  const shape = broadcast(a.shape, b.shape);
  if (!shape) throw new Error(`${operation} of ${a.shape} and ${b.shape}`);
  return a.graph.add(operation, [a, b], shape);
}

/** Adds a node with one operand, without recording a gradient. */
export function unaryNode(operation: string, a: Tensor): Tensor {
  return a.graph.add(operation, [a], a.shape);
}

/** Whether numbers are above 0, or below. (Sign would be simpler, but the WebGPU provider computes it on the host.) */
function compared(operation: "Greater" | "Less", a: Tensor): Tensor {
  return a.graph.add(operation, [a, a.graph.number(0)], a.shape, { type: "bool" });
}

/** Compares two tensors number by number. */
export function equal(a: Tensor, b: Tensor): Tensor {
  const shape = broadcast(a.shape, b.shape);
  if (!shape) throw new Error(`Equal of ${a.shape} and ${b.shape}`);
  return a.graph.add("Equal", [a, b], shape, { type: "bool" });
}

/** Returns `a` where the condition is true, else 0, without recording a gradient. */
export function where(condition: Tensor, a: Tensor): Tensor {
  const shape = broadcast(condition.shape, a.shape);
  if (!shape) throw new Error(`Where of ${condition.shape} and ${a.shape}`);
  return a.graph.add("Where", [condition, a, a.graph.number(0)], shape, { type: a.type });
}

/** Reverses broadcasting for a gradient: sums over the axes along which the operand was repeated. */
export function unbroadcast(gradient: Tensor, shape: Shape): Tensor {
  if (hasSameShape(gradient.shape, shape)) return gradient;
  const { graph } = gradient;
  const more = gradient.shape.length - shape.length;
  const repeated = gradient.shape.map((dim, axis) => axis < more || (shape[axis - more] === 1 && dim !== 1));
  const axes = graph.integers(repeated.flatMap((is, axis) => (is ? [axis] : [])));
  const kept = gradient.shape.map((dim, axis) => (repeated[axis] ? 1 : dim));
  const sum = repeated.includes(true)
    ? graph.add("ReduceSum", [gradient, axes], kept, { attributes: { keepdims: 1 } })
    : gradient;
  return more === 0 ? sum : reshaped(sum, shape);
}

function operand(beside: Tensor, value: Operand): Tensor {
  return typeof value === "number" ? beside.graph.number(value) : value;
}
