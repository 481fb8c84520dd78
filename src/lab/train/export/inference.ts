// A trained model as a graph for encoders: texts of any number and length in, what the model says about them out. It is
// built by the functions that built the graphs of its training.

import { UsageError } from "../../../errors.ts";
import type { Tensors } from "../batch.ts";
import { reshape } from "../graph/arrange.ts";
import { mul } from "../graph/elementwise.ts";
import { Graph, type Tensor, type WrittenGraph } from "../graph/graph.ts";
import { encoderStates, type Texts } from "../model/bert.ts";
import { represent, semantic, tokenWeights } from "../model/head-graphs.ts";
import { checkParameters } from "../model/parameters.ts";
import { checkModel, type ModelSettings } from "../model/settings.ts";
import { constantOf, type Precision } from "./weights.ts";

export interface InferenceOptions {
  readonly precision: Precision;
  /** Weight of the semantic score: the vectors of both sides carry its root. */
  readonly lambda?: number;
}

/** Inputs "input_ids" and "attention_mask"; outputs "lexical" or, of uniCOIL, "token_weights", and "semantic". */
export function inferenceGraph(
  model: ModelSettings,
  parameters: Tensors,
  { precision, lambda = 1 }: InferenceOptions,
): WrittenGraph {
  checkModel(model);
  checkParameters(model, parameters);
  const { head, encoder } = model;
  if (head.kind === "colbert") {
    throw new UsageError("a ColBERT model says something about each token, and no encoder reads that");
  }
  const graph = new Graph();
  const placed = new Map<string, Tensor>();
  const parameterOf = (name: string) => {
    const tensor = placed.get(name) ?? constantOf(graph, name, parameters.get(name)!, precision);
    placed.set(name, tensor);
    return tensor;
  };
  const ids = graph.input("input_ids", "int64", ["batch", "tokens"]);
  const attention = graph.input("attention_mask", "int64", ["batch", "tokens"]);
  const mask = graph.add("Cast", [attention], ids.shape, { type: "float32", attributes: { to: 1 } });
  const texts: Texts = { ids, mask };
  const weighed = (vector: Tensor) => (lambda === 1 ? vector : mul(vector, Math.sqrt(lambda)));
  if (head.lexical?.kind !== "unicoil") {
    const { semantic: vector, ...others } = represent(texts, parameterOf, model, "passage");
    return graph.written({ ...others, ...(vector && { semantic: weighed(vector) }) });
  }
  // Queries add up the weights of a repeated word and passages take the largest: that is left to the encoder.
  const states = encoderStates(texts, parameterOf, encoder);
  return graph.written({
    token_weights: reshape(tokenWeights(states, mask, parameterOf), ids.shape),
    ...(head.semantic && { semantic: weighed(semantic(states, mask, parameterOf, head.semantic)) }),
  });
}
