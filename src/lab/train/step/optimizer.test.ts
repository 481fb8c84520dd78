import { expect, test } from "vitest";
import { loadRuntime } from "../../../encode/onnx/runtime.ts";
import { initialParameters, type ParameterSpec, trainedParametersOf } from "../model/parameters.ts";
import type { ModelSettings } from "../model/settings.ts";
import { HostParameters } from "./host-parameters.ts";
import { clipFactor, decays, gradientNorm, stepNumbers, updateByAdamW } from "./optimizer.ts";

const WEIGHT: ParameterSpec = { name: "w", shape: [1, 3], begin: 0, group: "encoder" };
const BIAS: ParameterSpec = { name: "b", shape: [3], begin: 0, group: "heads" };

const begun = (spec: ParameterSpec, values: readonly number[]) => ({
  spec,
  values: Float32Array.from(values),
  first: new Float32Array(values.length),
  second: new Float32Array(values.length),
});

function close(found: Float32Array, expected: readonly number[]): void {
  for (const [i, x] of expected.entries()) expect(found[i]).toBeCloseTo(x, 4);
}

test("the first step moves every number by its group's rate, against the gradient's sign", () => {
  const numbers = stepNumbers({}, { encoder: 0.1, heads: 0.01 }, 1);
  const [weight, bias] = [begun(WEIGHT, [1, 2, 3]), begun(BIAS, [1, 2, 3])];
  const gradient = Float32Array.of(5, -0.01, 0);
  for (const parameter of [weight, bias]) updateByAdamW(parameter, gradient, 1, numbers);
  close(weight.values, [0.9, 2.1, 3]);
  close(bias.values, [0.99, 2.01, 3]);
});

test("ten steps match the paper's algorithm, with decoupled weight decay", () => {
  const settings = { weightDecay: 0.1, betas: [0.8, 0.9], epsilon: 1e-3 } as const;
  const rate = 0.05;
  const ours = begun(WEIGHT, [1, -2, 0.5]);
  const expected = [1, -2, 0.5];
  const [m, v] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (let t = 1; t <= 10; t++) {
    const gradient = Float32Array.from(ours.values, (x, i) => Math.sin(t + i) + x);
    updateByAdamW(ours, gradient, 0.5, stepNumbers(settings, { encoder: rate, heads: 9 }, t));
    gradient.forEach((raw, i) => {
      const g = raw / 2;
      m[i] = 0.8 * m[i] + 0.2 * g;
      v[i] = 0.9 * v[i] + 0.1 * g * g;
      const [corrected, spread] = [m[i] / (1 - 0.8 ** t), v[i] / (1 - 0.9 ** t)];
      expected[i] -= rate * (corrected / (Math.sqrt(spread) + 1e-3) + 0.1 * expected[i]);
    });
  }
  close(ours.values, expected);
});

test("matrices decay, biases and scalars do not", () => {
  expect(decays(WEIGHT)).toBe(true);
  expect(decays(BIAS)).toBe(false);
  expect(decays({ ...BIAS, shape: [] })).toBe(false);
});

test("a gradient is clipped to its greatest norm", () => {
  expect(gradientNorm([Float32Array.of(3), Float32Array.of(0, 4)])).toBe(5);
  expect(clipFactor(5)).toBe(0.2);
  expect(clipFactor(5, 10)).toBe(1);
  expect(clipFactor(5, Number.POSITIVE_INFINITY)).toBe(1);
  expect(clipFactor(0)).toBe(1);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("a gradient of %s changes nothing", async (bad) => {
  const runtime = await loadRuntime();
  const model: ModelSettings = {
    encoder: { vocabulary: 5, width: 4, layers: 1, heads: 1, ffn: 4, positions: 4 },
    head: { kind: "joint", lexical: { kind: "delade" } },
  };
  const held = new HostParameters(runtime, model, initialParameters(model, 1), {});
  const before = await held.read();
  const gradients = Object.fromEntries(
    trainedParametersOf(model).map(({ name, shape }) => {
      const data = new Float32Array(shape.reduce((product, dim) => product * dim, 1)).fill(1);
      if (name === "lexical.bias") data[3] = bad;
      return [`gradient.${name}`, new runtime.Tensor("float32", data, shape)];
    }),
  );
  const rates = { encoder: 1, heads: 1 };
  await expect(held.update(gradients, rates, 7)).rejects.toThrow(
    `the gradient's norm is ${bad} at step 7; the parameters are unchanged`,
  );
  expect(await held.read()).toEqual(before);
});
