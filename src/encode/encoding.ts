// What goes into an encoder beside texts, and what comes out.

/** What computes: the processor, or a GPU through WebGPU. */
export type Provider = "cpu" | "webgpu";

/** What an encoder gives for a text. */
export interface Encoding {
  /** Weights by term, if the encoder gives them. */
  readonly weights?: ReadonlyMap<string, number>;
  /** The vector, if the encoder gives one. */
  readonly vector?: Float32Array;
}

export interface EncodeOptions {
  /** Stops the work after the batch that is running; the call then rejects with the signal's reason. */
  signal?: AbortSignal;
  onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** The same, for one who keeps each encoding as it comes. */
export interface WatchedEncodeOptions extends EncodeOptions {
  /** Called with each encoding as soon as it is there, and the position of its text. */
  onEncoded?: (at: number, encoding: Encoding) => void;
}
