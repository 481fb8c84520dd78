// The exponents of a batch's pieces → the weights of its terms: BM25's parts times exp(exponent), summed over the occurrences of a
// term. The inner product of a query's weights and a passage's is the anchored lexical score.

import type { Role } from "../../../encode/contract/description.ts";
import { elementsAt, reshape } from "../graph/arrange.ts";
import { add, exp, mul, sub } from "../graph/elementwise.ts";
import type { Graph, Tensor } from "../graph/graph.ts";
import { pooledTokens } from "../graph/pooling.ts";
import { sum } from "../graph/reduce.ts";
import type { RepresentationTensors } from "../model/head-graphs.ts";

/** The axis of the batch's terms. */
const TERMS = "terms";

/** Adds the lexical part to the exponents of both sides, if the sides have exponents. */
export function withWordWeights(
  graph: Graph,
  sides: Readonly<Record<Role, RepresentationTensors>>,
): Readonly<Record<Role, RepresentationTensors>> {
  const { query, passage } = sides;
  if (!query.exponents || !passage.exponents) return sides;
  const idf = graph.input("words.idf", "float32", [TERMS]);
  return {
    query: { ...query, lexical: mul(weights(graph, query.exponents, "query"), idf) },
    passage: { ...passage, lexical: weights(graph, passage.exponents, "passage") },
  };
}

/** [rows, terms], from exponents of [rows, tokens, 1]. */
function weights(graph: Graph, exponents: Tensor, role: Role): Tensor {
  const [rows, tokens] = exponents.shape;
  const shape = [rows, `${role}.words`];
  const input = (name: string, type: "int32" | "float32") =>
    graph.input(`${role}.words.${name}`, type, shape);
  const found = elementsAt(reshape(exponents, [rows, tokens]), input("at", "int32"));
  const read = input("read", "float32");
  const own = exp(mul(found, read));
  // Words that the model does not read take the mean factor of those that it reads.
  const others = sum(mul(own, input("means", "float32")), [1]);
  const factors = add(mul(sub(own, others), read), others);
  return pooledTokens(input("terms", "int32"), mul(factors, input("shares", "float32")), TERMS, "add");
}
