// Computes the loss of a batch from its scores: one number that training minimizes.

import { abs, add, exp, mul, sub } from "../graph/elementwise.ts";
import type { Tensor } from "../graph/graph.ts";
import { logSoftmax } from "../graph/normalize.ts";
import { mean, sum, total } from "../graph/reduce.ts";
import type { RepresentationTensors } from "../model/head-graphs.ts";
import type { LossSettings, LossTerm } from "../model/settings.ts";
import { type Scores, scores } from "./scores.ts";

/** The targets that scores are compared with. */
export interface Targets {
  /** [queries, passages]: 1 for the positive of each query, else 0. */
  readonly positives: Tensor;
  /** [queries, passages]: the teacher's scores, for distillation. */
  readonly teacher?: Tensor;
  /** The weights of the FLOPS regularizer at this step, without axes. */
  readonly flopsQuery?: Tensor;
  readonly flopsPassage?: Tensor;
}

interface Loss {
  readonly loss: Tensor;
  /** The weighted parts. Their sum is the loss. */
  readonly parts: Readonly<Record<string, Tensor>>;
  readonly scores: Scores;
}

const NLL: readonly LossTerm[] = [{ kind: "nll" }];

export function lossOf(
  queries: RepresentationTensors,
  passages: RepresentationTensors,
  targets: Targets,
  settings: LossSettings,
): Loss {
  const { terms = NLL } = settings;
  const compared = scores(queries, passages, settings);
  const parts: Record<string, Tensor> = {};
  const collect = (name: string, part: Tensor) => {
    parts[name] = parts[name] ? add(parts[name], part) : part;
  };
  for (const term of terms) {
    const { kind, of = "fused", weight = 1, scale = 1, teacherScale = 1 } = term;
    const rows = logSoftmax(scaledBy(compared[of]!, scale));
    const part =
      kind === "nll"
        ? likelihood(rows, targets.positives)
        : divergence(rows, logSoftmax(scaledBy(targets.teacher!, teacherScale)));
    collect(of === "fused" ? kind : `${kind} ${of}`, scaledBy(part, weight));
  }
  if (settings.flops) {
    collect("flops", mul(flops(queries.lexical!), targets.flopsQuery!));
    collect("flops", mul(flops(passages.lexical!), targets.flopsPassage!));
  }
  return { loss: Object.values(parts).reduce((a, b) => add(a, b)), parts, scores: compared };
}

/** The mean over the queries of −log(the positive's softmax probability). */
function likelihood(logShares: Tensor, positives: Tensor): Tensor {
  return mul(total(mean(sum(mul(logShares, positives), [1]), [0])), -1);
}

/** The mean over the queries of KL(teacher ‖ model). Both arguments are logarithms of probabilities. */
function divergence(logShares: Tensor, teacher: Tensor): Tensor {
  return total(mean(sum(mul(exp(teacher), sub(teacher, logShares)), [1]), [0]));
}

/** Σ over the vocabulary of (the mean over the texts of |weight|)²: an estimate of the work of a search. */
function flops(lexical: Tensor): Tensor {
  const each = mean(abs(lexical), [0]);
  return total(mul(each, each));
}

/** The weight of the regularizer at a step. It grows with the square of the step until step `steps`. */
export function flopsWeight(weight: number, step: number, steps: number): number {
  return step >= steps ? weight : weight * (step / steps) ** 2;
}

function scaledBy(a: Tensor, factor: number): Tensor {
  return factor === 1 ? a : mul(a, factor);
}

/** Whether a batch needs a teacher's scores. */
export function needsTeacher({ terms = NLL }: LossSettings): boolean {
  return terms.some(({ kind }) => kind === "kl");
}
