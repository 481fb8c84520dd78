// Exports a BERT-like sentence encoder that was trained elsewhere as a folder that `Encoder.open` reads. If its file has the
// parameters of an anchored head (anchored.mix.0.weight, …), the encoder is an anchored one.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EncoderDescription } from "../../../encode/contract/description.ts";
import { Encoder } from "../../../encode/encoder.ts";
import { TextTokenizer } from "../../../encode/tokenize/tokenizer.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { type BertFiles, readBert } from "../model/bert-files.ts";
import type { ModelSettings } from "../model/settings.ts";
import { type ExportedEncoder, exportEncoder, SAMPLE } from "./export-model.ts";
import type { Arithmetic, Precision } from "./weights.ts";

export interface ExportBertOptions {
  /** Precision of the model's parameters. Default: float32, or int8 if it computes in int8. */
  readonly weights?: Precision | undefined;
  /** What the encoder computes with. Default: float32. */
  readonly compute?: Arithmetic | undefined;
  /**
   * How the states of tokens become one vector. Default: as the model's files say. "none" leaves the vector out, which a model
   * with an anchored head can do without.
   */
  readonly pooling?: "mean" | "cls" | "none" | undefined;
  /** Text to put before every query or passage. Default: as the model's sluice.json says. */
  readonly prefix?: EncoderDescription["prefix"] | undefined;
  /** Longest texts in tokens. Default: as the model's sluice.json says, else 64 and 256. */
  readonly maxLength?: { readonly query?: number | undefined; readonly passage?: number | undefined };
  /** Weight of the semantic part, relative to the lexical one; the vectors are scaled by it. Default 1. */
  readonly lambda?: number | undefined;
  /** Attention heads, if no file of the model says how many there are. */
  readonly attentionHeads?: number | undefined;
  /** Replace an encoder that is in the folder. Default: false. */
  readonly overwrite?: boolean | undefined;
}

export interface ExportedBert extends ExportedEncoder {
  /** The least cosine of a sample text's vector and the vector that the model's own graph gives; if it has one. */
  readonly leastCosine?: number;
}

const LENGTHS = { query: 64, passage: 256 };
/** Below this cosine the model's own graph computes something else than BERT. int8 stays above .98. */
const SAME_MODEL = 0.95;

/** Writes an encoder's folder from the folder or the archive of a model. */
export async function exportBert(
  path: string,
  folder: string,
  options: ExportBertOptions = {},
): Promise<ExportedBert> {
  const bert = await readBert(path, options.attentionHeads);
  const pooling = options.pooling ?? bert.said.pooling;
  if (!pooling) {
    throw new SluiceError(
      `${path}: no file says how the model pools its states`,
      "say which pooling: mean or cls; the model's card has it",
    );
  }
  const isAnchored = bert.tensors.has("anchored.mix.0.weight");
  if (pooling === "none" && !isAnchored) {
    throw new SluiceError(
      `${path}: without pooling the model gives nothing: it has no anchored head either`,
      "say which pooling: mean or cls; the model's card has it",
    );
  }
  const { vocabulary: vocabularySize, positions } = bert.shape;
  const { terms } = new TextTokenizer(bert.tokenizerJson, join(path, "tokenizer.json"));
  if (terms.length > vocabularySize) {
    throw new SluiceError(
      `${path}: the tokenizer has ${terms.length} tokens, but the model has ${vocabularySize}`,
      "give the tokenizer that the model was made with",
      "ERR_SLUICE_DAMAGED",
    );
  }
  const wanted = { ...LENGTHS, ...bert.said.maxLength, ...options.maxLength };
  const maxLength = {
    query: Math.min(wanted.query, positions),
    passage: Math.min(wanted.passage, positions),
  };
  const prefix = options.prefix ?? bert.said.prefix;
  const model: ModelSettings = {
    encoder: bert.shape,
    head: {
      kind: "joint",
      ...(isAnchored && { lexical: { kind: "anchored" } }),
      ...(pooling !== "none" && { semantic: { pooling, normalize: true } }),
    },
  };
  const scratch = await mkdtemp(join(tmpdir(), "sluice-model-"));
  try {
    const tokenizer = join(scratch, "tokenizer.json");
    await writeFile(tokenizer, bert.tokenizerJson);
    const { lambda, weights, compute, overwrite } = options;
    let leastCosine: number | undefined;
    const check = async (inside: string) => {
      if (!bert.onnx || pooling === "none") return;
      const description: EncoderDescription = {
        kind: "dense",
        pooling,
        normalize: true,
        maxLength,
        ...(prefix && { prefix }),
      };
      leastCosine = await measureLeastCosine(bert, description, scratch, inside);
      if (leastCosine >= SAME_MODEL) return;
      throw new SluiceError(
        `${path}: its graph gives other vectors than BERT with its parameters does (a cosine of ${leastCosine.toFixed(3)})`,
        "use the model's own ONNX graph as an encoder",
      );
    };
    const exported = await exportEncoder(model, bert.tensors, {
      folder,
      source: path,
      tokenizer,
      maxLength,
      check,
      ...(overwrite && { overwrite }),
      ...(prefix && { prefix }),
      ...(lambda !== undefined && { lambda }),
      ...(weights && { precision: weights }),
      ...(compute && { compute }),
    });
    return { ...exported, ...(leastCosine !== undefined && { leastCosine }) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function measureLeastCosine(
  { onnx }: BertFiles,
  description: EncoderDescription,
  scratch: string,
  folder: string,
): Promise<number> {
  await writeFile(join(scratch, "model.onnx"), onnx!);
  const [theirs, ours] = [await Encoder.open(scratch, { description }), await Encoder.open(folder)];
  try {
    const [a, b] = [
      await theirs.encode(SAMPLE.passages, "passage"),
      await ours.encode(SAMPLE.passages, "passage"),
    ];
    return Math.min(...a.map(({ vector }, i) => cosine(vector!, b[i].vector!)));
  } finally {
    await theirs.close();
    await ours.close();
  }
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, each, i) => sum + each * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
