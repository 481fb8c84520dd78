// Models of others as int8 encoders: MiniLM from a folder, bge-small from an archive, and folders that are damaged.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { Encoder } from "../../src/encode/encoder.ts";
import { exportBert } from "../../src/lab/train/export/export-bert.ts";
import { parseSafetensors, safetensorsHead } from "../../src/lab/train/model/safetensors.ts";
import { dataPath, noData } from "../helpers/data.ts";
import { BGE_QUERY_PREFIX, fetchBgeSmall } from "../helpers/models.ts";

vi.setConfig({ testTimeout: 300_000 }); // exports whole models

if (noData) console.warn(`int8-models.test.ts skips MiniLM: ${noData}`);

const MINILM = dataPath("models", "minilm-l6-v2");
const TEXTS = [
  "This is an example sentence",
  "A sluice is a gate that controls the flow of water in a mill race.",
  "insomnia",
  "the patient was unable to sleep at night, and reported fatigue ".repeat(12),
];

const root = mkdtempSync(join(tmpdir(), "sluice-int8-models-"));
afterAll(() => rmSync(root, { recursive: true }));

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, each, i) => sum + each * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

async function vectors(folder: string, texts: readonly string[]): Promise<Float32Array[]> {
  const encoder = await Encoder.open(folder);
  const encodings = await encoder.encode(texts, "passage");
  await encoder.close();
  return encodings.map(({ vector }) => vector!);
}

describe.skipIf(noData)("MiniLM", () => {
  test("from its folder: float32 is the model itself, int8 is within a cosine of .99", async () => {
    const [exact, fast] = [join(root, "minilm-float32"), join(root, "minilm-int8")];
    const float32 = await exportBert(MINILM, exact, { pooling: "mean" });
    expect(float32.leastCosine).toBeGreaterThan(0.99999);
    const int8 = await exportBert(MINILM, fast, { pooling: "mean", compute: "int8" });
    expect(int8.leastCosine).toBeGreaterThan(0.99);
    expect(int8.bytes).toBeLessThan(0.26 * float32.bytes);
    const [wanted, found] = [await vectors(exact, TEXTS), await vectors(fast, TEXTS)];
    expect(wanted[0][0]).toBeCloseTo(0.0642, 4);
    for (const [i, vector] of found.entries()) expect(cosine(vector, wanted[i])).toBeGreaterThan(0.99);
    for (const [i, text] of TEXTS.entries()) {
      const [alone] = await vectors(fast, [text]);
      expect(Math.max(...alone.map((x, at) => Math.abs(x - found[i][at])))).toBeLessThan(1e-6);
    }
  });

  test("a folder that is damaged, or says too little, is one clear error", async () => {
    const out = join(root, "damaged-out");
    const files = (name: string, content: Record<string, Uint8Array | string>) => {
      const folder = join(root, name);
      mkdirSync(folder, { recursive: true });
      copyFileSync(join(MINILM, "tokenizer.json"), join(folder, "tokenizer.json"));
      for (const [file, bytes] of Object.entries(content)) writeFileSync(join(folder, file), bytes);
      return folder;
    };
    const refused = (
      folder: string,
      options: Parameters<typeof exportBert>[2] = { pooling: "mean", attentionHeads: 12 },
    ) => expect(exportBert(folder, out, options)).rejects;
    const whole = readFileSync(join(MINILM, "model.safetensors"));
    const onnx = readFileSync(join(MINILM, "model.onnx"));
    const safetensors = (
      change: (tensors: Map<string, { shape: readonly number[]; data: Float32Array }>) => void,
    ) => {
      const tensors = new Map(parseSafetensors(whole, "model.safetensors"));
      change(tensors);
      return Buffer.concat([
        safetensorsHead(tensors),
        ...Array.from(tensors.values(), ({ data }) =>
          Buffer.from(data.buffer, data.byteOffset, data.byteLength),
        ),
      ]);
    };
    await refused(join(root, "nowhere")).toThrow("no such file or folder");
    await refused(files("none", {})).toThrow("no model.onnx and no model.safetensors");
    await refused(files("short", { "model.safetensors": whole.subarray(0, 1_000_000) })).toThrow(
      "outside of the file",
    );
    await refused(files("short-onnx", { "model.onnx": onnx.subarray(0, 1_000_000) })).toThrow(
      "ends in the middle",
    );
    const lacking = safetensors((tensors) => tensors.delete("encoder.layer.3.output.dense.weight"));
    await refused(files("lacking", { "model.safetensors": lacking })).toThrow(
      "lack encoder.layer.3.output.dense.weight",
    );
    const nan = safetensors((tensors) => {
      tensors.get("embeddings.word_embeddings.weight")!.data[77] = Number.NaN;
    });
    await refused(files("nan", { "model.safetensors": nan })).toThrow(
      "embeddings.word_embeddings.weight holds NaN",
    );
    const small = safetensors((tensors) => {
      const { shape, data } = tensors.get("embeddings.word_embeddings.weight")!;
      tensors.set("embeddings.word_embeddings.weight", {
        shape: [1000, shape[1]],
        data: data.slice(0, 1000 * shape[1]),
      });
    });
    await refused(files("small", { "model.safetensors": small })).toThrow(
      "30522 tokens, but the model has 1000",
    );
    const good = files("good", { "model.safetensors": whole });
    await refused(good, { pooling: "mean" }).toThrow("how many attention heads");
    await refused(good, { attentionHeads: 12 }).toThrow("how the model pools");
    await refused(good, { pooling: "mean", attentionHeads: 7 }).toThrow("not a multiple of 7");
    const other = files("other", { "model.safetensors": whole, "config.json": '{"model_type": "roberta"}' });
    await refused(other).toThrow('"model_type" of its config.json is "roberta"');
    // Six heads instead of twelve: all shapes fit, and the vectors are others.
    const wrong = files("wrong", { "model.safetensors": whole, "model.onnx": onnx });
    await refused(wrong, { pooling: "mean", attentionHeads: 6 }).toThrow("other vectors");
    await expect(Encoder.open(out)).rejects.toThrow("no such folder");
  });
});

const bge = await fetchBgeSmall();
if ("reason" in bge) console.warn(`int8-models.test.ts skips bge-small: ${bge.reason}`);

describe.skipIf("reason" in bge)("bge-small", () => {
  test("from its archive: int8 is within a cosine of .995, with [CLS] and the prefix of queries", async () => {
    if ("reason" in bge) return;
    const folder = join(root, "bge-int8");
    const prefix = { query: BGE_QUERY_PREFIX };
    const { leastCosine, bytes } = await exportBert(bge.path, folder, {
      compute: "int8",
      pooling: "cls",
      prefix,
    });
    expect(leastCosine).toBeGreaterThan(0.995);
    expect(bytes).toBeLessThan(35_000_000);
    expect(JSON.parse(readFileSync(join(folder, "sluice.json"), "utf8"))).toEqual({
      kind: "dense",
      pooled: true,
      maxLength: { query: 64, passage: 256 },
      prefix,
    });
    const encoder = await Encoder.open(folder);
    const asked = (text: string) => encoder.encode([text], "query").then(([{ vector }]) => vector!);
    const answers = await encoder.encode(["a remedy for insomnia", "a stamp collector"], "passage");
    const scores = answers.map(({ vector }) => vector!);
    const sleepless = await asked("unable to sleep at night");
    expect(cosine(sleepless, scores[0])).toBeGreaterThan(cosine(sleepless, scores[1]) + 0.1);
    await encoder.close();
  });
});
