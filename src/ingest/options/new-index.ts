// The settings that a new index begins with. Its first document decides the options that were left out: a text is encoded by the
// default encoder, and a document with a vector, weights or factors of its own is taken as it is.

import { type Document, hasOwnEncoding } from "../../documents/document.ts";
import { Encoder } from "../../encode/encoder.ts";
import { createEncoderRecord, suggestLambda } from "../../encode/encoder-record.ts";
import { addEncoderOptions, type ResolvedOptions } from "./encoder-options.ts";
import type { IndexOptions } from "./index-options.ts";
import { chooseDims, createRowRules, type IndexStart } from "./row-rules.ts";

/** The encoder of a new index that is given none. */
const DEFAULT_ENCODER = "static";

type NewIndexOptions = ResolvedOptions<IndexOptions> & { kernel?: unknown };

/** @internal */
export class NewIndex {
  readonly #options: NewIndexOptions;
  /** What the first document decided, in addition to the options. */
  #decided: Pick<NewIndexOptions, "encoder" | "lexical"> = {};
  #start: IndexStart | undefined;

  constructor(options: NewIndexOptions) {
    this.#options = options;
  }

  /** What the index begins with. Before the first document, the options alone decide it. Throws if they contradict each other. */
  requireStart(): IndexStart {
    this.#start ??= createStart({ ...this.#options, ...this.#decided });
    return this.#start;
  }

  /** Looks at the first document of an index that has none; undefined if the index is committed without one. */
  async decide(first: Document | undefined): Promise<void> {
    this.#decided = await decideByDocument(first, this.#options);
    this.#start = undefined;
  }
}

/** Chooses encoder and weighting by the first document, where the options leave them open. */
async function decideByDocument(
  first: Document | undefined,
  { encoder, isEncoderUndecided, lexical, bm25, fieldWeights }: NewIndexOptions,
): Promise<Pick<NewIndexOptions, "encoder" | "lexical">> {
  const isLexicalUndecided = !encoder && lexical === undefined && bm25 === undefined && !fieldWeights;
  if (isLexicalUndecided && first?.weights !== undefined) return { lexical: "weights" };
  if (!isEncoderUndecided || lexical === "weights" || (first && hasOwnEncoding(first))) return {};
  return { encoder: await Encoder.open(DEFAULT_ENCODER) };
}

function createStart(options: NewIndexOptions): IndexStart {
  const { encoder, quantize, lambda } = options;
  const needsSlots = encoder?.gives.weights === true || options.kernel === "webgpu";
  return {
    rowRules: createRowRules(chooseDims(addEncoderOptions(options), needsSlots)),
    lambda: lambda ?? (encoder && suggestLambda(encoder)) ?? 1,
    ...(encoder && { encoder: createEncoderRecord(encoder) }),
    ...(quantize && { quantize }),
  };
}
