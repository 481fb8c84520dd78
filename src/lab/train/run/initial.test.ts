import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dataPath, noData } from "../../../../test/helpers/data.ts";
import { SPECIAL_PIECES, tokenizerJson } from "../../../../test/helpers/onnx.ts";
import { safetensorsBytes } from "../../../../test/helpers/safetensors.ts";
import type { Tensors } from "../data/batch.ts";
import { renameParameters } from "../model/names.ts";
import { initialParameters } from "../model/parameters.ts";
import { checkedTrainConfig } from "./config.ts";
import { openInitial } from "./initial.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-initial-"));
const PIECES = [...SPECIAL_PIECES, "water", "gate"];
const MODEL = {
  encoder: { vocabulary: PIECES.length, width: 4, layers: 2, heads: 2, ffn: 6, positions: 10 },
  head: { kind: "joint", lexical: { kind: "delade" } },
} as const;
const PARAMETERS = initialParameters(MODEL, 7);

function model(name: string, tensors: Tensors, config?: object): string {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "model.safetensors"), safetensorsBytes(tensors));
  writeFileSync(join(folder, name, "tokenizer.json"), tokenizerJson(PIECES));
  if (config) writeFileSync(join(folder, name, "config.json"), JSON.stringify(config));
  return name;
}

function open(from: string, changes: object = {}) {
  const config = {
    model: { from, lexical: "delade", maxLength: { query: 8, passage: 10 }, ...changes },
    data: { files: ["x"] },
  };
  return openInitial(checkedTrainConfig(config, join(folder, "config.json")));
}

/** Parameters of BERT, under DistilBERT's names. */
function distilled(tensors: Tensors): Tensors {
  const names: [RegExp, string][] = [
    [/^embeddings/, "distilbert.embeddings"],
    [
      /^encoder\.layer\.(\d)\.attention\.self\.(.).*\.(weight|bias)$/,
      "distilbert.transformer.layer.$1.attention.$2_lin.$3",
    ],
    [/^encoder\.layer\.(\d)\.attention\.output\.dense/, "distilbert.transformer.layer.$1.attention.out_lin"],
    [/^encoder\.layer\.(\d)\.attention\.output\.LayerNorm/, "distilbert.transformer.layer.$1.sa_layer_norm"],
    [/^encoder\.layer\.(\d)\.intermediate\.dense/, "distilbert.transformer.layer.$1.ffn.lin1"],
    [/^encoder\.layer\.(\d)\.output\.dense/, "distilbert.transformer.layer.$1.ffn.lin2"],
    [/^encoder\.layer\.(\d)\.output\.LayerNorm/, "distilbert.transformer.layer.$1.output_layer_norm"],
    [/^lexical\.transform\.dense/, "vocab_transform"],
    [/^lexical\.transform\.norm/, "vocab_layer_norm"],
    [/^lexical\.bias/, "vocab_projector.bias"],
  ];
  const kept = [...tensors].filter(
    ([name]) => !name.includes("token_type") && !name.startsWith("lexical.weight"),
  );
  return new Map(
    kept.map(([name, tensor]) => [
      names.reduce((n, [pattern, other]) => n.replace(pattern, other), name),
      tensor,
    ]),
  );
}

describe("an initial model", () => {
  test("has its sizes in the shapes of its parameters", async () => {
    const { model: settings, parameters } = await open(model("bert", PARAMETERS, { num_attention_heads: 2 }));
    expect(settings.encoder).toEqual(MODEL.encoder);
    expect(parameters).toEqual(PARAMETERS);
  });

  test("may be a DistilBERT, its head over the vocabulary included", async () => {
    const { model: settings, parameters } = await open(model("distil", distilled(PARAMETERS)), {
      attentionHeads: 2,
    });
    expect(settings.encoder).toEqual(MODEL.encoder);
    for (const [name, { data }] of PARAMETERS) {
      if (name.startsWith("lexical.weight")) continue; // no masked-LM model has it
      const expected = name.includes("token_type") ? new Float32Array(data.length) : data;
      expect(parameters.get(name)?.data, name).toEqual(expected);
    }
  });

  test("may be a masked-LM BERT, old names included", () => {
    const one = { shape: [4, 4], data: new Float32Array(16) };
    const names = renameParameters(
      new Map([
        ["bert.embeddings.word_embeddings.weight", one],
        ["bert.embeddings.LayerNorm.gamma", one],
        ["cls.predictions.transform.dense.weight", one],
        ["cls.predictions.transform.LayerNorm.beta", one],
        ["cls.predictions.bias", one],
      ]),
    );
    expect([...names.keys()]).toEqual([
      "embeddings.word_embeddings.weight",
      "embeddings.LayerNorm.weight",
      "lexical.transform.dense.weight",
      "lexical.transform.norm.bias",
      "lexical.bias",
      "embeddings.token_type_embeddings.weight",
    ]);
  });

  test("needs a number of attention heads, a BERT, all tokens and enough positions", async () => {
    const plain = model("plain", PARAMETERS);
    await expect(open(plain)).rejects.toThrow("does not say how many attention heads");
    await expect(open(plain, { attentionHeads: 3 })).rejects.toThrow("not a multiple of 3 attention heads");
    await expect(open(plain, { attentionHeads: 2, maxLength: { query: 8, passage: 11 } })).rejects.toThrow(
      '"model.maxLength.passage" is 11, but the model has 10 positions',
    );
    const other = model("other", new Map([["x", { shape: [1], data: Float32Array.of(1) }]]));
    await expect(open(other, { attentionHeads: 2 })).rejects.toThrow("no embeddings.word_embeddings.weight");
    writeFileSync(join(folder, "plain", "tokenizer.json"), tokenizerJson([...PIECES, "more"]));
    await expect(open(plain, { attentionHeads: 2 })).rejects.toThrow("8 tokens, but the model has 7");
  });
});

test.skipIf(noData)(`MiniLM${noData ? `: ${noData}` : ""}`, async () => {
  const from = dataPath("models", "minilm-l6-v2");
  const { model: settings } = await open(from, { attentionHeads: 12 });
  expect(settings.encoder).toEqual({
    vocabulary: 30_522,
    width: 384,
    layers: 6,
    heads: 12,
    ffn: 1536,
    positions: 512,
  });
});
