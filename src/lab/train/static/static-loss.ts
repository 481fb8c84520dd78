// The loss of a batch of pairs, and its gradients, as a graph. Queries and passages come in as sums of rows, the teacher's
// vectors at length 1. For each of the nested dims the loss adds:
//
//   contrast       a query's own passage must score highest, and a passage's own query
//   distribution   a query's scores must be distributed over the passages as the teacher's are
//   passages       the same for the scores between passages
//   direction      a vector must point where the teacher's does

import { first, transpose } from "../graph/arrange.ts";
import { add, mul, sub } from "../graph/elementwise.ts";
import { Graph, type Tensor, type WrittenGraph } from "../graph/graph.ts";
import { linear } from "../graph/matmul.ts";
import { logSumExp, softmax, unit } from "../graph/normalize.ts";
import { mean, sum, total } from "../graph/reduce.ts";
import type { StaticConfig } from "./static-config.ts";

/** Inputs: "queries", "passages", "teacherQueries", "teacherPassages". Outputs: "loss", "queryGradients", "passageGradients". */
export function staticLossGraph({ dims, nested, loss: settings, batch }: StaticConfig): WrittenGraph {
  const { temperature, contrast, distribution, passages: amongPassages, direction } = settings;
  const graph = new Graph();
  const input = (name: string) => graph.input(name, "float32", [batch.pairs, dims]);
  const [queries, passages] = [input("queries"), input("passages")];
  const [teacherQueries, teacherPassages] = [input("teacherQueries"), input("teacherPassages")];
  const targets = softmax(scores(teacherQueries, teacherPassages, temperature));
  const passageTargets =
    amongPassages > 0 ? softmax(scores(teacherPassages, teacherPassages, temperature)) : undefined;

  const lossAt = (width: number): Tensor => {
    const [query, passage] = [unit(first(queries, 1, width)), unit(first(passages, 1, width))];
    const matrix = scores(query, passage, temperature);
    const spread = meanOfColumn(logSumExp(matrix));
    const parts = [
      // Cross-entropy with the targets: log Σ exp(scores) − Σ targets · scores.
      mul(sub(spread, meanOfColumn(sum(mul(targets, matrix), [1]))), distribution),
      mul(
        sub(
          mul(add(spread, meanOfColumn(logSumExp(transpose(matrix, [1, 0])))), 0.5),
          mul(meanOfColumn(sum(mul(query, passage), [1])), 1 / temperature),
        ),
        contrast,
      ),
      mul(
        add(agreement(query, teacherQueries, width), agreement(passage, teacherPassages, width)),
        -direction,
      ),
    ];
    if (passageTargets) {
      const passageScores = scores(passage, passage, temperature);
      parts.push(
        mul(
          sub(
            meanOfColumn(logSumExp(passageScores)),
            meanOfColumn(sum(mul(passageTargets, passageScores), [1])),
          ),
          amongPassages,
        ),
      );
    }
    return parts.reduce((a, b) => add(a, b));
  };
  const loss = nested
    .map(({ dims: width, weight }) => mul(lossAt(width), weight))
    .reduce((a, b) => add(a, b));
  const [queryGradients, passageGradients] = graph.gradients([[loss, graph.number(1)]], [queries, passages]);
  return graph.written({ loss, queryGradients, passageGradients });
}

function scores(a: Tensor, b: Tensor, temperature: number): Tensor {
  return mul(linear(a, b), 1 / temperature);
}

/** The mean cosine with the teacher's vectors, cut to the same width. */
function agreement(vectors: Tensor, teacher: Tensor, width: number): Tensor {
  return meanOfColumn(sum(mul(vectors, unit(first(teacher, 1, width))), [1]));
}

function meanOfColumn(column: Tensor): Tensor {
  return total(mean(column, [0]));
}
