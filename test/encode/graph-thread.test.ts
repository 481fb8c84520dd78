// A graph on a thread of its own gives the same as one on the calling thread, and so does a GPU, within rounding.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundle } from "../../scripts/bundle-tests.mjs";
import { findEncoderFiles } from "../../src/encode/folder/encoder-folder.ts";
import type { GraphPool } from "../../src/encode/onnx/graph-pool.ts";
import type { OnnxEncoder } from "../../src/encode/onnx/onnx-encoder.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { SPECIAL_PIECES, writeModel } from "../helpers/onnx.ts";
import { tryDevice } from "../helpers/swiftshader.ts";

const random = mulberry32(5);
const WORDS = Array.from({ length: 40 }, (_, i) => `w${i}`);
const WIDTH = 16;
const WHOLE = [...SPECIAL_PIECES, ...WORDS].map(() =>
  Array.from({ length: WIDTH }, () => Math.fround(2 * random() - 1)),
);
const SQUARE = WHOLE.slice(0, WIDTH);
const DENSE = {
  kind: "dense",
  pooling: "mean",
  normalize: true,
  maxLength: { query: 16, passage: 64 },
};
/** Texts of 0 to 79 words: more than two batches. */
const TEXTS = Array.from({ length: 300 }, () =>
  Array.from({ length: Math.floor(80 * random()) }, () => WORDS[Math.floor(WORDS.length * random())]).join(
    " ",
  ),
);

let outDir: string;
let Opened: typeof OnnxEncoder;
let Pool: typeof GraphPool;
const folders: string[] = [];

beforeAll(async () => {
  const input = {
    "onnx-encoder": "src/encode/onnx/onnx-encoder.ts",
    "graph-pool": "src/encode/onnx/graph-pool.ts",
    "graph-thread": "src/encode/onnx/graph-thread.ts",
  };
  outDir = await bundle("graph-thread", input, { entryFileNames: "[name].js", chunkFileNames: "[name].js" });
  const load = (name: string) => import(/* @vite-ignore */ pathToFileURL(join(outDir, name)).href);
  ({ OnnxEncoder: Opened } = await load("onnx-encoder.js"));
  ({ GraphPool: Pool } = await load("graph-pool.js"));
}, 120_000);

afterAll(() => {
  for (const folder of [outDir, ...folders]) rmSync(folder, { recursive: true, force: true });
});

function folderOf(states = WHOLE, description: object = DENSE): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-thread-"));
  folders.push(folder);
  const products = { product: SQUARE };
  writeModel(folder, { states, products }, [...SPECIAL_PIECES, ...WORDS], description);
  return folder;
}

async function open(folder: string, options: Parameters<typeof OnnxEncoder.open>[1]): Promise<OnnxEncoder> {
  return await Opened.open(await findEncoderFiles(folder, undefined), options);
}

describe("a graph on a thread of its own", () => {
  test("is one: its program was found", async () => {
    const path = join(folderOf(), "model.onnx");
    const pool = await Pool.open({ path, bytes: undefined, threads: 1, provider: "cpu" });
    expect(pool?.inputNames).toEqual(["input_ids"]);
    await pool!.release();
  });

  test("gives the same bits, and tells of every text once", async () => {
    const folder = folderOf();
    const [here, there] = [await open(folder, {}), await open(folder, { needsThread: true })];
    const told = new Map<number, Float32Array>();
    const counts: number[] = [];
    const encodings = await there.encode(TEXTS, "passage", {
      onEncoded: (i, { vector }) => {
        expect(told.has(i)).toBe(false);
        told.set(i, vector!);
      },
      onProgress: ({ done }) => counts.push(done),
    });
    expect(encodings).toEqual(await here.encode(TEXTS, "passage"));
    expect(TEXTS.map((_, i) => told.get(i))).toEqual(encodings.map(({ vector }) => vector));
    expect(counts.length).toBeGreaterThan(2);
    expect(counts.at(-1)).toBe(TEXTS.length);
    await Promise.all([here.close(), there.close()]);
  });

  test("stops when its signal is aborted, and encodes again afterwards", async () => {
    const encoder = await open(folderOf(), { needsThread: true });
    const controller = new AbortController();
    const many = Array.from({ length: 20 }, () => TEXTS).flat();
    let done = 0;
    const encoding = encoder.encode(many, "passage", {
      signal: controller.signal,
      onProgress: (progress) => {
        done = progress.done;
        controller.abort();
      },
    });
    await expect(encoding).rejects.toMatchObject({ name: "AbortError" });
    const atRejection = done;
    expect(atRejection).toBeLessThan(many.length);
    const [again] = await encoder.encode(["w1 w2"], "query");
    expect(again.vector).toHaveLength(WIDTH);
    expect(done).toBe(atRejection); // no batch went on after the error
    await encoder.close();
  });

  test("an error in a batch is the caller's, with the model's name, and the thread goes on", async () => {
    // The table lacks the states of the last words, so their rows cannot be read.
    const folder = folderOf(WHOLE.slice(0, -10));
    const encoder = await open(folder, { needsThread: true });
    await expect(encoder.encode(["w1", "w39"], "passage")).rejects.toMatchObject({
      message: expect.stringContaining(`${folder}: the model fails on texts of `),
      code: "ERR_SLUICE_DAMAGED",
    });
    expect(await encoder.encode(["w1"], "passage")).toHaveLength(1);
    await encoder.close();
  });

  test("a damaged graph and a missing output are refused at opening", async () => {
    const damaged = folderOf();
    const path = join(damaged, "model.onnx");
    writeFileSync(path, readFileSync(path).subarray(0, 500));
    await expect(open(damaged, { needsThread: true })).rejects.toMatchObject({
      message: expect.stringContaining(`${path}: `),
      code: "ERR_SLUICE_DAMAGED",
    });
    const other = folderOf(WHOLE, { kind: "splade", maxLength: DENSE.maxLength });
    await expect(open(other, { needsThread: true })).rejects.toThrow('the graph has no output "logits"');
  });

  test("ends when the encoder is closed, after the batches that it has", async () => {
    const encoder = await open(folderOf(), { needsThread: true });
    const encoding = encoder.encode(["w1"], "passage");
    await Promise.all([encoding, encoding.then(() => encoder.close())]);
    await encoder.close();
    await expect(encoder.encode(["w1"], "passage")).rejects.toThrow("the encoder is closed");
  });
});

const device = await tryDevice();
const noGpu = typeof device === "string" ? device : undefined;
if (typeof device !== "string") device.close();
if (noGpu) console.log(`an encoder on a GPU: skipped: ${noGpu}`);

describe.skipIf(noGpu)("on a GPU", () => {
  test("vectors are the processor's within 1e-6", async () => {
    const folder = folderOf();
    const [cpu, gpu] = [await open(folder, {}), await open(folder, { provider: "webgpu" })];
    const some = TEXTS.slice(0, 20);
    const [exact, fast] = [await cpu.encode(some, "passage"), await gpu.encode(some, "passage")];
    for (const [i, { vector }] of exact.entries()) {
      for (const [j, x] of vector!.entries()) expect(Math.abs(fast[i].vector![j] - x)).toBeLessThan(1e-6);
    }
    await Promise.all([cpu.close(), gpu.close()]);
  });
});
