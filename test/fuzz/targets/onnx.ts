// An ONNX graph: its parts that some outputs need, and its weights.

import { keepOutputs } from "../../../src/encode/onnx/graph-parts.ts";
import { rowsOf, transpose } from "../../../src/lab/train/graph/arrange.ts";
import { Graph } from "../../../src/lab/train/graph/graph.ts";
import { linear } from "../../../src/lab/train/graph/matmul.ts";
import { parseOnnxWeights } from "../../../src/lab/train/model/onnx-weights.ts";
import type { Target } from "../contract/target.ts";

/** A field with a length. */
const field = (number: number, ...parts: (Uint8Array | string)[]): Uint8Array => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
};
const varint = (number: number, value: number) => Uint8Array.of(number << 3, value);

/** A graph with what PyTorch writes: a named norm, and a matrix that is the factor before a bias. */
function namedWeights(): Uint8Array {
  const tensor = (name: string, dims: number[], raw: Uint8Array, type = 1) =>
    field(5, ...dims.map((dim) => varint(1, dim)), varint(2, type), field(8, name), field(9, raw));
  const floats = (...numbers: number[]) => new Uint8Array(Float32Array.from(numbers).buffer);
  const node = (operation: string, inputs: string[], output: string, ...more: Uint8Array[]) =>
    field(1, ...inputs.map((name) => field(1, name)), field(2, output), field(4, operation), ...more);
  const graph = [
    node("MatMul", ["x", "m"], "product"),
    node("Add", ["product", "dense.bias"], "sum"),
    node("Constant", [], "four", field(5, field(1, "value"), field(5, varint(2, 7), varint(7, 4)))),
    tensor("m", [2, 2], floats(1, 2, 3, 4)),
    tensor("dense.bias", [2], floats(5, 6)),
    tensor("LayerNorm.weight", [2], Uint8Array.of(0, 60, 0, 56), 10),
    field(12, field(1, "sum")),
    field(12, field(1, "four")),
  ];
  return field(7, ...graph);
}

function tinyGraph(): Uint8Array {
  const graph = new Graph();
  const ids = graph.input("input_ids", "int64", ["batch", "tokens"]);
  const matrix = (rows: number, columns: number) =>
    graph.constant("float32", [rows, columns], new Uint8Array(4 * rows * columns));
  const hidden = rowsOf(matrix(3, 2), ids);
  const logits = linear(hidden, transpose(matrix(2, 2), [1, 0]));
  return graph.written({ last_hidden_state: hidden, logits }).bytes;
}

export const target: Target = {
  name: "onnx",
  seeds: () => [tinyGraph(), new Uint8Array(namedWeights())],
  run(bytes) {
    keepOutputs(bytes, ["logits"]);
    keepOutputs(bytes, ["sum"]);
    parseOnnxWeights(bytes, "a file");
  },
};
