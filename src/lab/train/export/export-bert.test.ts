// Models that were trained elsewhere, as their folders and archives come, become encoders, or one clear error.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { SPECIAL_PIECES, tokenizerJson } from "../../../../test/helpers/onnx.ts";
import { safetensorsBytes } from "../../../../test/helpers/safetensors.ts";
import { zipBytes } from "../../../../test/helpers/zip.ts";
import { Encoder } from "../../../encode/encoder.ts";
import { mulberry32 } from "../../../support/numbers/random.ts";
import type { Tensors } from "../data/batch.ts";
import { initialParameters } from "../model/parameters.ts";
import { exportBert } from "./export-bert.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-export-bert-"));
afterAll(() => rmSync(root, { recursive: true }));

const PIECES = [...SPECIAL_PIECES, ..."water gate fire stone river lock".split(" ")];
const SHAPE = { vocabulary: PIECES.length, width: 16, layers: 3, heads: 2, ffn: 24, positions: 40 };
const random = mulberry32(4);
const PARAMETERS: Tensors = new Map(
  Array.from(initialParameters({ encoder: SHAPE, head: { kind: "joint" } }, 2), ([name, { shape, data }]) => [
    name,
    { shape, data: data.map((x) => x + 0.5 * (random() - 0.5)) },
  ]),
);
const CONFIG = {
  model_type: "bert",
  num_attention_heads: 2,
  num_hidden_layers: 3,
  hidden_act: "gelu",
  layer_norm_eps: 1e-12,
};
const POOLING = {
  word_embedding_dimension: 16,
  pooling_mode_cls_token: false,
  pooling_mode_mean_tokens: true,
  pooling_mode_max_tokens: false,
};
const MODULES = ["Transformer", "Pooling", "Normalize"].map((name, idx) => ({
  idx,
  path: idx === 0 ? "" : `${idx}_${name}`,
  type: `sentence_transformers.models.${name}`,
}));

/** The files of a model by path, as sentence-transformers writes them. */
function modelFiles(changes: Record<string, object | undefined> = {}, tensors = PARAMETERS) {
  const json: Record<string, object | undefined> = {
    "config.json": CONFIG,
    "config_sentence_transformers.json": {},
    "sentence_bert_config.json": { max_seq_length: 32 },
    "tokenizer_config.json": {},
    "modules.json": MODULES,
    "1_Pooling/config.json": POOLING,
    ...changes,
  };
  const kept = Object.entries(json).filter(([, value]) => value !== undefined);
  return new Map<string, string | Uint8Array>([
    ...kept.map(([name, value]) => [name, JSON.stringify(value)] as const),
    ["model.safetensors", safetensorsBytes(tensors)],
    ["tokenizer.json", tokenizerJson(PIECES)],
  ]);
}

let count = 0;
const newPath = () => join(root, `path-${count++}`);

function writeFiles(files: ReadonlyMap<string, string | Uint8Array>): string {
  const folder = newPath();
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

function zippedFiles(files: ReadonlyMap<string, string | Uint8Array>, below = ""): Uint8Array {
  return zipBytes(Array.from(files, ([name, content]) => ({ name: below + name, content, method: 8 })));
}

/** The vector of one text by the encoder that a model becomes. */
async function vectorOf(path: string, options: Parameters<typeof exportBert>[2] = {}): Promise<number[]> {
  const folder = newPath();
  await exportBert(path, folder, options);
  const encoder = await Encoder.open(folder);
  const [{ vector }] = await encoder.encode(["water gate in a river"], "passage");
  await encoder.close();
  return [...vector!];
}

/** The parameters without those whose names match. */
function without(pattern: RegExp): Tensors {
  return new Map([...PARAMETERS].filter(([name]) => !pattern.test(name)));
}

describe("a folder of sentence-transformers", () => {
  test("says how it pools, as a folder and as an archive", async () => {
    const files = modelFiles();
    const mean = await vectorOf(writeFiles(files), { pooling: "mean" });
    expect(await vectorOf(writeFiles(files))).toEqual(mean);
    const cls = { ...POOLING, pooling_mode_cls_token: true, pooling_mode_mean_tokens: false };
    expect(await vectorOf(writeFiles(modelFiles({ "1_Pooling/config.json": cls })))).not.toEqual(mean);
    const archive = `${newPath()}.zip`;
    writeFileSync(archive, zippedFiles(files));
    expect(await vectorOf(archive)).toEqual(mean);
    const nested = `${newPath()}.zip`;
    writeFileSync(nested, zippedFiles(files, "tiny/"));
    expect(await vectorOf(nested)).toEqual(mean);
  });

  test("with a module that is not computed, or several poolings at once, is refused", async () => {
    const dense = [...MODULES, { idx: 3, path: "3_Dense", type: "sentence_transformers.models.Dense" }];
    await expect(vectorOf(writeFiles(modelFiles({ "modules.json": dense })))).rejects.toThrow(
      "its modules.json has the module sentence_transformers.models.Dense",
    );
    const both = { ...POOLING, pooling_mode_cls_token: true };
    await expect(vectorOf(writeFiles(modelFiles({ "1_Pooling/config.json": both })))).rejects.toThrow(
      "no file says how the model pools",
    );
  });
});

describe("the layers", () => {
  test.each([
    ["a gap", without(/layer\.1\.intermediate\.dense\.weight/), CONFIG],
    ["no first layer's part", without(/layer\.0\.output\.dense\.bias/), CONFIG],
    ["a gap that no config.json counts", without(/layer\.1\./), { num_attention_heads: 2 }],
  ])("with %s are refused", async (_, tensors, config) => {
    const path = writeFiles(modelFiles({ "config.json": config }, tensors));
    await expect(vectorOf(path)).rejects.toThrow(/model\.safetensors: the parameters lack encoder\.layer\./);
  });

  test("must be as many as config.json says, for DistilBERT, too", async () => {
    const counted = (changes: object) => vectorOf(writeFiles(modelFiles({ "config.json": changes })));
    await expect(counted({ ...CONFIG, num_hidden_layers: 12 })).rejects.toThrow(
      "has 3 layers, but config.json says 12",
    );
    await expect(counted({ model_type: "distilbert", n_heads: 2, n_layers: 6 })).rejects.toThrow(
      "has 3 layers, but config.json says 6",
    );
    expect(await counted({ model_type: "distilbert", n_heads: 2, n_layers: 3 })).toHaveLength(16);
  });
});

test("a missing norm is named with its file, and the hint is for who has the file", async () => {
  const path = writeFiles(modelFiles({}, without(/embeddings\.LayerNorm\.bias/)));
  const error = await vectorOf(path).catch((each) => each);
  expect(error.message).toContain(
    join(path, "model.safetensors: the parameters lack embeddings.LayerNorm.bias"),
  );
  expect(error.hint).not.toContain("initialParameters");
  expect(error.code).toBe("ERR_SLUICE_DAMAGED");
});

test("layer_norm_eps of config.json is what the graph adds", async () => {
  const withEpsilon = (layer_norm_eps: unknown) =>
    vectorOf(writeFiles(modelFiles({ "config.json": { ...CONFIG, layer_norm_eps } })));
  const plain = await withEpsilon(1e-12);
  expect(await withEpsilon(undefined)).toEqual(plain);
  expect(await withEpsilon(0.5)).not.toEqual(plain);
  await expect(withEpsilon("small")).rejects.toThrow('"layer_norm_eps" of its config.json is "small"');
});

describe("the folder", () => {
  const bytesOf = (folder: string) => readdirSync(folder).map((name) => readFileSync(join(folder, name)));

  test("that holds something is replaced only with overwrite, and only if that is an encoder", async () => {
    const [model, folder] = [writeFiles(modelFiles()), newPath()];
    await exportBert(model, folder);
    const before = bytesOf(folder);
    await expect(exportBert(model, folder, { pooling: "cls" })).rejects.toThrow("holds something already");
    expect(bytesOf(folder)).toEqual(before);
    await exportBert(model, folder, { pooling: "cls", overwrite: true });
    expect(bytesOf(folder)).not.toEqual(before);
    writeFileSync(join(folder, "notes.txt"), "mine");
    await expect(exportBert(model, folder, { overwrite: true })).rejects.toThrow("holds something else");
    expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("mine");
  });

  test("is as it was if the export fails, and nothing stays beside it", async () => {
    const [model, folder] = [writeFiles(modelFiles()), newPath()];
    await exportBert(model, folder);
    const before = bytesOf(folder);
    const overwrite = true;
    for (const options of [
      { maxLength: { query: 2 } },
      { lambda: -1 },
      { compute: "int8", weights: "float16" },
    ] as const)
      await expect(exportBert(model, folder, { ...options, overwrite })).rejects.toThrow(
        /at least 3|above 0|float16/,
      );
    // Its own graph gives other vectors: nothing but the comparison fails.
    writeFileSync(join(model, "model.onnx"), readFileSync(join(folder, "model.onnx")));
    await expect(exportBert(model, folder, { pooling: "cls", overwrite })).rejects.toThrow();
    expect(bytesOf(folder)).toEqual(before);
    expect(readdirSync(root).filter((name) => name.includes(".tmp"))).toEqual([]);
  });

  test("is never the model's own, nor one that holds it", async () => {
    const model = writeFiles(modelFiles());
    for (const folder of [model, join(model, "..", basename(model)), dirname(model)])
      await expect(exportBert(model, folder, { overwrite: true })).rejects.toThrow(
        "the model that it is made of",
      );
    await exportBert(model, join(model, "encoder"));
  });
});
