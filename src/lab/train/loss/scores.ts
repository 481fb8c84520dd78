// Computes the score of every query with every passage of a batch from their representations.

import { DISCARDED, type Slicing } from "../../../densify/slicing.ts";
import { columnsOf, first, flat, reshape, sliceFrom } from "../graph/arrange.ts";
import { add, equal, mul, relu } from "../graph/elementwise.ts";
import type { Tensor } from "../graph/graph.ts";
import { linear } from "../graph/matmul.ts";
import { max, reduced, sum } from "../graph/reduce.ts";
import type { RepresentationTensors } from "../model/head-graphs.ts";
import type { LossSettings } from "../model/settings.ts";

/** Each [queries, passages]. */
export interface Scores {
  readonly fused: Tensor;
  readonly lexical?: Tensor;
  readonly semantic?: Tensor;
}

export function scores(
  queries: RepresentationTensors,
  passages: RepresentationTensors,
  { densified, semanticWeight = 1 }: Pick<LossSettings, "densified" | "semanticWeight">,
): Scores {
  if (queries.tokens && passages.tokens) return { fused: lateInteraction(queries.tokens, passages.tokens) };
  const row = (vector: Tensor) => (densified ? winners(vector, densified) : vector);
  const lexical = queries.lexical && passages.lexical && linear(row(queries.lexical), row(passages.lexical));
  const semantic = queries.semantic && passages.semantic && linear(queries.semantic, passages.semantic);
  const weighed = semantic && semanticWeight !== 1 ? mul(semantic, semanticWeight) : semantic;
  const fused = lexical && weighed ? add(lexical, weighed) : (lexical ?? weighed);
  if (!fused) throw new Error("a model without a lexical and without a semantic part has no score");
  return { fused, ...(lexical && { lexical }), ...(semantic && { semantic }) };
}

/**
 * Arranges a vector by slices and keeps only the largest entry of each slice. The inner product of two such vectors is the
 * gated inner product (GIP) of their rows. Only the winners get gradients.
 */
function winners(vector: Tensor, slicing: Slicing): Tensor {
  const { graph } = vector;
  const { dims, perSlice } = slicing.settings;
  const order = new Int32Array(dims * perSlice).fill(-1);
  slicing.slices.forEach((slice, id) => {
    if (slice !== DISCARDED) order[slice * perSlice + slicing.indices[id]] = id;
  });
  const cells = reshape(columnsOf(vector, order), [vector.shape[0], dims, perSlice]);
  const won = equal(cells, reduced("ReduceMax", cells, [2]));
  const one = graph.add("Cast", [won], cells.shape, { type: "float32", attributes: { to: 1 } });
  return reshape(mul(cells, one), [vector.shape[0], dims * perSlice]);
}

/**
 * ColBERT's score: for each token of the query the best score of a passage token, summed, plus the score of both [CLS].
 * A padded token is a zero vector, so a best score is never below 0. We apply this to passages without padding too.
 */
function lateInteraction(queries: Tensor, passages: Tensor): Tensor {
  const [rows] = queries.shape;
  const [columns] = passages.shape;
  const [asked, answering] = [sliceFrom(queries, 1, 1), sliceFrom(passages, 1, 1)];
  const products = linear(flat(asked), flat(answering));
  const shape = [rows, asked.shape[1], columns, answering.shape[1]];
  const best = relu(max(reshape(products, shape), [3]));
  const tokens = reshape(sum(best, [1]), [rows, columns]);
  const whole = (side: Tensor) => reshape(first(side, 1, 1), [side.shape[0], side.shape[2]]);
  return add(tokens, linear(whole(queries), whole(passages)));
}
