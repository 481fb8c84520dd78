// The options that an encoder takes beside texts, and the encodings that it gives.

import type { WorkOptions } from "../../support/options/work-options.ts";

/** What computes: the processor, or a GPU through WebGPU. */
export type Provider = "cpu" | "webgpu";

/** What an encoder gives for a text. */
export interface Encoding {
  /** Weights by term, if the encoder gives them. */
  readonly weights?: ReadonlyMap<string, number>;
  /** Factors by term of BM25's weights, if the encoder gives them. */
  readonly termFactors?: ReadonlyMap<string, number>;
  /** The vector, if the encoder gives one. */
  readonly vector?: Float32Array;
}

/** What an encoder gives for texts. */
export interface EncoderGives {
  /** Weights of terms, which replace BM25's. */
  readonly weights: boolean;
  /** Factors of BM25's weights. Absent if it gives none. */
  readonly termFactors?: true;
  readonly vector: boolean;
}

/** What an encoder gives for the words of a text. */
type WordParts = Omit<EncoderGives, "vector">;

const NO_PARTS: WordParts = { weights: false };
const FACTORS: WordParts = { weights: false, termFactors: true };
const WEIGHTS: WordParts = { weights: true };

/** What encoders of a kind give for words: the `kind` of a description, or one of a caller's own. */
export function partsGivenBy(kind: string): WordParts {
  if (kind === "dense" || kind === "static") return NO_PARTS;
  return kind === "anchored" ? FACTORS : WEIGHTS;
}

/**
 * How to encode. A signal stops the work after the batch that is running. `onProgress` is called with the number of texts that are
 * encoded: the task `encoding`.
 */
export interface WatchedEncodeOptions extends WorkOptions {
  /** Called with each encoding as soon as it is there, and the position of its text. */
  readonly onEncoded?: ((at: number, encoding: Encoding) => void) | undefined;
}
