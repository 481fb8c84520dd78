// The options that say what an index is, and their checks, before anything is read.

import { checkAnalyzer } from "../../analyze/choose-analyzer.ts";
import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { AnalyzerName } from "../../analyze/contract/analyzer-names.ts";
import type { AnalyzerOptions } from "../../analyze/contract/named-analyzer.ts";
import { Slicing } from "../../densify/slicing.ts";
import { checkEncoder } from "../../encode/contract/check-encoder.ts";
import type { Encoder } from "../../encode/encoder.ts";
import type { EncoderPair } from "../../encode/open-encoder.ts";
import type { CodeShape } from "../../segment/codes/code-shape.ts";
import { checkLambdaIfGiven } from "../../support/options/lambda.ts";
import {
  checkIterable,
  checkNumber,
  checkParts,
  checkTextList,
  isObject,
  type KnownOptions,
  optionError,
  wrongValueError,
} from "../../support/options/options.ts";
import type { Bm25Parameters } from "../../weigh/bm25.ts";
import { checkRowOptions, type RowOptions } from "./row-rules.ts";

/** What an index is. An index that exists keeps its own options, and refuses others. */
export interface IndexOptions extends Omit<RowOptions, "analyzer">, AnalyzerOptions {
  /**
   * What cuts texts into terms: a name ("universal", the default, "english", "german", …), an analyzer of this package, or
   * your own: an object with a name and a function `terms`, or a function with a name. An index records the name.
   */
  readonly analyzer?: AnalyzerName | Analyzer | ((text: string) => string[]) | undefined;
  /** How many documents `spread` slicing learns from, at even distances; 20,000 by default. */
  readonly spreadSample?: number | undefined;
  /**
   * Encodes the texts of documents: as a vector, as weights or factors of terms, or both. A name is what `Encoder.open` takes:
   * "static" (BM25 for words, vectors for meaning, no runtime), "builtin", "builtin:vectors", a folder, or a Hugging Face id.
   * "none" leaves meaning out. A new index that is given nothing takes "static", unless its first document brings a vector or
   * weights of its own. A pair encodes documents by one encoder and queries by another with the same space.
   */
  readonly encoder?: Encoder | EncoderPair | string | undefined;
}

/** The names of these options. */
export const INDEX_OPTIONS: KnownOptions<IndexOptions> = {
  lexical: true,
  analyzer: true,
  stopWords: true,
  protectedWords: true,
  foldAccents: true,
  vocabulary: true,
  dims: true,
  slicingStrategy: true,
  slicingOf: true,
  seed: true,
  discard: true,
  bm25: true,
  fieldWeights: true,
  positions: true,
  quantize: true,
  lambda: true,
  spreadSample: true,
  encoder: true,
};

const PAIR_OPTIONS: KnownOptions<EncoderPair> = { documents: true, queries: true };
const BM25_OPTIONS: KnownOptions<Bm25Parameters> = { k1: true, b: true };
const CODE_OPTIONS: KnownOptions<CodeShape> = { parts: true, bits: true };

/** The most slices of a row. */
const MOST_DIMS = 65_536;

/** @internal Throws if an option is wrong, before anything is read. */
export function checkIndexOptions(options: IndexOptions): void {
  const { analyzer, vocabulary, dims, slicingOf, seed, discard, bm25, quantize, lambda } = options;
  const { spreadSample, encoder } = options;
  checkAnalyzer(analyzer, options);
  if (vocabulary !== undefined) {
    checkIterable("vocabulary", "terms", vocabulary);
    checkTextList("vocabulary", "texts", vocabulary);
  }
  if (dims !== "full") checkNumber("dims", dims, { least: 1, most: MOST_DIMS, isWhole: true });
  if (slicingOf !== undefined && !(slicingOf instanceof Slicing))
    throw wrongValueError("slicingOf", "the slicing of an index", slicingOf);
  checkNumber("seed", seed, { least: Number.MIN_SAFE_INTEGER, isWhole: true });
  checkNumber("discard", discard, { least: 0, isWhole: true });
  if (bm25 !== undefined) checkParts("bm25", bm25, BM25_OPTIONS);
  if (quantize !== undefined) checkParts("quantize", quantize, CODE_OPTIONS);
  checkLambdaIfGiven(lambda);
  checkNumber("spreadSample", spreadSample, { least: 1, isWhole: true });
  if (encoder !== undefined && typeof encoder !== "string") checkEncoderOption(encoder);
  checkRowOptions(options as RowOptions);
}

/** Throws if it is neither an open encoder nor a pair. */
function checkEncoderOption(encoder: Encoder | EncoderPair): void {
  if (!isObject(encoder))
    throw wrongValueError("encoder", "the name of an encoder, an open one, or a pair of them", encoder);
  if ("encode" in encoder) {
    checkEncoder("encoder", encoder);
    return;
  }
  checkParts("encoder", encoder, PAIR_OPTIONS);
  for (const name of ["documents", "queries"] as const) {
    const one = encoder[name];
    const isEncoder = typeof one === "object" && one !== null && "encode" in one;
    if (isEncoder) checkEncoder(`encoder.${name}`, one);
    else if (typeof one !== "string")
      throw wrongValueError(`encoder.${name}`, "the name of an encoder, or an open one", one);
    if (one === "none")
      throw optionError(
        `encoder.${name}`,
        `encoder.${name} is "none"`,
        'a pair needs two encoders; "none" alone leaves meaning out',
      );
  }
}
