// The interface of parameters in training. They are in the host's memory (host-parameters.ts) or on a GPU
// (device-parameters.ts).

import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { Tensors, TrainerState } from "../data/batch.ts";
import type { Values } from "../graph/session.ts";
import type { ParameterSpec } from "../model/parameters.ts";
import type { Rates } from "../model/settings.ts";

export interface TrainedParameters {
  /** Parameters by name, as inputs of a graph. */
  readonly values: Values;
  /** Gradients of 0 under "before." + the parameter's name: the start of a sum of gradients. */
  readonly noGradients: Values;
  /**
   * Does optimization step number `step`. Gradients are named "gradient." + the parameter's name. Returns the norm of the
   * whole gradient. Throws a SluiceError and changes nothing if the norm is NaN or infinite.
   */
  update(gradients: Values, rates: Rates, step: number): Promise<number>;
  read(): Promise<Omit<TrainerState, "step">>;
  write(state: Omit<TrainerState, "step">): Promise<void>;
  close(): Promise<void>;
}

/** The error of a step whose loss or gradient is NaN or infinite. */
export function divergenceError(what: string, step: number, value: number): SluiceError {
  return new SluiceError(
    `${what} is ${value} at step ${step}; the parameters are unchanged`,
    "lower the learning rates or lengthen the warm-up, and continue from the last checkpoint",
  );
}

/** Returns moments of 0. */
export function zeroMoments(specs: readonly ParameterSpec[]): Tensors {
  return new Map(
    specs.map(({ name, shape }) => [
      name,
      { shape, data: new Float32Array(shape.reduce((product, dim) => product * dim, 1)) },
    ]),
  );
}

/** Copies the tensors of these parameters. Throws if one is missing or has another size. */
export function copyTensors(tensors: Tensors, specs: readonly ParameterSpec[], what: string): Tensors {
  return new Map(
    specs.map(({ name, shape }) => {
      const held = tensors.get(name);
      const size = shape.reduce((product, dim) => product * dim, 1);
      if (held?.data.length !== size) {
        throw new SluiceError(
          `the ${what} of ${name} ${held ? `have ${held.data.length} numbers, expected ${size}` : "are missing"}`,
          "use the settings that the state was made with",
        );
      }
      return [name, { shape, data: held.data.slice() }] as const;
    }),
  );
}
