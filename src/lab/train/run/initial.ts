// Loads what a run starts from: the model's settings, its parameters and its tokenizer. They come from a Hugging Face
// folder, from a checkpoint of another run, or are made from scratch.

import { join } from "node:path";
import { TextTokenizer } from "../../../encode/tokenize/tokenizer.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { parseJson } from "../../../support/files/json.ts";
import { readText } from "../../../support/files/text-file.ts";
import { isObject } from "../../../support/options/options.ts";
import type { Tensors } from "../data/batch.ts";
import { type ConfiguredShape, readConfiguredShape, renameParameters, shapeOf } from "../model/names.ts";
import { initialParameters } from "../model/parameters.ts";
import { readSafetensors } from "../model/safetensors.ts";
import type { EncoderShape, Head, ModelSettings } from "../model/settings.ts";
import { readCheckpoint } from "./checkpoint.ts";
import type { TrainConfig } from "./config.ts";
import { findCheckpoint, isFile, RunFolder, tokenizerPathOf } from "./run-folder.ts";

export interface Initial {
  readonly model: ModelSettings;
  readonly parameters: Tensors;
  readonly tokenizer: TextTokenizer;
  readonly tokenizerJson: string;
}

export async function openInitial({ model, seed }: TrainConfig): Promise<Initial> {
  const found = model.from === undefined ? undefined : await readFrom(model.from, model.attentionHeads);
  const tokenizerPath = model.tokenizer ?? found!.tokenizer;
  const tokenizerJson = await readText(tokenizerPath);
  const tokenizer = new TextTokenizer(tokenizerJson, tokenizerPath);
  const encoder = found?.encoder ?? newEncoderShape(model, tokenizer);
  if (tokenizer.terms.length > encoder.vocabulary) {
    throw new SluiceError(
      `${tokenizerPath}: the tokenizer has ${tokenizer.terms.length} tokens, but the model has ${encoder.vocabulary}`,
      "give the tokenizer that the model was made with",
    );
  }
  for (const role of ["query", "passage"] as const) {
    if (model.maxLength[role] <= encoder.positions) continue;
    throw new SluiceError(
      `"model.maxLength.${role}" is ${model.maxLength[role]}, but the model has ${encoder.positions} positions`,
      `set it to at most ${encoder.positions}`,
    );
  }
  const settings: ModelSettings = {
    encoder,
    head: headOf(model),
    frozenWordEmbeddings: !model.trainWordEmbeddings,
    ...(model.lexical === "anchored" && { frozenEncoder: true }),
  };
  return {
    model: settings,
    parameters: initialParameters(settings, seed, found?.tensors),
    tokenizer,
    tokenizerJson,
  };
}

interface InitialModel {
  readonly encoder: EncoderShape;
  readonly tensors: Tensors;
  readonly tokenizer: string;
}

async function readFrom(path: string, attentionHeads: number | undefined): Promise<InitialModel> {
  if ((await isFile(path)) || (await RunFolder.holdsRun(path))) {
    const checkpoint = await findCheckpoint(path);
    const { model, trainer } = await readCheckpoint(checkpoint);
    return {
      encoder: model.encoder,
      tensors: trainer.parameters,
      tokenizer: tokenizerPathOf(checkpoint),
    };
  }
  const file = join(path, "model.safetensors");
  const tensors = renameParameters(await readSafetensors(file));
  const config = join(path, "config.json");
  const said = await readConfig(config);
  const heads = attentionHeads ?? said.heads;
  if (heads === undefined) {
    throw new SluiceError(
      `${config}: does not say how many attention heads the model has`,
      'set "model.attentionHeads" in the config',
    );
  }
  return {
    encoder: shapeOf(tensors, { ...said, heads }, file),
    tensors,
    tokenizer: join(path, "tokenizer.json"),
  };
}

/** What the config.json at `path` says; nothing if there is none. */
async function readConfig(path: string): Promise<ConfiguredShape> {
  const config = await readText(path).catch(() => undefined);
  const parsed = config === undefined ? {} : (parseJson(config, path) as Record<string, unknown>);
  return isObject(parsed) ? readConfiguredShape(parsed, path) : {};
}

function newEncoderShape(
  { sizes, attentionHeads }: TrainConfig["model"],
  tokenizer: TextTokenizer,
): EncoderShape {
  const { layers, width, ffn = 4 * width, positions } = sizes!;
  return { vocabulary: tokenizer.terms.length, width, layers, heads: attentionHeads!, ffn, positions };
}

function headOf({ lexical, semantic, colbert }: TrainConfig["model"]): Head {
  if (colbert) return { kind: "colbert", width: colbert.width };
  return { kind: "joint", ...(lexical && { lexical: { kind: lexical } }), ...(semantic && { semantic }) };
}
