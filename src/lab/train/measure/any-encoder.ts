// Anything that encodes texts into weights or factors of terms and vectors: an encoder from its folder, or the current
// model of a trainer, on the CPU or on a GPU.

import {
  computeTermFactors,
  createAnchoredAnalyzer,
  findWordsInPieces,
} from "../../../encode/contract/anchored.ts";
import type { Role } from "../../../encode/contract/description.ts";
import type { EncoderGives } from "../../../encode/contract/encoding.ts";
import { Encoder, type Encoding } from "../../../encode/encoder.ts";
import type { TextTokenizer } from "../../../encode/tokenize/tokenizer.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { TokenLists } from "../data/token-lists.ts";
import { readCheckpoint } from "../run/checkpoint.ts";
import type { TrainConfig } from "../run/config.ts";
import { findCheckpoint, openTokenizer, RunFolder, tokenizerPathOf } from "../run/run-folder.ts";
import { Trainer } from "../step/trainer.ts";

/** Encodes texts. `Encoder` implements it. */
export interface AnyEncoder {
  readonly gives: EncoderGives;
  /** The terms that can have weights. */
  readonly vocabulary: readonly string[];
  encode(texts: readonly string[], role: Role): Promise<Encoding[]>;
}

/** Weights below this are dropped. There are thousands of them, and they do not change a ranking. */
const LEAST = 1e-4;

/** @internal Encodes texts with the current parameters of a trainer. */
export class TrainerEncoder implements AnyEncoder {
  readonly vocabulary: readonly string[];
  readonly #trainer: Pick<Trainer, "encode" | "model">;
  readonly #tokenizer: TextTokenizer;
  readonly #texts: Pick<TrainConfig["model"], "maxLength" | "prefix">;

  /** `texts` says how long texts are, and what is put before them. */
  constructor(
    trainer: Pick<Trainer, "encode" | "model">,
    tokenizer: TextTokenizer,
    texts: Pick<TrainConfig["model"], "maxLength" | "prefix">,
  ) {
    this.#trainer = trainer;
    this.#tokenizer = tokenizer;
    this.#texts = texts;
    this.vocabulary = pieceNames(trainer.model.encoder.vocabulary, tokenizer);
  }

  get gives(): EncoderGives {
    const { head } = this.#trainer.model;
    const { lexical, semantic } = head.kind === "joint" ? head : {};
    const isAnchored = lexical?.kind === "anchored";
    return {
      weights: lexical !== undefined && !isAnchored,
      ...(isAnchored && { termFactors: true }),
      vector: semantic !== undefined,
    };
  }

  async encode(texts: readonly string[], role: Role): Promise<Encoding[]> {
    const lists = new TokenLists(this.vocabulary.length);
    const prefix = this.#texts.prefix?.[role] ?? "";
    const framed = (text: string) =>
      this.#tokenizer.framed(this.#tokenizer.bare(prefix + text), this.#texts.maxLength[role]);
    const numbers = texts.map((text) => lists.add(framed(text)));
    const { lexical, semantic, exponents } = await this.#trainer.encode(lists.rows(numbers), role, LEAST);
    return texts.map((text, i) => ({
      ...(lexical && { weights: this.#weightsByTerm(lexical[i]) }),
      ...(exponents && { termFactors: this.#factorsByTerm(text, prefix, exponents[i], role) }),
      ...(semantic && { vector: semantic[i] }),
    }));
  }

  #factorsByTerm(text: string, prefix: string, exponents: Float32Array, role: Role): Map<string, number> {
    const { starts } = this.#tokenizer.located(prefix + text);
    const place = { from: prefix.length, kept: this.#tokenizer.mostPieces(this.#texts.maxLength[role]) };
    const words = findWordsInPieces(createAnchoredAnalyzer("english"), text, starts, place);
    return computeTermFactors(words, exponents.subarray(this.#tokenizer.begin.length));
  }

  #weightsByTerm({
    ids,
    weights,
  }: {
    readonly ids: Uint32Array;
    readonly weights: Float32Array;
  }): Map<string, number> {
    return new Map(Array.from(ids, (id, at) => [this.vocabulary[id], weights[at]]));
  }
}

/** @internal Returns a name for every id of a model. A model may have more ids than its tokenizer. */
export function pieceNames(vocabularySize: number, { terms }: TextTokenizer): string[] {
  return Array.from({ length: vocabularySize }, (_, id) => terms[id] ?? `[missing${id}]`);
}

/** One that must be closed after use. */
export type OpenedEncoder = AnyEncoder & { close(): Promise<void> };

export interface AnyEncoderOptions {
  /** Where a run or a checkpoint is computed. Default: cpu. */
  readonly provider?: "cpu" | "webgpu" | undefined;
  /** Threads of the runtime. Default 0: the runtime chooses. */
  readonly threads?: number | undefined;
}

/** Opens an encoder's folder, a checkpoint, or a run (its newest checkpoint). */
export async function openAnyEncoder(path: string, options: AnyEncoderOptions = {}): Promise<OpenedEncoder> {
  if (!path.endsWith(".safetensors") && !(await RunFolder.holdsRun(path))) {
    if (options.provider === "webgpu") {
      throw new SluiceError(
        `${path}: an encoder's folder runs on the CPU only, but the provider is webgpu`,
        "give a run or a checkpoint",
      );
    }
    return Encoder.open(path, { threads: options.threads ?? 0 });
  }
  const checkpoint = await findCheckpoint(path);
  const { model, trainer: state, config } = await readCheckpoint(checkpoint);
  const tokenizer = await openTokenizer(tokenizerPathOf(checkpoint));
  const trainer = await Trainer.create(model, state.parameters, options);
  const encoder = new TrainerEncoder(trainer, tokenizer, config.model);
  return Object.assign(encoder, { close: () => trainer.close() });
}
