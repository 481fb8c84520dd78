// Pools the representations of tokens into one of the text, over a whole vocabulary. Tensors of tokens × vocabulary are by
// far the largest of a step (24 texts of 64 tokens and 30,522 entries: 188 MB), so these operations have hand-written
// gradients that read them as few times as possible.

import { binaryNode, equal, unaryNode, where } from "./elementwise.ts";
import type { Tensor } from "./graph.ts";
import type { Dim } from "./onnx.ts";
import { reduced } from "./reduce.ts";

/**
 * DeLADE's pooling: the maximum over the tokens of softmax(logits) × the token's weight, at least 0. Logits are
 * [rows, tokens, vocabulary], weights [rows, tokens, 1]. A token that does not count has weight 0.
 *
 * Let p be the probabilities, w the weights, x the result and d its gradient. Token i wins entry v if p[i,v]·w[i] = x[v];
 * only the winner gets a gradient. There p·w·d = x·d. With A[i,v] = x[v]·d[v] if i won v, and 0 otherwise:
 *   d(logits)[i,v] = A[i,v] − p[i,v]·Σ_u A[i,u]     and     d(w)[i] = Σ_u A[i,u] / w[i].
 */
export function pooledProbabilities(logits: Tensor, weights: Tensor): Tensor {
  const { graph } = logits;
  const probabilities = graph.add("Softmax", [logits], logits.shape, { attributes: { axis: 2 } });
  const weighted = binaryNode("Mul", probabilities, weights);
  const result = unaryNode("Relu", reduced("ReduceMax", weighted, [1]));
  return graph.recordGradient(result, [logits, weights], (gradient) => {
    const won = where(equal(weighted, result), binaryNode("Mul", result, gradient));
    const sums = reduced("ReduceSum", won, [2]);
    // A token of weight 0 wins nothing. Divide by 1 to get 0 / 1 instead of 0 / 0.
    const isZero = graph.add("Cast", [equal(weights, graph.number(0))], weights.shape, {
      type: "float32",
      attributes: { to: 1 },
    });
    return [
      binaryNode("Sub", won, binaryNode("Mul", probabilities, sums)),
      binaryNode("Div", sums, binaryNode("Add", weights, isZero)),
    ];
  });
}

/**
 * uniCOIL's pooling: a vector over the vocabulary with the weight of each token at its id. For several occurrences of a
 * token it takes the largest weight or the sum. Ids and weights are [rows, tokens]. Weights must not be negative; padding
 * has weight 0.
 */
export function pooledTokens(
  ids: Tensor,
  weights: Tensor,
  vocabularySize: Dim,
  reduction: "max" | "add",
): Tensor {
  const { graph } = weights;
  const shape = [weights.shape[0], vocabularySize];
  const attributes = { axis: 1, reduction };
  const result = graph.add("ScatterElements", [graph.zeros(shape), ids, weights], shape, { attributes });
  const at = (vector: Tensor) =>
    graph.add("GatherElements", [vector, ids], weights.shape, { attributes: { axis: 1 } });
  return graph.recordGradient(result, [weights], (gradient) => [
    reduction === "add" ? at(gradient) : where(equal(at(result), weights), at(gradient)),
  ]);
}
