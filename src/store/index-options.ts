// The options of an index, checked, and what follows from its encoder: terms, vectors, λ and the width of rows.

import { resolve } from "node:path";
import type { Analyzer } from "../analyze/analyzer.ts";
import { Slicing } from "../densify/slicing.ts";
import type { Document } from "../documents/document.ts";
import { BUILTIN } from "../encode/builtin.ts";
import { encodedDocuments } from "../encode/encode-documents.ts";
import { Encoder, type Encoding } from "../encode/encoder.ts";
import { STATIC } from "../encode/static-folder.ts";
import {
  checkFunction,
  checkIterable,
  checkNumber,
  checkObject,
  checkOptions,
  checkThreads,
  type KnownOptions,
  wrong,
} from "../support/options.ts";
import type { OnProgress } from "../support/progress.ts";
import type { Bm25Parameters } from "../weigh/bm25.ts";
import type { EncoderRecord } from "./model-record.ts";
import { checkModel, type ModelOptions, withDims } from "./new-index.ts";

export interface BuildOptions extends ModelOptions {
  /** Documents that spread slicing looks at, at even distances; at most 20,000 when left out. */
  spreadSample?: number;
  /**
   * Encodes the texts of the documents: a vector, weights of terms, or both, as the model gives them. A name is what
   * `Encoder.open` takes: "static" (BM25 for words, vectors for meaning, no runtime), "builtin", "builtin:vectors", a folder, or
   * a Hugging Face id.
   */
  encoder?: Encoder | string;
  /** What the encoder said at an earlier time, by document id, so that it need not be asked again. */
  encodings?: ReadonlyMap<string, Encoding>;
  /** Threads that search; 1, the caller's own, when left out. */
  threads?: number;
  /** Stops the work between two documents, or two batches of the encoder: the call fails with the signal's reason. */
  signal?: AbortSignal;
  onProgress?: OnProgress;
}

export const BUILD_OPTIONS: KnownOptions<BuildOptions> = {
  lexical: true,
  analyzer: true,
  vocabulary: true,
  dims: true,
  slicing: true,
  like: true,
  seed: true,
  discard: true,
  bm25: true,
  quantize: true,
  lambda: true,
  spreadSample: true,
  encoder: true,
  encodings: true,
  threads: true,
  signal: true,
  onProgress: true,
};

const BM25_OPTIONS: KnownOptions<Bm25Parameters> = { k1: true, b: true };

/** Dims of a row, at most; `checkModel` refuses the rest. */
const MOST_DIMS = 65_536;

/** @internal Refuses options that cannot be meant, before anything is read. */
export function checkBuildOptions(options: BuildOptions): void {
  const { analyzer, vocabulary, dims, like, seed, discard, bm25, quantize, lambda } = options;
  const { spreadSample, encoder, encodings, threads, onProgress } = options;
  if (analyzer !== undefined && typeof (analyzer as Partial<Analyzer> | null)?.terms !== "function")
    throw wrong("analyzer", "english, whitespace or a WordPiece, as the package exports them", analyzer);
  if (vocabulary !== undefined) {
    checkIterable("vocabulary", "terms", vocabulary);
    if (!Array.isArray(vocabulary) || vocabulary.some((term) => typeof term !== "string"))
      throw wrong("vocabulary", "a list of texts", vocabulary);
  }
  if (dims !== "full") checkNumber("dims", dims, { least: 1, most: MOST_DIMS, isWhole: true });
  if (like !== undefined && !(like instanceof Slicing)) throw wrong("like", "the slicing of an index", like);
  checkNumber("seed", seed, { least: Number.MIN_SAFE_INTEGER, isWhole: true });
  checkNumber("discard", discard, { least: 0, isWhole: true });
  if (bm25 !== undefined) checkOptions(bm25, BM25_OPTIONS, "bm25");
  checkObject("quantize", quantize);
  if (lambda !== undefined && typeof lambda !== "number") throw wrong("lambda", "a number", lambda);
  checkNumber("spreadSample", spreadSample, { least: 1, isWhole: true });
  if (encoder !== undefined && typeof encoder !== "string") checkObject("encoder", encoder);
  checkObject("encodings", encodings);
  checkThreads(threads);
  checkFunction("onProgress", onProgress);
  checkModel(options as ModelOptions);
}

/** @internal Options with the model itself, where they had its name. */
export type WithModel<Options extends { encoder?: unknown }> = Omit<Options, "encoder"> & {
  encoder?: Encoder;
  /** Whether the encoder was opened for the index, by its name, and is closed with it. */
  ownsEncoder?: boolean;
};

/** @internal Does something with the model that options name. Where that fails, a model that was opened for it is closed. */
export async function withModel<Options extends BuildOptions, T>(
  options: Options,
  use: (ready: WithModel<Options>) => Promise<T>,
): Promise<T> {
  const { encoder: named, ...others } = options;
  const encoder = typeof named === "string" ? await Encoder.open(named) : named;
  try {
    return await use({ ...others, ...(encoder && { encoder, ownsEncoder: encoder !== named }) });
  } catch (error) {
    if (encoder !== named) await encoder?.close();
    throw error;
  }
}

/** @internal The documents with what an encoder says about them, where there is one. */
export function encoded(
  documents: Iterable<Document> | AsyncIterable<Document>,
  { encoder, encodings, signal, onProgress }: WithModel<BuildOptions>,
): Iterable<Document> | AsyncIterable<Document> {
  if (!encoder) return documents;
  return encodedDocuments(documents, encoder, {
    known: encodings,
    signal,
    onProgress: (done, total) =>
      onProgress?.({ stage: "encoding", done, ...(total !== undefined && { total }) }),
  });
}

/** @internal A model that gives weights decides the vocabulary too. */
export function withEncoder<Options extends WithModel<BuildOptions>>(options: Options): Options {
  const { encoder } = options;
  return encoder?.gives.weights
    ? { ...options, lexical: "weights", vocabulary: encoder.vocabulary }
    : options;
}

/** @internal The options of a new index, with everything that follows from the model and the kernel. */
export function forNewIndex<Options extends WithModel<BuildOptions> & { kernel?: unknown }>(
  options: Options,
): Options {
  const needsSlots = options.encoder?.gives.weights === true || options.kernel === "webgpu";
  return withDims(withEncoder(options), needsSlots);
}

/** @internal The weight of the semantic part in a new index: what is asked for, or what the model suggests. */
export function firstLambda({ lambda, encoder }: WithModel<BuildOptions>): number {
  return lambda ?? encoder?.description.lambda ?? 1;
}

/** @internal */
export function recordOf({ path, fingerprint, description }: Encoder): EncoderRecord {
  const isInPackage = path === BUILTIN || path === STATIC;
  return { path: isInPackage ? path : resolve(path), fingerprint, description };
}
