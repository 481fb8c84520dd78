import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tokenizerJson } from "../../../../test/helpers/onnx.ts";
import { Encoder } from "../../../encode/encoder.ts";
import { loadRuntime } from "../../../encode/onnx/runtime.ts";
import { packTable, quantizeTable } from "../../../encode/static/table-file.ts";
import { Fingerprint } from "../../../support/bytes/hash.ts";
import { mulberry32 } from "../../../support/numbers/random.ts";
import { Session } from "../graph/session.ts";
import { clustersOf, groupedBatches } from "./groups.ts";
import { readPairs } from "./pairs.ts";
import { rotationOf, turnInto } from "./principal-rotation.ts";
import { readStaticConfig, type StaticConfig } from "./static-config.ts";
import { staticLossGraph } from "./static-loss.ts";
import { fingerprintOf, loadTeacherVectors } from "./teacher-vectors.ts";
import { trainStatic } from "./train-static.ts";

const DIMS = 8;
const WORDS = ["sleep", "night", "boat", "canal", "heart", "artery", "stamp", "paper", "α"];

const randomNumbers = (count: number, seed: number) => {
  const random = mulberry32(seed);
  return Float32Array.from({ length: count }, () => random() - 0.5);
};

/** A config, its data, and what a teacher would have said, in a new folder. */
async function prepared(changes: object = {}): Promise<{ config: StaticConfig; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "static-train-"));
  const keep = join(folder, "keep");
  mkdirSync(keep);
  const random = mulberry32(3);
  const word = () => WORDS[Math.floor(random() * WORDS.length)];
  const lines = Array.from({ length: 64 }, () => {
    const shared = word();
    return JSON.stringify({ query: `${shared} ${word()}`, positive: `${shared} ${word()} ${word()}` });
  });
  writeFileSync(join(folder, "pairs.jsonl"), lines.join("\n"));
  writeFileSync(join(folder, "tokenizer.json"), tokenizerJson(["[UNK]", "[CLS]", "[SEP]", ...WORDS]));
  const file = join(folder, "config.json");
  const settings = {
    kind: "static",
    tokenizer: "tokenizer.json",
    teacher: { encoder: "none", keep: "keep" },
    data: { files: [{ path: "pairs.jsonl" }] },
    dims: DIMS,
    nested: [
      { dims: 8, lambda: 12 },
      { dims: 4, weight: 0.5 },
    ],
    batch: { pairs: 16, groups: 4, clusters: 4 },
    steps: 40,
    ...changes,
  };
  writeFileSync(file, JSON.stringify(settings));
  const config = await readStaticConfig(file);
  const pairs = await readPairs(config);
  const meaning = randomNumbers(WORDS.length * DIMS, 1);
  const vectors = (texts: readonly string[]) =>
    Float32Array.from(
      texts.flatMap((text) =>
        Array.from({ length: DIMS }, (_, i) =>
          text.split(" ").reduce((sum, each) => sum + meaning[WORDS.indexOf(each) * DIMS + i], 0),
        ),
      ),
    );
  const table = (numbers: Float32Array) => packTable(quantizeTable(numbers, DIMS));
  const pieces = WORDS.reduce((hash, piece) => hash.add(piece), new Fingerprint()).toString();
  writeFileSync(join(keep, "queries.table"), table(vectors(pairs.queries)));
  writeFileSync(join(keep, "passages.table"), table(vectors(pairs.passages)));
  writeFileSync(join(keep, `pieces-${pieces}.table`), table(randomNumbers(WORDS.length * DIMS, 2)));
  writeFileSync(join(keep, "rotation.f64"), new Uint8Array(new Float64Array(DIMS * DIMS).buffer));
  writeFileSync(join(keep, "texts.txt"), fingerprintOf(config, pairs));
  return { config, folder };
}

describe("training a static encoder", () => {
  test("lowers the loss, repeats from its seed, and gives an encoder that opens", async () => {
    const { config, folder } = await prepared();
    const losses: number[] = [];
    const first = await trainStatic(config, join(folder, "first"), {
      onStep: ({ loss }) => losses.push(loss),
    });
    const again = await trainStatic(config, join(folder, "again"));
    const table = (model: string) => readFileSync(join(model, "vectors.table"));
    expect(table(again.model)).toEqual(table(first.model));
    expect(losses.at(-1)!).toBeLessThan(losses[0] - 0.2);
    const other = await trainStatic({ ...config, seed: 2 }, join(folder, "other")).catch((error) => error);
    expect(String(other)).toContain("other texts"); // another seed chooses other pairs, which the teacher has not seen
    const encoder = await Encoder.open(first.model);
    expect(encoder.description).toEqual({ kind: "static", dims: 8, lambda: 12 });
    const [{ vector }] = await encoder.encode(["sleep at night"], "passage");
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 6);
  });

  test("leaves out pieces of other scripts that the texts hardly have", async () => {
    const { config, folder } = await prepared({ steps: 1 });
    const { model } = await trainStatic(config, join(folder, "run"));
    expect(readFileSync(join(model, "pieces.txt"), "utf8")).not.toContain("α");
  });

  test("refuses a folder that holds a run, and vectors of other texts", async () => {
    const { config, folder } = await prepared({ steps: 1 });
    await trainStatic(config, join(folder, "run"));
    await expect(trainStatic(config, join(folder, "run"))).rejects.toThrow("already holds a run");
    await expect(loadTeacherVectors(config, { queries: ["x"], passages: ["y"] })).rejects.toThrow(
      "other texts",
    );
  });

  test("its teacher is a name, or a folder beside the config", async () => {
    const { folder } = await prepared({ steps: 1 });
    mkdirSync(join(folder, "models", "teacher"), { recursive: true });
    const file = join(folder, "config.json");
    const settings = JSON.parse(readFileSync(file, "utf8"));
    const encoderOf = async (encoder: string) => {
      writeFileSync(file, JSON.stringify({ ...settings, teacher: { ...settings.teacher, encoder } }));
      return (await readStaticConfig(file)).teacher.encoder;
    };
    expect(await encoderOf("models/teacher")).toBe(join(folder, "models", "teacher"));
    expect(await encoderOf("./nowhere")).toBe(join(folder, "nowhere"));
    for (const name of ["builtin:vectors", "owner/name", "bultin"]) expect(await encoderOf(name)).toBe(name);
    await expect(encoderOf("$NO_SUCH_VARIABLE/teacher")).rejects.toThrow("NO_SUCH_VARIABLE is not set");
  });

  test("names a wrong key of its config", async () => {
    await expect(prepared({ step: 3 })).rejects.toThrow('there is no "step"');
    await expect(prepared({ loss: { contrast: -1 } })).rejects.toThrow('"loss.contrast" is -1');
  });
});

test("the loss's gradients are those of finite differences", async () => {
  const { config } = await prepared({
    batch: { pairs: 4, groups: 1, clusters: 1 },
    loss: { passages: 0.5 },
  });
  const runtime = await loadRuntime();
  const session = await Session.open(runtime, staticLossGraph(config), { provider: "cpu", threads: 1 });
  const inputs = ["queries", "passages", "teacherQueries", "teacherPassages"].map(
    (name, i) => [name, randomNumbers(4 * DIMS, 10 + i)] as const,
  );
  const run = async () => {
    const tensors = inputs.map(([name, data]) => [name, new runtime.Tensor("float32", data, [4, DIMS])]);
    return session.run(Object.fromEntries(tensors));
  };
  const result = await run();
  for (const [at, output] of [
    [0, "queryGradients"],
    [1, "passageGradients"],
  ] as const) {
    const data = inputs[at][1];
    for (const i of [0, 5, 17, 31]) {
      const before = data[i];
      const lossAt = async (x: number) => {
        data[i] = x;
        return ((await run()).loss.data as Float32Array)[0];
      };
      const difference = ((await lossAt(before + 5e-3)) - (await lossAt(before - 5e-3))) / 1e-2;
      data[i] = before;
      expect((result[output].data as Float32Array)[i]).toBeCloseTo(difference, 1);
    }
  }
  await session.close();
});

test("a rotation puts the largest direction first and keeps inner products", () => {
  const vectors = Array.from({ length: 200 }, (_, i) => {
    const numbers = randomNumbers(6, i);
    numbers[4] *= 9;
    return numbers;
  });
  const rotation = rotationOf(vectors, 6);
  const [a, b] = [new Float32Array(6), new Float32Array(6)];
  turnInto(vectors[0], rotation, a);
  turnInto(vectors[1], rotation, b);
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i], 0);
  expect(dot(a, b)).toBeCloseTo(dot(vectors[0], vectors[1]), 4);
  expect(Math.abs(a[0])).toBeCloseTo(Math.abs(vectors[0][4]), 0);
});

test("batches go through every pair once an epoch, in groups of one cluster", () => {
  const vectors = Float32Array.from({ length: 64 }, (_, i) => (i % 2 === Math.floor(i / 32) ? 1 : 0)); // 32 × 2
  const clusters = clustersOf(vectors, 2, 2, 1);
  expect(new Set(clusters).size).toBe(2);
  const batches = groupedBatches(clusters, { pairs: 8, groups: 2 }, 1);
  const epoch = Array.from({ length: 4 }, () => [...batches.next().value!]);
  expect(epoch.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, i) => i));
  for (const batch of epoch) {
    for (const group of [batch.slice(0, 4), batch.slice(4)])
      expect(new Set(group.map((i) => clusters[i])).size).toBe(1);
  }
});
