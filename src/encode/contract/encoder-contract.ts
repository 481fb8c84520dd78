// What an encoder is; `Encoder`, in encoder.ts, is its public name. Three kinds fulfill it: a table (static-encoder.ts), an ONNX
// model (onnx-encoder.ts), and a pair of encoders (paired-encoder.ts).

import type { EncoderDescription, Role, StaticDescription } from "./description.ts";
import type { EncoderGives, Encoding, WatchedEncodeOptions } from "./encoding.ts";

/** Turns texts into weights of terms, a vector, or both. `Encoder.open` opens one. */
export interface EncoderContract {
  readonly description: EncoderDescription | StaticDescription;
  /** A hash of the model, its tokenizer and its description. Encoders with the same one give the same vectors. */
  readonly fingerprint: string;
  /** The folder of the model; "builtin" or "static" for those of this package, whose folders differ between machines. */
  readonly path: string;
  /** A hash of what makes its vectors. Vectors of encoders with the same one can be compared. */
  readonly space: string;
  /** The encoder of queries, if it is another one than that of documents. */
  readonly queries?: EncoderContract;
  /** The terms of the vocabulary, in the order of their ids. */
  readonly vocabulary: readonly string[];
  /** Whether texts get weights of terms, factors of BM25's weights, and a vector. */
  readonly gives: EncoderGives;

  encode(texts: readonly string[], role: Role, options?: WatchedEncodeOptions): Promise<Encoding[]>;

  /** The ids of a text's terms, as the model gets them. */
  tokenIds(text: string, role: Role): number[];

  /** The terms that a text contains, if the encoder gives weights. All other terms with a weight were added by the model. */
  ownTerms(text: string, role: Role): ReadonlySet<string> | undefined;

  /** Frees the model's memory. A second call does nothing. */
  close(): Promise<void>;
}

/** The facts about an encoder that are needed before it is open. */
export type ClosedEncoder = Readonly<
  Pick<EncoderContract, "path" | "fingerprint" | "description" | "gives" | "space">
>;
