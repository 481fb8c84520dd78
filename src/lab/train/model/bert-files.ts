// A folder or an archive with a BERT-like model → its parameters, its tokenizer and the instructions for its use. The parameters
// are in model.safetensors or in an ONNX graph.

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { EncoderDescription } from "../../../encode/contract/description.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { parseJson } from "../../../support/files/json.ts";
import type { Tensors } from "../data/batch.ts";
import { readConfiguredShape, renameParameters, shapeOf } from "./names.ts";
import { parseOnnxWeights } from "./onnx-weights.ts";
import { parseSafetensors } from "./safetensors.ts";
import type { EncoderShape } from "./settings.ts";
import { readZip } from "./zip.ts";

export interface BertFiles {
  readonly shape: EncoderShape;
  readonly tensors: Tensors;
  readonly tokenizerJson: string;
  /** The graph that the model came with, to compare with. */
  readonly onnx?: Uint8Array;
  /** What its files say of the model's use: sluice.json, or the pooling of sentence-transformers. */
  readonly said: { readonly pooling?: "mean" | "cls" } & Partial<
    Pick<EncoderDescription, "maxLength" | "prefix">
  >;
}

/** Files by path. */
type Files = ReadonlyMap<string, () => Uint8Array | Promise<Uint8Array>>;

/** Reads a model. `attentionHeads` is needed only if no file says how many there are. */
export async function readBert(path: string, attentionHeads?: number): Promise<BertFiles> {
  const files = await findFiles(path);
  const bytesOfFile = async (ending: RegExp) => {
    const name = findOnlyFile([...files.keys()], ending, path);
    return name === undefined ? undefined : { name: join(path, name), bytes: await files.get(name)!() };
  };
  const json = async (ending: RegExp) => {
    const file = await bytesOfFile(ending);
    if (!file) return undefined;
    const parsed = parseJson(text(file.bytes), file.name, "ERR_SLUICE_DAMAGED");
    return parsed as Record<string, unknown>;
  };
  const tokenizer = await bytesOfFile(/(^|[/\-_.])tokenizer\.json$/);
  const [safetensors, onnx] = [await bytesOfFile(/\.safetensors$/), await bytesOfFile(/\.onnx$/)];
  const weights = safetensors ?? onnx;
  if (!tokenizer || !weights) {
    throw new SluiceError(
      `${path}: no ${tokenizer ? "model.onnx and no model.safetensors" : "tokenizer.json"}`,
      "a model is a folder, or a .zip, .jar or .whl file, with model.onnx or model.safetensors, and tokenizer.json",
      "ERR_SLUICE_FILE",
    );
  }
  checkModules(await json(/(^|\/)modules\.json$/), path);
  const config = (await json(/(^|\/)config\.json$/)) ?? {};
  checkConfig(config, path);
  const graph = onnx && parseOnnxWeights(onnx.bytes, onnx.name);
  const held = safetensors ? parseSafetensors(safetensors.bytes, safetensors.name) : graph!.tensors;
  const tensors = renameParameters(held);
  checkNumbers(tensors, weights.name);
  const width = tensors.get("embeddings.word_embeddings.weight")?.shape[1] ?? 0;
  const said = readConfiguredShape(config, path);
  const heads = attentionHeads ?? said.heads ?? headsAmong(graph?.numbers ?? [], width);
  if (heads === undefined) {
    throw new SluiceError(
      `${path}: no file says how many attention heads the model has`,
      'add config.json with "num_attention_heads", or say how many attention heads',
    );
  }
  return {
    shape: shapeOf(tensors, { ...said, heads }, weights.name),
    tensors,
    tokenizerJson: text(tokenizer.bytes),
    ...(onnx && { onnx: onnx.bytes }),
    said: { ...pooling(await json(POOLING)), ...(await json(/(^|\/)sluice\.json$/)) },
  };
}

/** sentence-transformers has a folder for each module after the model: 1_Pooling, 2_Normalize. */
const MODULE = /(^|\/)\d+_[^/]*\//;
const POOLING = /(^|\/)1_Pooling\/config\.json$/;

/** The one file whose path ends so; undefined if there is none. Files of modules are only found by the pattern of their folder. */
function findOnlyFile(paths: readonly string[], ending: RegExp, where: string): string | undefined {
  const names = paths.filter((name) => ending.test(name) && (ending === POOLING || !MODULE.test(name)));
  if (names.length <= 1) return names[0];
  throw new SluiceError(
    `${where}: several files could be the one that is needed: ${names.slice(0, 4).join(", ")}`,
    "give a folder with one model: model.onnx or model.safetensors, and tokenizer.json",
  );
}

/** Files of a folder that say what the model is. A model's repository often has quantized graphs beside the exact one. */
const FILES = [
  "model.safetensors",
  "model.onnx",
  "onnx/model.onnx",
  "tokenizer.json",
  "config.json",
  "modules.json",
  "1_Pooling/config.json",
  "sluice.json",
];

async function findFiles(path: string): Promise<Files> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() && /\.(zip|jar|whl)$/.test(path)) return readZip(await readFile(path), path);
  if (!found?.isDirectory()) {
    throw new SluiceError(
      `${path}: ${found ? "neither a folder nor a .zip, .jar or .whl file" : "no such file or folder"}`,
      "download the model first; this command reads files only",
      "ERR_SLUICE_FILE",
    );
  }
  const isThere = await Promise.all(
    FILES.map(async (name) => (await stat(join(path, name)).catch(() => undefined))?.isFile() ?? false),
  );
  return new Map(FILES.filter((_, i) => isThere[i]).map((name) => [name, () => readFile(join(path, name))]));
}

/** Throws on modules of sentence-transformers that change the vector after it was pooled. Vectors are always scaled to length 1. */
function checkModules(modules: unknown, path: string): void {
  if (!Array.isArray(modules)) return;
  const types = modules.map((each) => String((each as { type?: unknown } | null)?.type));
  const other = types.find((type) => !/(^|\.)(Transformer|Pooling|Normalize)$/.test(type));
  if (other === undefined) return;
  throw new SluiceError(
    `${path}: its modules.json has the module ${other}, expected Transformer, Pooling and Normalize only`,
    "an exported encoder would not compute it",
  );
}

/** Throws on models whose files look like BERT's and that compute something else. */
function checkConfig(config: Record<string, unknown>, path: string): void {
  const expected: [string, readonly unknown[]][] = [
    ["model_type", ["bert", "distilbert"]],
    ["hidden_act", ["gelu"]],
    ["activation", ["gelu"]],
    ["position_embedding_type", ["absolute"]],
  ];
  for (const [name, values] of expected) {
    if (config[name] === undefined || values.includes(config[name])) continue;
    throw new SluiceError(
      `${path}: "${name}" of its config.json is ${JSON.stringify(config[name])}, expected ${values.join(" or ")}`,
      "use the model's own ONNX graph as an encoder",
    );
  }
}

function checkNumbers(tensors: Tensors, where: string): void {
  for (const [name, { data }] of tensors) {
    const at = data.findIndex((x) => !Number.isFinite(x));
    if (at < 0) continue;
    throw new SluiceError(
      `${where}: ${name} holds ${data[at]}`,
      "download the model again",
      "ERR_SLUICE_DAMAGED",
    );
  }
}

/** A graph that cuts states into heads names their number and, next to it, their width. */
function headsAmong(numbers: readonly number[], width: number): number | undefined {
  return numbers.find((heads, i) => heads > 1 && numbers[i + 1] > 1 && heads * numbers[i + 1] === width);
}

/** The pooling that 1_Pooling/config.json says. Several modes at once are joined, and others are not computed here. */
function pooling(config: Record<string, unknown> | undefined): BertFiles["said"] {
  const modes = Object.keys(config ?? {}).filter(
    (key) => key.startsWith("pooling_mode_") && config![key] === true,
  );
  if (modes.length !== 1) return {};
  if (modes[0] === "pooling_mode_cls_token") return { pooling: "cls" };
  return modes[0] === "pooling_mode_mean_tokens" ? { pooling: "mean" } : {};
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
