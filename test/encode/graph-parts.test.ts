// A part of a graph gives what the whole graph gives.

import { beforeAll, expect, test } from "vitest";
import { keepOutputs } from "../../src/encode/onnx/graph-parts.ts";
import { loadRuntime, type Runtime } from "../../src/encode/onnx/runtime.ts";
import { add, mul } from "../../src/lab/train/graph/elementwise.ts";
import { Graph, type Tensor } from "../../src/lab/train/graph/graph.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

let runtime: Runtime;
beforeAll(async () => {
  runtime = await loadRuntime();
});

/** A graph of random sums and products, every node of which may be an output. */
function madeUp(seed: number): { bytes: Uint8Array; names: string[] } {
  const random = mulberry32(seed);
  const graph = new Graph();
  const constant = (value: number) =>
    graph.constant("float32", [3], new Uint8Array(Float32Array.of(value, 2, 3).buffer));
  const values: Tensor[] = [graph.input("x", "float32", [3]), constant(1), constant(2)];
  const any = () => values[Math.floor(random() * values.length)];
  const outputs: Record<string, Tensor> = {};
  for (let i = 0; i < 12; i++) {
    const made = random() < 0.5 ? add(any(), any()) : mul(any(), any());
    values.push(made);
    outputs[`out${i}`] = made;
  }
  return { bytes: graph.written(outputs).bytes, names: Object.keys(outputs) };
}

async function run(bytes: Uint8Array, fetched: readonly string[]) {
  const session = await runtime.InferenceSession.create(bytes, { logSeverityLevel: 3 });
  const x = new runtime.Tensor("float32", Float32Array.of(0.5, -1, 2), [3]);
  const found = await session.run(session.inputNames.includes("x") ? { x } : {});
  return { names: session.outputNames, values: fetched.map((name) => found[name].data) };
}

test.each([1, 2, 3, 4, 5, 6])("random graph %i: any outputs of it, and nothing else", async (seed) => {
  const { bytes, names } = madeUp(seed);
  const random = mulberry32(seed + 100);
  const wanted = names.filter(() => random() < 0.2);
  if (wanted.length === 0) wanted.push(names[3]);
  const part = keepOutputs(bytes, wanted)!;
  expect(part.length).toBeLessThan(bytes.length);
  const [whole, cut] = [await run(bytes, wanted), await run(part, wanted)];
  expect([...cut.names].sort()).toEqual([...wanted].sort());
  expect(cut.values).toEqual(whole.values);
});

test("where nothing can be left out, or nothing is known, there is no part", () => {
  const { bytes, names } = madeUp(1);
  expect(keepOutputs(bytes, names)).toBeUndefined();
  expect(keepOutputs(bytes, ["nowhere"])).toBeUndefined();
  expect(keepOutputs(new Uint8Array(0), ["out1"])).toBeUndefined();
  // A file that was cut short is refused, or its part has no more bytes than are left of it.
  for (let end = 1; end < bytes.length; end += 7)
    expect(keepOutputs(bytes.subarray(0, end), ["out1"])?.length ?? 0).toBeLessThanOrEqual(end);
});
