// Keeps parameters on a GPU. They, their moments and their gradients stay there from step to step; AdamW is a graph. Only
// token ids are copied to the GPU, and representations of texts and their gradients in both directions.

import type { Runtime } from "../../../encode/onnx/runtime.ts";
import type { Tensors, TrainerState } from "../data/batch.ts";
import { binaryNode, unaryNode } from "../graph/elementwise.ts";
import { Graph, type Tensor, type WrittenGraph } from "../graph/graph.ts";
import { Session, type Values } from "../graph/session.ts";
import { type ParameterSpec, parametersOf, trainedParametersOf } from "../model/parameters.ts";
import type { ModelSettings, OptimizerSettings, Rates } from "../model/settings.ts";
import { decays, stepNumbers } from "./optimizer.ts";
import { copyTensors, divergenceError, type TrainedParameters, zeroMoments } from "./trained-parameters.ts";

/** Prefixes of the three values that each trained parameter has on the device: itself and its two moments. */
const KINDS = ["", "first.", "second."] as const;

interface Sessions {
  readonly upload: Session;
  readonly download: Session;
  readonly update: Session;
}

export class DeviceParameters implements TrainedParameters {
  readonly #runtime: Runtime;
  readonly #specs: readonly ParameterSpec[];
  readonly #trained: readonly ParameterSpec[];
  readonly #settings: OptimizerSettings;
  readonly #sessions: Sessions;
  /** Parameters by name; their moments by name with the prefix "first." or "second.". */
  #held: Values = {};
  #zeroGradients: Values = {};

  private constructor(
    runtime: Runtime,
    model: ModelSettings,
    settings: OptimizerSettings,
    sessions: Sessions,
  ) {
    this.#runtime = runtime;
    this.#specs = parametersOf(model);
    this.#trained = trainedParametersOf(model);
    this.#settings = settings;
    this.#sessions = sessions;
  }

  static async open(
    runtime: Runtime,
    model: ModelSettings,
    parameters: Tensors,
    settings: OptimizerSettings,
  ): Promise<DeviceParameters> {
    const names = [
      ...parametersOf(model),
      ...trainedParametersOf(model).flatMap(({ name, shape }) =>
        KINDS.slice(1).map((kind) => ({ name: kind + name, shape })),
      ),
    ];
    const copies = copyGraph(names);
    const open = (graph: WrittenGraph, isResident: (name: string) => boolean) =>
      Session.open(runtime, graph, { provider: "webgpu", threads: 0, isResident });
    const held = new DeviceParameters(runtime, model, settings, {
      upload: await open(copies, () => true),
      download: await open(copies, () => false),
      update: await open(updateGraph(model, settings), (name) => name !== "norm"),
    });
    const [first, second] = [zeroMoments(held.#trained), zeroMoments(held.#trained)];
    await held.write({ parameters, firstMoments: first, secondMoments: second });
    held.#zeroGradients = Object.fromEntries(
      held.#trained.map(({ name }) => [`before.${name}`, held.#held[`first.${name}`]]),
    );
    return held;
  }

  get values(): Values {
    return this.#held;
  }

  get noGradients(): Values {
    return this.#zeroGradients;
  }

  async update(gradients: Values, rates: Rates, step: number): Promise<number> {
    const numbers = stepNumbers(this.#settings, rates, step);
    const number = (value: number) => new this.#runtime.Tensor("float32", Float32Array.of(value), []);
    const { norm, ...made } = await this.#sessions.update.run({
      ...this.#held,
      ...gradients,
      "rate.encoder": number(numbers.rates.encoder),
      "rate.heads": number(numbers.rates.heads),
      "decay.encoder": number(numbers.decays.encoder),
      "decay.heads": number(numbers.decays.heads),
      sharpen: number(numbers.sharpen),
    });
    const [gradientNorm] = norm.data as Float32Array;
    if (!Number.isFinite(gradientNorm)) {
      disposeAll(Object.values(made));
      throw divergenceError("the gradient's norm", step, gradientNorm);
    }
    this.#replace(Object.fromEntries(Object.entries(made).map(([name, value]) => [name.slice(4), value])));
    return gradientNorm;
  }

  async read(): Promise<Omit<TrainerState, "step">> {
    const read = await this.#sessions.download.run(this.#held);
    const tensors = (kind: string, specs: readonly ParameterSpec[]): Tensors =>
      new Map(
        specs.map(({ name, shape }) => [
          name,
          { shape, data: (read[`copy.${kind}${name}`].data as Float32Array).slice() },
        ]),
      );
    return {
      parameters: tensors("", this.#specs),
      firstMoments: tensors("first.", this.#trained),
      secondMoments: tensors("second.", this.#trained),
    };
  }

  async write(state: Omit<TrainerState, "step">): Promise<void> {
    const tensors = (from: Tensors, kind: string) =>
      Array.from(from, ([name, { shape, data }]) => [
        kind + name,
        new this.#runtime.Tensor("float32", data, shape),
      ]);
    const written = await this.#sessions.upload.run(
      Object.fromEntries([
        ...tensors(copyTensors(state.parameters, this.#specs, "values"), ""),
        ...tensors(copyTensors(state.firstMoments, this.#trained, "first moments"), "first."),
        ...tensors(copyTensors(state.secondMoments, this.#trained, "second moments"), "second."),
      ]),
    );
    this.#replace(Object.fromEntries(Object.entries(written).map(([name, value]) => [name.slice(5), value])));
  }

  async close(): Promise<void> {
    disposeAll([...Object.values(this.#held), ...Object.values(this.#zeroGradients)]);
    for (const session of Object.values(this.#sessions)) await session.close();
  }

  /** Replaces values and frees the old ones. The initial zeros are kept: sums of gradients start from them. */
  #replace(values: Values): void {
    const kept = new Set(Object.values(this.#zeroGradients));
    disposeAll(
      Object.keys(values)
        .flatMap((name) => this.#held[name] ?? [])
        .filter((old) => !kept.has(old)),
    );
    this.#held = { ...this.#held, ...values };
  }
}

/** Frees values that are on a device. */
export function disposeAll(values: Iterable<Values[string]>): void {
  for (const value of new Set(values)) if (value.location === "gpu-buffer") value.dispose();
}

/** A graph that copies every tensor to "copy." + its name. */
function copyGraph(
  tensors: readonly { readonly name: string; readonly shape: readonly number[] }[],
): WrittenGraph {
  const graph = new Graph();
  return graph.written(
    Object.fromEntries(
      tensors.map(({ name, shape }) => [`copy.${name}`, graph.input(name, "float32", shape)]),
    ),
  );
}

/** A graph with the arithmetic of optimizer.ts for all parameters at once. */
function updateGraph(
  model: ModelSettings,
  { betas = [0.9, 0.999], epsilon = 1e-8, clip = 1 }: OptimizerSettings,
) {
  const graph = new Graph();
  const specs = trainedParametersOf(model);
  const scalar = (name: string) => graph.input(name, "float32", []);
  const rates = { encoder: scalar("rate.encoder"), heads: scalar("rate.heads") };
  const shrink = { encoder: scalar("decay.encoder"), heads: scalar("decay.heads") };
  const sharpen = scalar("sharpen");
  const gradients = specs.map(({ name, shape }) => graph.input(`gradient.${name}`, "float32", shape));
  const squares = gradients.map((gradient) =>
    graph.add("ReduceSumSquare", [gradient], [], { attributes: { keepdims: 0 } }),
  );
  const norm = unaryNode(
    "Sqrt",
    squares.reduce((a, b) => binaryNode("Add", a, b)),
  );
  const factor = Number.isFinite(clip)
    ? graph.add("Min", [binaryNode("Div", graph.number(clip), norm), graph.number(1)], [])
    : graph.number(1);
  const blend = (old: Tensor, now: Tensor, beta: number) =>
    binaryNode(
      "Add",
      binaryNode("Mul", old, graph.number(beta)),
      binaryNode("Mul", now, graph.number(1 - beta)),
    );
  const outputs: Record<string, Tensor> = { norm };
  for (const [i, spec] of specs.entries()) {
    const { name, shape, group } = spec;
    const [values, first, second] = KINDS.map((kind) => graph.input(kind + name, "float32", shape));
    const gradient = binaryNode("Mul", gradients[i], factor);
    const m = blend(first, gradient, betas[0]);
    const v = blend(second, binaryNode("Mul", gradient, gradient), betas[1]);
    const width = binaryNode("Add", binaryNode("Mul", unaryNode("Sqrt", v), sharpen), graph.number(epsilon));
    const move = binaryNode("Mul", binaryNode("Div", m, width), rates[group]);
    const kept = decays(spec) ? binaryNode("Sub", values, binaryNode("Mul", values, shrink[group])) : values;
    outputs[`new.${name}`] = binaryNode("Sub", kept, move);
    outputs[`new.first.${name}`] = m;
    outputs[`new.second.${name}`] = v;
  }
  return graph.written(outputs);
}
