// Checks the options of an index, adds what follows from its encoder (terms, λ and the width of rows), and makes what a new
// index begins with.

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
import type { EncoderRecord } from "./encoder-record.ts";
import {
  checkRowOptions,
  freshRowRules,
  type NewIndex,
  type RowOptions,
  withDims,
} from "./write/new-index.ts";

export interface BuildOptions extends RowOptions {
  /** How many documents `spread` slicing learns from, at even distances; 20,000 by default. */
  spreadSample?: number;
  /**
   * Encodes the texts of documents: as a vector, as weights of terms, or both. A name is what `Encoder.open` takes: "static"
   * (BM25 for words, vectors for meaning, no runtime), "builtin", "builtin:vectors", a folder, or a Hugging Face id.
   * "none", the default, leaves meaning out.
   */
  encoder?: Encoder | string;
  /** Encodings made earlier, by document id. The encoder is not asked for these documents. */
  encodings?: ReadonlyMap<string, Encoding>;
  /** How many threads search; 1 by default: the caller's own. */
  threads?: number;
  /** Stops the call between two documents, or two batches of the encoder. It fails with the signal's reason. */
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

/** The most slices of a row. */
const MOST_DIMS = 65_536;

/** @internal Throws if an option is wrong, before anything is read. */
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
  checkRowOptions(options as RowOptions);
}

/** @internal Options with an open encoder instead of its name. */
export type WithOpenEncoder<Options extends { encoder?: unknown }> = Omit<Options, "encoder"> & {
  encoder?: Encoder;
  /** Whether the encoder was opened by name, for the index, and closes with it. */
  ownsEncoder?: boolean;
};

/** @internal Opens the encoder that the options name, and calls `use`. If that fails, closes the encoder again. */
export async function withOpenEncoder<Options extends BuildOptions, T>(
  options: Options,
  use: (ready: WithOpenEncoder<Options>) => Promise<T>,
): Promise<T> {
  const { encoder: named, ...others } = options;
  const given = named === "none" ? undefined : named;
  const encoder = typeof given === "string" ? await Encoder.open(given) : given;
  try {
    return await use({ ...others, ...(encoder && { encoder, ownsEncoder: encoder !== given }) });
  } catch (error) {
    if (encoder !== given) await encoder?.close();
    throw error;
  }
}

/** @internal The documents with their encodings, if there is an encoder. */
export function encoded(
  documents: Iterable<Document> | AsyncIterable<Document>,
  { encoder, encodings, signal, onProgress }: WithOpenEncoder<BuildOptions>,
): Iterable<Document> | AsyncIterable<Document> {
  if (!encoder) return documents;
  return encodedDocuments(documents, encoder, {
    known: encodings,
    signal,
    onProgress: (done, total) =>
      onProgress?.({ stage: "encoding", done, ...(total !== undefined && { total }) }),
  });
}

/** @internal An encoder that gives weights also gives the vocabulary. */
export function withEncoder<Options extends WithOpenEncoder<BuildOptions>>(options: Options): Options {
  const { encoder } = options;
  return encoder?.gives.weights
    ? { ...options, lexical: "weights", vocabulary: encoder.vocabulary }
    : options;
}

/** The options of a new index, with what follows from the encoder and the kernel. */
function forNewIndex<Options extends WithOpenEncoder<BuildOptions> & { kernel?: unknown }>(
  options: Options,
): Options {
  const needsSlots = options.encoder?.gives.weights === true || options.kernel === "webgpu";
  return withDims(withEncoder(options), needsSlots);
}

/** The weight of the semantic part in a new index: as asked for, or as the encoder suggests. */
function firstLambda({ lambda, encoder }: WithOpenEncoder<BuildOptions>): number {
  return lambda ?? encoder?.description.lambda ?? 1;
}

function recordOf({ path, fingerprint, description }: Encoder): EncoderRecord {
  const isInPackage = path === BUILTIN || path === STATIC;
  return { path: isInPackage ? path : resolve(path), fingerprint, description };
}

/** @internal A function that makes the beginning of an index when it is first needed, and returns the same one later. */
export function freshIndex(options: WithOpenEncoder<BuildOptions>): () => NewIndex {
  let made: NewIndex | undefined;
  return () => {
    made ??= makeNewIndex(options);
    return made;
  };
}

function makeNewIndex(options: WithOpenEncoder<BuildOptions>): NewIndex {
  const { encoder, quantize } = options;
  return {
    rowRules: freshRowRules(forNewIndex(options)),
    lambda: firstLambda(options),
    ...(encoder && { encoder: recordOf(encoder) }),
    ...(quantize && { quantize }),
  };
}
