// The options that an encoder takes beside texts, and the encodings that it gives.

import type { OnProgress } from "../../support/options/progress.ts";

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

export interface EncodeOptions {
  /** Stops the work after the batch that is running; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of texts that are encoded: the stage `encoding`. */
  readonly onProgress?: OnProgress | undefined;
}

/** The same, for one who keeps each encoding as it comes. */
export interface WatchedEncodeOptions extends EncodeOptions {
  /** Called with each encoding as soon as it is there, and the position of its text. */
  readonly onEncoded?: ((at: number, encoding: Encoding) => void) | undefined;
}
