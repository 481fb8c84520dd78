// Operations over the whole last axis: softmax and its relatives, layer normalization, and scaling to length 1.

import { binaryNode, unaryNode, unbroadcast } from "./elementwise.ts";
import type { Tensor } from "./graph.ts";
import { reduced } from "./reduce.ts";

export function softmax(a: Tensor): Tensor {
  const axis = a.shape.length - 1;
  const result = a.graph.add("Softmax", [a], a.shape, { attributes: { axis } });
  return a.graph.recordGradient(result, [a], (gradient) => {
    const product = binaryNode("Mul", gradient, result);
    return [binaryNode("Sub", product, binaryNode("Mul", result, reduced("ReduceSum", product, [axis])))];
  });
}

export function logSoftmax(a: Tensor): Tensor {
  const axis = a.shape.length - 1;
  const result = a.graph.add("LogSoftmax", [a], a.shape, { attributes: { axis } });
  return a.graph.recordGradient(result, [a], (gradient) => {
    const sum = reduced("ReduceSum", gradient, [axis]);
    return [binaryNode("Sub", gradient, binaryNode("Mul", unaryNode("Exp", result), sum))];
  });
}

/** log Σ exp; the last axis gets length 1. It avoids LogSoftmax, which the WebGPU provider runs on the host. */
export function logSumExp(a: Tensor): Tensor {
  const axis = a.shape.length - 1;
  const most = reduced("ReduceMax", a, [axis]);
  const powers = unaryNode("Exp", binaryNode("Sub", a, most));
  const sum = reduced("ReduceSum", powers, [axis]);
  return a.graph.recordGradient(binaryNode("Add", unaryNode("Log", sum), most), [a], (gradient) => [
    binaryNode("Mul", powers, binaryNode("Div", gradient, sum)),
  ]);
}

/** Scales to mean 0 and variance 1, then × weight + bias. The default epsilon is BERT's. */
export function layerNorm(a: Tensor, weight: Tensor, bias: Tensor, epsilon = 1e-12): Tensor {
  const { graph } = a;
  const axis = a.shape.length - 1;
  const each = [...a.shape.slice(0, -1), 1];
  const [result, mean, inverse] = graph.addAll(
    "LayerNormalization",
    [a, weight, bias],
    [a.shape, each, each],
    {
      attributes: { axis: -1, epsilon: { float: epsilon } },
    },
  );
  return graph.recordGradient(result, [a, weight, bias], (gradient) => {
    const standard = binaryNode("Mul", binaryNode("Sub", a, mean), inverse);
    const scaled = binaryNode("Mul", gradient, weight);
    const shift = reduced("ReduceMean", scaled, [axis]);
    const stretch = reduced("ReduceMean", binaryNode("Mul", scaled, standard), [axis]);
    const centered = binaryNode(
      "Sub",
      binaryNode("Sub", scaled, shift),
      binaryNode("Mul", standard, stretch),
    );
    return [
      binaryNode("Mul", inverse, centered),
      unbroadcast(binaryNode("Mul", gradient, standard), weight.shape),
      unbroadcast(gradient, bias.shape),
    ];
  });
}

/** Scales vectors to length 1. A vector shorter than 1e-12 is divided by 1e-12 instead. */
export function unit(a: Tensor): Tensor {
  const { graph } = a;
  const axis = a.shape.length - 1;
  const length = graph.add(
    "Max",
    [reduced("ReduceL2", a, [axis]), graph.number(1e-12)],
    [...a.shape.slice(0, -1), 1],
  );
  const result = binaryNode("Div", a, length);
  return graph.recordGradient(result, [a], (gradient) => {
    const along = reduced("ReduceSum", binaryNode("Mul", gradient, result), [axis]);
    return [binaryNode("Div", binaryNode("Sub", gradient, binaryNode("Mul", result, along)), length)];
  });
}
