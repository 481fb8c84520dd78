// Where parameters lie while they are trained: in the host's memory (host.ts) or on a device (device.ts).

import { UsageError } from "../../../errors.ts";
import type { Tensors, TrainerState } from "../batch.ts";
import type { Values } from "../graph/session.ts";
import type { ParameterSpec } from "../model/parameters.ts";
import type { Rates } from "../model/settings.ts";

export interface TrainedParameters {
  /** By name, as a graph takes them. */
  readonly values: Values;
  /** Gradients of 0, named "before." and the parameter: what a sum of gradients begins with. */
  readonly noGradients: Values;
  /**
   * One optimisation step, the `step`-th, by gradients named "gradient." and the parameter. Gives the length of the
   * whole gradient; if that is no number, nothing has changed and it is a UsageError.
   */
  update(gradients: Values, rates: Rates, step: number): Promise<number>;
  read(): Promise<Omit<TrainerState, "step">>;
  write(state: Omit<TrainerState, "step">): Promise<void>;
  close(): Promise<void>;
}

/** A training step that must not be made. */
export function divergenceError(what: string, step: number, value: number): UsageError {
  return new UsageError(
    `${what} is ${value} at step ${step}; the parameters are those from before it`,
    "lower the learning rates or lengthen the warm-up, and go on from the last checkpoint",
  );
}

/** Moments of 0. */
export function zeroMoments(specs: readonly ParameterSpec[]): Tensors {
  return new Map(
    specs.map(({ name, shape }) => [
      name,
      { shape, data: new Float32Array(shape.reduce((product, dim) => product * dim, 1)) },
    ]),
  );
}

/** Tensors by these names, copied. */
export function copyTensors(tensors: Tensors, specs: readonly ParameterSpec[], what: string): Tensors {
  return new Map(
    specs.map(({ name, shape }) => {
      const held = tensors.get(name);
      const size = shape.reduce((product, dim) => product * dim, 1);
      if (held?.data.length !== size) {
        throw new UsageError(
          `the ${what} of ${name} ${held ? `have ${held.data.length} numbers instead of ${size}` : "are missing"}`,
          "take the settings that the state was made with",
        );
      }
      return [name, { shape, data: held.data.slice() }] as const;
    }),
  );
}
