// The encoder that the options of an index name → the open encoder, and the options that follow from it.

import { chooseAnalyzer } from "../../analyze/choose-analyzer.ts";
import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import { type AnchoredAnalyzer, createAnchoredAnalyzer } from "../../encode/contract/anchored.ts";
import type { Encoder } from "../../encode/encoder.ts";
import { openEncoder } from "../../encode/open-encoder.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { IndexOptions } from "./index-options.ts";

/** @internal The options of an index, with an open encoder instead of its name. */
export type ResolvedOptions<Options extends { encoder?: unknown }> = Omit<Options, "encoder" | "analyzer"> & {
  encoder?: Encoder;
  analyzer?: Analyzer;
  /** Whether the encoder was opened by name, for the index, and closes with it. */
  ownsEncoder?: boolean;
  /** Whether the options name no encoder, not even "none": the first document of a new index decides. */
  isEncoderUndecided?: boolean;
};

/** @internal Opens the encoder that the options name, and calls `use`. If that fails, closes the encoder again. */
export async function withOpenedEncoder<Options extends IndexOptions, T>(
  options: Options,
  use: (resolved: ResolvedOptions<Options>) => Promise<T>,
): Promise<T> {
  const { encoder: named, analyzer: chosen, ...others } = options;
  const analyzer = await chooseAnalyzer(chosen, options);
  const given = named === "none" ? undefined : named;
  const encoder = given === undefined || isOpenedEncoder(given) ? given : await openEncoder(given);
  const ownsEncoder = encoder !== given;
  try {
    return await use({
      ...others,
      ...(analyzer && { analyzer }),
      ...(encoder && { encoder, ownsEncoder }),
      isEncoderUndecided: named === undefined,
    });
  } catch (error) {
    if (ownsEncoder) await encoder?.close();
    throw error;
  }
}

/** Whether an encoder is open, not a name or a pair of names. */
function isOpenedEncoder(encoder: NonNullable<IndexOptions["encoder"]>): encoder is Encoder {
  return typeof encoder === "object" && "encode" in encoder;
}

/**
 * @internal An encoder that gives weights also gives the vocabulary. An encoder that gives factors of BM25's weights also
 * names the analyzer.
 */
export function addEncoderOptions<Options extends ResolvedOptions<IndexOptions>>(options: Options): Options {
  const { encoder } = options;
  if (encoder?.description.kind === "anchored") return addAnalyzer(options, encoder.description.analyzer);
  return encoder?.gives.weights
    ? { ...options, lexical: "weights", vocabulary: encoder.vocabulary }
    : options;
}

function addAnalyzer<Options extends ResolvedOptions<IndexOptions>>(
  options: Options,
  name: AnchoredAnalyzer,
): Options {
  const analyzer = createAnchoredAnalyzer(name);
  if (options.lexical === "weights") {
    throw new SluiceError(
      `${options.encoder!.path}: this encoder gives factors of BM25's weights, and lexical is "weights"`,
      'leave lexical out, or set it to "bm25"',
    );
  }
  if (options.analyzer !== undefined && options.analyzer !== analyzer) {
    throw new SluiceError(
      `${options.encoder!.path}: this encoder learned the words of the analyzer ${name}, not of ${options.analyzer.name}`,
      "leave the analyzer out, or use another encoder",
    );
  }
  return { ...options, analyzer };
}
