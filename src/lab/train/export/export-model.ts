// Writes a trained model as a folder that `Encoder.open` reads (src/encode): model.onnx, tokenizer.json and sluice.json.

import { mkdtemp, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { checkDescription, type EncoderDescription } from "../../../encode/contract/description.ts";
import { Encoder, type Encoding } from "../../../encode/encoder.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { parseJson } from "../../../support/files/json.ts";
import { makeFolders } from "../../../support/files/make-folders.ts";
import { resolveLinks } from "../../../support/files/same-folder.ts";
import { readText } from "../../../support/files/text-file.ts";
import { writeFolder } from "../../../support/files/write-folder.ts";
import { meanOf } from "../../eval/evaluate.ts";
import type { Tensors } from "../data/batch.ts";
import type { ModelSettings } from "../model/settings.ts";
import { inferenceGraph } from "./inference.ts";
import type { Arithmetic, Precision } from "./weights.ts";

interface ExportOptions {
  /** Where to write. The folder is written beside this path and renamed at the end, so a failure changes nothing. */
  readonly folder: string;
  /** Replace an encoder that is in the folder. Default: false. */
  readonly overwrite?: boolean;
  /** The file or the folder that the parameters come from, which is never replaced. */
  readonly source?: string;
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
  /** Called with the folder that is written, before it gets its name. If it throws, nothing is exported. */
  readonly check?: (folder: string) => Promise<void>;
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
  const { folder, overwrite = false, compute = "float32", sample = SAMPLE } = options;
  await checkTarget(folder, overwrite, options.source);
  const precision = options.precision ?? compute;
  if (compute === "int8" && precision !== "int8") {
    throw new SluiceError(
      `an encoder that computes in int8 cannot store ${precision} weights`,
      "leave out the weights",
    );
  }
  for (const role of ["query", "passage"] as const) {
    if (options.maxLength[role] > model.encoder.positions) {
      throw new SluiceError(
        `maxLength.${role} is ${options.maxLength[role]}, but the model reads at most ${model.encoder.positions} tokens`,
        `set maxLength.${role} to at most ${model.encoder.positions}`,
      );
    }
  }
  const { lambda } = options;
  if (lambda !== undefined && !(lambda > 0 && Number.isFinite(lambda))) {
    throw new SluiceError(`lambda is ${lambda}, expected a number above 0`);
  }
  if (lambda !== undefined && (model.head.kind === "colbert" || !model.head.semantic)) {
    throw new SluiceError("lambda has no effect: the model has no semantic part", "leave lambda out");
  }
  if (options.least !== undefined && model.head.kind === "joint" && model.head.lexical?.kind === "anchored") {
    throw new SluiceError("least has no effect: an anchored head gives factors, not weights", "leave it out");
  }
  checkDescription(describe(model, options), folder);
  const { bytes, found } = await writeFolder(folder, holdsOnlyEncoder, async (inside) => {
    const bytes = await writeFiles(inside, model, parameters, { ...options, precision, compute });
    const found = await computeScoresIn(inside, sample);
    await options.check?.(inside);
    return { bytes, found };
  });
  const exact =
    precision === "float32" ? found : await computeExactScores(model, parameters, options, sample);
  const errors = found.map((score, i) => Math.abs(score - exact[i]));
  return {
    bytes,
    lost: { largest: Math.max(...errors), mean: meanOf(errors), score: meanOf(exact.map(Math.abs)) },
  };
}

/** Throws if the folder may not be replaced: without `overwrite`, and if it is, or holds, what the export reads. */
async function checkTarget(folder: string, overwrite: boolean, source: string | undefined): Promise<void> {
  if (source !== undefined && `${resolveLinks(source)}${sep}`.startsWith(`${resolveLinks(folder)}${sep}`)) {
    throw new SluiceError(
      `${folder}: the encoder would replace the model that it is made of`,
      "give another folder",
    );
  }
  const names = await readdir(folder).catch(() => []);
  if (overwrite || names.length === 0) return;
  throw new SluiceError(
    `${folder}: holds something already`,
    (nameOf) => `set ${nameOf("overwrite")} to replace an encoder, or give another folder`,
  );
}

/** The files of an exported encoder, in the order in which they are written. */
const FILES = ["model.onnx", "tokenizer.json", "sluice.json"];

/** Whether a folder has no other files than those of an encoder. */
async function holdsOnlyEncoder(folder: string): Promise<boolean> {
  return (await readdir(folder)).every((name) => FILES.includes(name));
}

/** Writes the three files, and returns the bytes of the graph. */
async function writeFiles(
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
  // Parse and write it again: a third of a tokenizer.json is white space.
  const tokenizer = JSON.stringify(parseJson(await readText(options.tokenizer), options.tokenizer));
  await makeFolders(folder);
  const contents = [bytes, tokenizer, `${JSON.stringify(describe(model, options), null, 2)}\n`];
  for (const [i, name] of FILES.entries()) await writeSynced(join(folder, name), contents[i]);
  return bytes.length;
}

async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
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
    await writeFiles(folder, model, parameters, { ...options, precision: "float32", compute: "float32" });
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
