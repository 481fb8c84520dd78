// Writes a trained model as a folder that `Encoder.open` reads (src/encode): model.onnx, tokenizer.json and sluice.json.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EncoderDescription } from "../../../encode/contract/description.ts";
import { Encoder, type Encoding } from "../../../encode/encoder.ts";
import { UsageError } from "../../../support/errors/usage-error.ts";
import { makeFolders } from "../../../support/files/make-folders.ts";
import { mean } from "../../eval/evaluate.ts";
import type { Tensors } from "../data/batch.ts";
import type { ModelSettings } from "../model/settings.ts";
import { inferenceGraph } from "./inference.ts";
import type { Arithmetic, Precision } from "./weights.ts";

interface ExportOptions {
  /** Where to write. The folder is created if it does not exist. */
  readonly folder: string;
  /** The tokenizer.json of the model's vocabulary. */
  readonly tokenizer: string;
  /** Longest texts in tokens, including [CLS] and [SEP]. */
  readonly maxLength: EncoderDescription["maxLength"];
  readonly prefix?: EncoderDescription["prefix"];
  /** Weights of terms up to this are dropped. Default: those that are 0 in float16. */
  readonly least?: number;
  /** Weight of the semantic part, relative to the lexical part; the vectors are scaled by it. Default 1. */
  readonly lambda?: number;
  /** The λ that an index with this encoder begins with. Default: 1. */
  readonly indexLambda?: number;
  /** Precision of the parameters. Default: float32. */
  readonly precision?: Precision;
  /** What the encoder computes with; int8 stores its parameters as int8, too. Default: float32. */
  readonly compute?: Arithmetic;
  /** Texts to measure the loss of precision on. Default: a few of ours. */
  readonly sample?: Sample;
}

interface Sample {
  readonly queries: readonly string[];
  readonly passages: readonly string[];
}

export interface ExportedEncoder {
  /** Bytes of model.onnx. */
  readonly bytes: number;
  /** Differences between the scores of the sample and those of the model in float32. */
  readonly lost: {
    readonly largest: number;
    readonly mean: number;
    /** The mean absolute score, to compare with. */
    readonly score: number;
  };
}

/** Writes the folder and measures how much the precision costs. */
export async function exportEncoder(
  model: ModelSettings,
  parameters: Tensors,
  options: ExportOptions,
): Promise<ExportedEncoder> {
  const { folder, compute = "float32", sample = SAMPLE } = options;
  const precision = options.precision ?? compute;
  if (compute === "int8" && precision !== "int8") {
    throw new UsageError(
      `an encoder that computes in int8 cannot store ${precision} weights`,
      "leave out the weights",
    );
  }
  for (const role of ["query", "passage"] as const) {
    if (options.maxLength[role] > model.encoder.positions) {
      throw new UsageError(
        `maxLength.${role} is ${options.maxLength[role]}, but the model reads at most ${model.encoder.positions} tokens`,
        `set maxLength.${role} to at most ${model.encoder.positions}`,
      );
    }
  }
  const { lambda } = options;
  if (lambda !== undefined && !(lambda > 0 && Number.isFinite(lambda))) {
    throw new UsageError(`lambda is ${lambda}, expected a number above 0`);
  }
  if (lambda !== undefined && (model.head.kind === "colbert" || !model.head.semantic)) {
    throw new UsageError("lambda has no effect: the model has no semantic part", "leave lambda out");
  }
  if (options.least !== undefined && model.head.kind === "joint" && model.head.lexical?.kind === "anchored") {
    throw new UsageError("least has no effect: an anchored head gives factors, not weights", "leave it out");
  }
  const bytes = await writeFolder(folder, model, parameters, { ...options, precision, compute });
  const found = await computeScoresIn(folder, sample);
  const exact =
    precision === "float32" ? found : await computeExactScores(model, parameters, options, sample);
  const errors = found.map((score, i) => Math.abs(score - exact[i]));
  return {
    bytes,
    lost: { largest: Math.max(...errors), mean: mean(errors), score: mean(exact.map(Math.abs)) },
  };
}

/** Writes the three files. sluice.json is the last one: a folder without it is refused, so it cannot be half written. */
async function writeFolder(
  folder: string,
  model: ModelSettings,
  parameters: Tensors,
  options: ExportOptions & { readonly precision: Precision; readonly compute: Arithmetic },
): Promise<number> {
  const { lambda, precision, compute } = options;
  const { bytes } = inferenceGraph(model, parameters, {
    precision,
    compute,
    ...(lambda !== undefined && { lambda }),
  });
  const description = describe(model, options);
  try {
    await makeFolders(folder);
    await rm(join(folder, "sluice.json"), { force: true });
    await writeFile(join(folder, "model.onnx"), bytes);
    // Parse and write it again: a third of a tokenizer.json is white space.
    const tokenizer = JSON.parse(await readFile(options.tokenizer, "utf8"));
    await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
    await writeFile(join(folder, "sluice.json"), `${JSON.stringify(description, null, 2)}\n`);
  } catch (error) {
    throw new UsageError(`${folder}: cannot write the model: ${(error as Error).message}`);
  }
  return bytes.length;
}

function describe(
  { head }: ModelSettings,
  { maxLength, prefix, least, indexLambda }: ExportOptions,
): EncoderDescription {
  const common = {
    maxLength,
    ...(prefix && { prefix }),
    ...(indexLambda !== undefined && { lambda: indexLambda }),
  };
  if (head.kind === "colbert" || !head.lexical) return { kind: "dense", pooled: true, ...common };
  if (head.lexical.kind === "anchored") {
    return { kind: "anchored", analyzer: "english", ...common, ...(head.semantic && { semantic: true }) };
  }
  const lexical = {
    ...common,
    ...(head.semantic && { semantic: true }),
    ...(least !== undefined && { least }),
  };
  if (head.lexical.kind === "unicoil") return { kind: "unicoil", ...lexical };
  return { kind: head.lexical.kind, pooled: true, ...lexical };
}

async function computeExactScores(
  model: ModelSettings,
  parameters: Tensors,
  options: ExportOptions,
  sample: Sample,
): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-export-"));
  try {
    await writeFolder(folder, model, parameters, { ...options, precision: "float32", compute: "float32" });
    return await computeScoresIn(folder, sample);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the scores of every query with every passage. */
async function computeScoresIn(folder: string, { queries, passages }: Sample): Promise<number[]> {
  const encoder = await Encoder.open(folder);
  try {
    const asked = await encoder.encode(queries, "query");
    const answers = await encoder.encode(passages, "passage");
    return asked.flatMap((query) => answers.map((passage) => score(query, passage)));
  } finally {
    await encoder.close();
  }
}

function score(query: Encoding, passage: Encoding): number {
  let sum = 0;
  for (const [term, weight] of query.weights ?? []) sum += weight * (passage.weights?.get(term) ?? 0);
  // Factors are compared as if BM25 gave every term that both have 1.
  for (const [term, factor] of query.termFactors ?? []) sum += factor * (passage.termFactors?.get(term) ?? 0);
  query.vector?.forEach((x, i) => {
    sum += x * passage.vector![i];
  });
  return sum;
}

/** Queries and passages of several kinds and lengths. */
export const SAMPLE: Sample = {
  queries: [
    "where was the bauhaus built",
    "how do vaccines train the immune system",
    "effect of wing sweep on supersonic drag",
    "list files in a directory, newest first",
    "who wrote the origin of species",
    "symptoms of vitamin b12 deficiency in adults",
  ],
  passages: [
    "The Bauhaus was founded in Weimar in 1919 by Walter Gropius and moved to Dessau in 1925, where its building was designed by him.",
    "A vaccine shows the immune system a harmless part of a pathogen, so that memory cells are formed which respond faster to a later infection.",
    "Sweeping a wing delays the rise of wave drag near the speed of sound; at supersonic speeds the leading edge may stay behind the shock.",
    "ls -lt lists the files of a directory by the time of their last change, the newest first.",
    "On the Origin of Species, by Charles Darwin, was published in 1859.",
    "A lack of vitamin B12 leads to anaemia, tiredness, numbness in hands and feet, and memory problems.",
    "Water.",
  ],
};
