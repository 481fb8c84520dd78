// Builds the graph of an exported encoder. Any number of texts of any length come in; weights and vectors go out. The same
// functions build the graphs for training.

import type { Role } from "../../../encode/contract/description.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { Tensors } from "../data/batch.ts";
import { reshape } from "../graph/arrange.ts";
import { mul } from "../graph/elementwise.ts";
import { Graph, type Tensor, type WrittenGraph } from "../graph/graph.ts";
import { encoderStates, type Texts } from "../model/bert.ts";
import { exponents, represent, semantic, tokenWeights } from "../model/head-graphs.ts";
import { checkParameters } from "../model/parameters.ts";
import type { ModelSettings } from "../model/settings.ts";
import { withoutKeyAndValueBiases } from "./fold-biases.ts";
import { type Arithmetic, constantOf, type Precision } from "./weights.ts";

interface InferenceOptions {
  readonly precision: Precision;
  /** Weight of the semantic score. The vectors of both sides are multiplied by its square root. */
  readonly lambda?: number;
  /** Default: float32. */
  readonly compute?: Arithmetic;
}

/**
 * A second anchored head, trained to rank without vectors: `words.mix.0.weight` … in the parameters, `words_passage_exponents` …
 * in the graph.
 */
const SECOND_HEAD = "words";

/**
 * Inputs: "input_ids" and, unless it computes in int8, "attention_mask". Outputs: "lexical" ("token_weights" for uniCOIL,
 * "passage_exponents" and "query_exponents" for an anchored head), and "semantic".
 */
export function inferenceGraph(
  model: ModelSettings,
  parameters: Tensors,
  { precision, lambda = 1, compute = "float32" }: InferenceOptions,
): WrittenGraph {
  checkParameters(model, parameters);
  const { head, encoder } = model;
  if (head.kind === "colbert") {
    throw new SluiceError("a ColBERT model cannot be exported: it gives a vector per token, not per text");
  }
  const graph = new Graph();
  const folded = compute === "int8" ? withoutKeyAndValueBiases(parameters, encoder) : parameters;
  const placed = new Map<string, Tensor>();
  const parameterOf = (name: string) => {
    const tensor = placed.get(name) ?? constantOf(graph, name, folded.get(name)!, precision, compute);
    placed.set(name, tensor);
    return tensor;
  };
  const ids = graph.input("input_ids", "int64", ["batch", "tokens"]);
  const texts = compute === "int8" ? textsOfOneLength(ids) : paddedTexts(ids);
  const { mask } = texts;
  const weighed = (vector: Tensor) => (lambda === 1 ? vector : mul(vector, Math.sqrt(lambda)));
  if (head.lexical?.kind === "anchored") {
    const states = encoderStates(texts, parameterOf, encoder);
    const each = (role: Role, name?: string) =>
      reshape(exponents(states, parameterOf, role, name), ids.shape);
    return graph.written({
      passage_exponents: each("passage"),
      query_exponents: each("query"),
      ...(parameters.has(`${SECOND_HEAD}.mix.0.weight`) && {
        [`${SECOND_HEAD}_passage_exponents`]: each("passage", SECOND_HEAD),
        [`${SECOND_HEAD}_query_exponents`]: each("query", SECOND_HEAD),
      }),
      ...(head.semantic && { semantic: weighed(semantic(states, mask, parameterOf, head.semantic)) }),
    });
  }
  if (head.lexical?.kind !== "unicoil") {
    const { semantic: vector, ...others } = represent(texts, parameterOf, model, "passage");
    return graph.written({ ...others, ...(vector && { semantic: weighed(vector) }) });
  }
  // For a repeated token, queries sum the weights and passages take the largest. The encoder does this.
  const states = encoderStates(texts, parameterOf, encoder);
  return graph.written({
    token_weights: reshape(tokenWeights(states, mask, parameterOf), ids.shape),
    ...(head.semantic && { semantic: weighed(semantic(states, mask, parameterOf, head.semantic)) }),
  });
}

function paddedTexts(ids: Tensor): Texts {
  const { graph } = ids;
  const attention = graph.input("attention_mask", "int64", ids.shape);
  return { ids, mask: graph.add("Cast", [attention], ids.shape, { type: "float32", attributes: { to: 1 } }) };
}

/** A graph without a mask gets texts of the same length. It saves a pass over the attention scores, a twentieth of the time. */
function textsOfOneLength(ids: Tensor): Texts {
  const { graph } = ids;
  const mask = graph.add("Expand", [graph.number(1), graph.sizes(ids.shape)], ids.shape);
  return { ids, mask, isPadded: false };
}
