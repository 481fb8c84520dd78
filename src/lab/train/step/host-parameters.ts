// Keeps parameters in the host's memory: the runtime reads the arrays without a copy, and the optimizer changes them in
// place.

import type { Runtime } from "../../../encode/onnx/runtime.ts";
import type { Tensors, TrainerState } from "../data/batch.ts";
import type { Values } from "../graph/session.ts";
import { type ParameterSpec, parametersOf, trainedParametersOf } from "../model/parameters.ts";
import type { ModelSettings, OptimizerSettings, Rates } from "../model/settings.ts";
import {
  clipFactor,
  gradientNorm,
  type OptimizedParameter,
  stepNumbers,
  updateByAdamW,
} from "./optimizer.ts";
import { copyTensors, divergenceError, type TrainedParameters, zeroMoments } from "./trained-parameters.ts";

export class HostParameters implements TrainedParameters {
  readonly values: Values;
  readonly noGradients: Values;
  readonly #specs: readonly ParameterSpec[];
  readonly #trained: readonly OptimizedParameter[];
  readonly #settings: OptimizerSettings;

  constructor(runtime: Runtime, model: ModelSettings, parameters: Tensors, settings: OptimizerSettings) {
    this.#specs = parametersOf(model);
    this.#settings = settings;
    const held = copyTensors(parameters, this.#specs, "values");
    const trained = trainedParametersOf(model);
    const [first, second, none] = [zeroMoments(trained), zeroMoments(trained), zeroMoments(trained)];
    this.#trained = trained.map((spec) => ({
      spec,
      values: held.get(spec.name)!.data,
      first: first.get(spec.name)!.data,
      second: second.get(spec.name)!.data,
    }));
    const tensors = (from: Tensors, prefix: string) =>
      Object.fromEntries(
        Array.from(from, ([name, { shape, data }]) => [
          prefix + name,
          new runtime.Tensor("float32", data, shape),
        ]),
      );
    this.values = tensors(held, "");
    this.noGradients = tensors(none, "before.");
  }

  async update(gradients: Values, rates: Rates, step: number): Promise<number> {
    const arrays = this.#trained.map(({ spec }) => gradients[`gradient.${spec.name}`].data as Float32Array);
    const norm = gradientNorm(arrays);
    if (!Number.isFinite(norm)) throw divergenceError("the gradient's norm", step, norm);
    const factor = clipFactor(norm, this.#settings.clip);
    const numbers = stepNumbers(this.#settings, rates, step);
    this.#trained.forEach((parameter, i) => {
      updateByAdamW(parameter, arrays[i], factor, numbers);
    });
    return norm;
  }

  async read(): Promise<Omit<TrainerState, "step">> {
    const moments = (which: "first" | "second"): Tensors =>
      new Map(
        this.#trained.map(({ spec, [which]: data }) => [
          spec.name,
          { shape: spec.shape, data: data.slice() },
        ]),
      );
    const parameters = new Map(
      this.#specs.map(({ name, shape }) => [
        name,
        { shape, data: (this.values[name].data as Float32Array).slice() },
      ]),
    );
    return { parameters, firstMoments: moments("first"), secondMoments: moments("second") };
  }

  async write(state: Omit<TrainerState, "step">): Promise<void> {
    const specs = this.#trained.map(({ spec }) => spec);
    // Check everything before changing anything.
    const parameters = copyTensors(state.parameters, this.#specs, "values");
    const first = copyTensors(state.firstMoments, specs, "first moments");
    const second = copyTensors(state.secondMoments, specs, "second moments");
    for (const { name } of this.#specs) {
      (this.values[name].data as Float32Array).set(parameters.get(name)!.data);
    }
    for (const held of this.#trained) {
      held.first.set(first.get(held.spec.name)!.data);
      held.second.set(second.get(held.spec.name)!.data);
    }
  }

  async close(): Promise<void> {}
}
