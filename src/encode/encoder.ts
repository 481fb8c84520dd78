// `Encoder.open`: a name, a folder or an id of Hugging Face → an encoder. Its files say which kind it is (encoder-folder.ts): a
// table (static-encoder.ts) or an ONNX model (onnx-encoder.ts). open-encoder.ts opens pairs, too, and the encoder that an index
// recorded.

import { checkPath } from "../support/files/check-path.ts";
import {
  checkObject,
  checkOptions,
  checkText,
  type KnownOptions,
  wrongValueError,
} from "../support/options/options.ts";
import type { EncoderDescription, StaticDescription } from "./contract/description.ts";
import type { ClosedEncoder, EncoderContract } from "./contract/encoder-contract.ts";
import type { Encoding, Provider } from "./contract/encoding.ts";
import { findEncoderFiles } from "./folder/encoder-folder.ts";
import { OnnxEncoder } from "./onnx/onnx-encoder.ts";
import { checkRuntimeThreads } from "./onnx/runtime.ts";
import { openStaticEncoder } from "./static/static-folder.ts";

export type { Encoding };

export interface EncoderOptions {
  /** The description to use instead of sluice.json. */
  readonly description?: EncoderDescription | StaticDescription | undefined;
  /** Threads of the runtime; 0, the default, lets the runtime decide. */
  readonly threads?: number | undefined;
  /** Where the model runs: "cpu", the default, or "webgpu". On a GPU the last bits of a vector differ. */
  readonly provider?: Provider | undefined;
  /** The folder for models that are downloaded from Hugging Face. */
  readonly cache?: string | undefined;
}

/** The names of the options of `Encoder.open`. */
const ENCODER_OPTIONS: KnownOptions<EncoderOptions> = {
  description: true,
  threads: true,
  provider: true,
  cache: true,
};

function checkEncoderName(name: unknown): void {
  checkText("the name or the folder of an encoder", name);
}

function checkEncoderOptions(options: EncoderOptions): void {
  checkOptions(options, ENCODER_OPTIONS, "Encoder.open");
  const { description, threads, provider, cache } = options;
  checkObject("description", description);
  checkRuntimeThreads(threads);
  if (provider !== undefined && provider !== "cpu" && provider !== "webgpu")
    throw wrongValueError("provider", '"cpu" or "webgpu"', provider);
  if (cache !== undefined) checkPath("cache", cache);
}

/** Turns texts into weights of terms, a vector, or both. `Encoder.open` opens one. */
export interface Encoder extends EncoderContract {
  /** The encoder of queries, if it is another one than that of documents. */
  readonly queries?: Encoder;
}

/** Opens encoders. It is an object and not a class: a table, a model and a pair of encoders have no code in common. */
export const Encoder = {
  /**
   * Opens an encoder: a folder, a Hugging Face id, or one of this package. "builtin" is a model that gives weights and a
   * vector, "builtin:vectors" gives only its vectors. "static" is a table of word pieces that gives vectors of 256 numbers;
   * "static:128" and "static:64" give the first of them.
   */
  async open(name: string, options: EncoderOptions = {}): Promise<Encoder> {
    checkEncoderName(name);
    checkEncoderOptions(options);
    const files = await findEncoderFiles(name, options.cache);
    return files.isTable ? openStaticEncoder(files, options.description) : OnnxEncoder.open(files, options);
  },
};

/** @internal What is known of a model before it is open, without its runtime; undefined if the encoder is a table. */
export async function readModelFacts(
  name: string,
  options: EncoderOptions,
): Promise<ClosedEncoder | undefined> {
  checkEncoderName(name);
  checkEncoderOptions(options);
  const files = await findEncoderFiles(name, options.cache);
  return files.isTable ? undefined : OnnxEncoder.readFacts(files, options);
}
