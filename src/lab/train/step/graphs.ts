// Builds the graphs of a training step. Names of inputs and outputs:
//   - a parameter's own name
//   - "ids" and "mask" of texts
//   - "lexical", "semantic", "tokens" or "exponents": a part of the representations
//   - "words.", with or without a side: the words of a batch, for an anchored head
//   - "query." or "passage." is a prefix if a graph has both sides
//   - "gradient." is a prefix of the thing that a gradient belongs to

import type { Role } from "../../../encode/contract/description.ts";
import { flat, rowsOf } from "../graph/arrange.ts";
import { mul, sub } from "../graph/elementwise.ts";
import { Graph, type Tensor, type WrittenGraph } from "../graph/graph.ts";
import { total } from "../graph/reduce.ts";
import type { Shape } from "../graph/shape.ts";
import { withWordWeights } from "../loss/anchored-weights.ts";
import { lossOf, needsTeacher, type Targets } from "../loss/loss.ts";
import { scores } from "../loss/scores.ts";
import { encoderStates, linearLayer, type Texts } from "../model/bert.ts";
import { type RepresentationTensors, represent, tokenLosses } from "../model/head-graphs.ts";
import { parametersOf, trainedParametersOf } from "../model/parameters.ts";
import type { LossSettings, ModelSettings } from "../model/settings.ts";

const PARTS = ["lexical", "semantic", "tokens", "exponents"] as const;
export type Part = (typeof PARTS)[number];

type Outputs = Record<string, Tensor>;

/** Returns the parts that a model's head has. */
export function partsOf({ head }: ModelSettings): Part[] {
  if (head.kind === "colbert") return ["tokens"];
  if (head.lexical?.kind === "anchored") return head.semantic ? ["semantic", "exponents"] : ["exponents"];
  return (["lexical", "semantic"] as const).filter((part) => head[part] !== undefined);
}

/** Whether a part has numbers for each token, not for the text. */
export function isPerToken(part: Part): boolean {
  return part === "tokens" || part === "exponents";
}

/** Numbers of a part per text, or per token. */
export function widthOf(part: Part, { head, encoder }: ModelSettings): number {
  if (head.kind === "colbert") return head.width;
  if (part === "exponents") return 1;
  return part === "lexical" ? encoder.vocabulary : (head.semantic?.width ?? encoder.width);
}

/** Texts → representations. */
export function forwardGraph(model: ModelSettings, role: Role): WrittenGraph {
  const graph = new Graph();
  return graph.written({ ...representSide(graph, inputParameters(graph, model), model, role) });
}

/** Texts, gradients of their representations, and sums of gradients so far → the new sums. */
export function backwardGraph(model: ModelSettings, role: Role): WrittenGraph {
  const graph = new Graph();
  const parameters = inputParameters(graph, model);
  const parts = Object.entries(representSide(graph, parameters, model, role)) as [Part, Tensor][];
  const seeds = parts.map(
    ([part, tensor]) => [tensor, graph.input(`gradient.${part}`, "float32", tensor.shape)] as const,
  );
  return graph.written(sumGradients(graph, seeds, parameters, model));
}

/** Adds the gradients of all trained parameters to the sums so far. */
function sumGradients(
  graph: Graph,
  seeds: readonly (readonly [Tensor, Tensor])[],
  parameters: ReadonlyMap<string, Tensor>,
  model: ModelSettings,
): Outputs {
  const gradients = gradientsOf(graph, seeds, trainedIn(parameters, model));
  return Object.fromEntries(
    trainedParametersOf(model).map(({ name, shape }) => {
      const before = graph.input(`before.${name}`, "float32", shape);
      return [`gradient.${name}`, graph.add("Add", [before, gradients[`gradient.${name}`]], shape)];
    }),
  );
}

/** The gradients of named tensors, under "gradient." + the name. */
function gradientsOf(
  graph: Graph,
  seeds: readonly (readonly [Tensor, Tensor])[],
  named: Readonly<Record<string, Tensor>>,
): Outputs {
  const found = graph.gradients(seeds, Object.values(named));
  return Object.fromEntries(Object.keys(named).map((name, i) => [`gradient.${name}`, found[i]]));
}

function trainedIn(parameters: ReadonlyMap<string, Tensor>, model: ModelSettings): Outputs {
  return Object.fromEntries(trainedParametersOf(model).map(({ name }) => [name, parameters.get(name)!]));
}

/**
 * Inputs: texts with masked tokens, the positions and the original ids of these tokens, the share of each in the mean, and
 * sums of gradients so far. Outputs: the loss of a masked-LM head, and the new sums. If `isWeighed`, also inputs: the
 * positions and target weights of tokens, and the share of each in their mean; output: the squared error, a second loss.
 */
export function maskedGraph(model: ModelSettings, isWeighed: boolean): WrittenGraph {
  const graph = new Graph();
  const parameters = inputParameters(graph, model);
  const parameterOf = (name: string) => parameters.get(name)!;
  const states = encoderStates(textInputs(graph, ""), parameterOf, model.encoder);
  const at = graph.input("at", "int32", ["masked"]);
  const labels = graph.input("labels", "int32", ["masked"]);
  const tokenLoss = tokenLosses(rowsOf(flat(states), at), labels, parameterOf);
  const losses: Outputs = { mlm: mul(total(tokenLoss), graph.input("share", "float32", [])) };
  if (isWeighed) {
    const positions = graph.input("weighed.at", "int32", ["weighed"]);
    const wanted = graph.input("weighed.weights", "float32", ["weighed", 1]);
    const error = sub(linearLayer(rowsOf(flat(states), positions), parameterOf, "lexical.weight"), wanted);
    losses.weights = mul(total(mul(error, error)), graph.input("weighed.share", "float32", []));
  }
  const seeds = Object.values(losses).map((loss) => [loss, graph.number(1)] as const);
  return graph.written({ ...lossParts(losses), ...sumGradients(graph, seeds, parameters, model) });
}

/** Representations of both sides, and targets → the loss, its parts, and the gradients of the representations. */
export function lossGraph(model: ModelSettings, settings: LossSettings): WrittenGraph {
  const graph = new Graph();
  const sides = representationInputs(graph, model);
  const { query, passage } = withWordWeights(graph, sides);
  const { loss, parts } = lossOf(query, passage, targetInputs(graph, settings), settings);
  const named = Object.entries(sides).flatMap(([side, parts]) =>
    Object.entries(parts).map(([part, tensor]): [string, Tensor] => [`${side}.${part}`, tensor]),
  );
  const gradients = gradientsOf(graph, [[loss, graph.number(1)]], Object.fromEntries(named));
  return graph.written({ loss, ...lossParts(parts), ...gradients });
}

/** Representations of both sides → their scores. */
export function scoreGraph(model: ModelSettings, settings: LossSettings): WrittenGraph {
  const graph = new Graph();
  const { query, passage } = withWordWeights(graph, representationInputs(graph, model));
  return graph.written({ scores: scores(query, passage, settings).fused });
}

/** Texts of both sides and targets → the loss, its parts and all gradients, in one piece. */
export function wholeGraph(model: ModelSettings, settings: LossSettings): WrittenGraph {
  const graph = new Graph();
  const parameters = inputParameters(graph, model);
  const { query, passage } = withWordWeights(graph, {
    query: representSide(graph, parameters, model, "query", "query."),
    passage: representSide(graph, parameters, model, "passage", "passage."),
  });
  const { loss, parts } = lossOf(query, passage, targetInputs(graph, settings), settings);
  const gradients = gradientsOf(graph, [[loss, graph.number(1)]], trainedIn(parameters, model));
  return graph.written({ loss, ...lossParts(parts), ...gradients });
}

function inputParameters(graph: Graph, model: ModelSettings): Map<string, Tensor> {
  return new Map(
    parametersOf(model).map(({ name, shape }) => [name, graph.input(name, "float32", shape)] as const),
  );
}

function representSide(
  graph: Graph,
  parameters: ReadonlyMap<string, Tensor>,
  model: ModelSettings,
  role: Role,
  prefix = "",
): RepresentationTensors {
  return represent(textInputs(graph, prefix), (name) => parameters.get(name)!, model, role);
}

function textInputs(graph: Graph, prefix: string): Texts {
  const shape: Shape = [`${prefix}rows`, `${prefix}width`];
  return {
    ids: graph.input(`${prefix}ids`, "int32", shape),
    mask: graph.input(`${prefix}mask`, "float32", shape),
  };
}

function representationInputs(graph: Graph, model: ModelSettings): Record<Role, RepresentationTensors> {
  const side = (role: Role, rows: string): RepresentationTensors =>
    Object.fromEntries(
      partsOf(model).map((part) => {
        const tokens = isPerToken(part) ? [`${role}.width`] : [];
        const shape = [rows, ...tokens, widthOf(part, model)];
        return [part, graph.input(`${role}.${part}`, "float32", shape)];
      }),
    );
  return { query: side("query", "query.rows"), passage: side("passage", "passage.rows") };
}

function targetInputs(graph: Graph, settings: LossSettings): Targets {
  const shape: Shape = ["query.rows", "passage.rows"];
  return {
    positives: graph.input("positives", "float32", shape),
    ...(needsTeacher(settings) && { teacher: graph.input("teacher", "float32", shape) }),
    ...(settings.flops && {
      flopsQuery: graph.input("flopsQuery", "float32", []),
      flopsPassage: graph.input("flopsPassage", "float32", []),
    }),
  };
}

function lossParts(parts: Readonly<Record<string, Tensor>>): Outputs {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [`part.${name}`, part]));
}
