// Anything that encodes texts into weights of terms and vectors: an encoder from its folder, or the current
// model of a trainer, on the CPU or on a GPU.

import type { Role } from "../../encode/description.ts";
import { Encoder, type Encoding } from "../../encode/encoder.ts";
import type { TextTokenizer } from "../../encode/tokenizer.ts";
import { UsageError } from "../../errors.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { TokenLists } from "./data/token-lists.ts";
import { checkpointAt, openTokenizer, RunFolder, tokenizerPathOf } from "./run-folder.ts";
import { Trainer } from "./trainer.ts";

/** Encodes texts. `Encoder` implements it. */
export interface AnyEncoder {
  readonly gives: { readonly weights: boolean; readonly vector: boolean };
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
  readonly #maxLength: Readonly<Record<Role, number>>;

  constructor(
    trainer: Pick<Trainer, "encode" | "model">,
    tokenizer: TextTokenizer,
    maxLength: Readonly<Record<Role, number>>,
  ) {
    this.#trainer = trainer;
    this.#tokenizer = tokenizer;
    this.#maxLength = maxLength;
    this.vocabulary = namesOf(trainer.model.encoder.vocabulary, tokenizer);
  }

  get gives() {
    const { head } = this.#trainer.model;
    const isJoint = head.kind === "joint";
    return { weights: isJoint && head.lexical !== undefined, vector: isJoint && head.semantic !== undefined };
  }

  async encode(texts: readonly string[], role: Role): Promise<Encoding[]> {
    const lists = new TokenLists(this.vocabulary.length);
    const framed = (text: string) =>
      this.#tokenizer.framed(this.#tokenizer.bare(text), this.#maxLength[role]);
    const numbers = texts.map((text) => lists.add(framed(text)));
    const { lexical, semantic } = await this.#trainer.encode(lists.rows(numbers), role, LEAST);
    return texts.map((_, i) => ({
      ...(lexical && { weights: this.#weightsByTerm(lexical[i]) }),
      ...(semantic && { vector: semantic[i] }),
    }));
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
export function namesOf(vocabulary: number, { terms }: TextTokenizer): string[] {
  return Array.from({ length: vocabulary }, (_, id) => terms[id] ?? `[missing${id}]`);
}

/** One that must be closed after use. */
export type OpenedEncoder = AnyEncoder & { close(): Promise<void> };

export interface AnyEncoderOptions {
  /** Where a run or a checkpoint is computed. Default: cpu. */
  readonly provider?: "cpu" | "webgpu";
  /** Threads of the runtime. Default 0: the runtime chooses. */
  readonly threads?: number;
}

/** Opens an encoder's folder, a checkpoint, or a run (its newest checkpoint). */
export async function openAnyEncoder(path: string, options: AnyEncoderOptions = {}): Promise<OpenedEncoder> {
  if (!path.endsWith(".safetensors") && !(await RunFolder.holdsRun(path))) {
    if (options.provider === "webgpu") {
      throw new UsageError(
        `${path}: an encoder's folder runs on the CPU only, but the provider is webgpu`,
        "give a run or a checkpoint",
      );
    }
    return Encoder.open(path, { threads: options.threads ?? 0 });
  }
  const checkpoint = await checkpointAt(path);
  const { model, trainer: state, config } = await readCheckpoint(checkpoint);
  const tokenizer = await openTokenizer(tokenizerPathOf(checkpoint));
  const trainer = await Trainer.create(model, state.parameters, options);
  const encoder = new TrainerEncoder(trainer, tokenizer, config.model.maxLength);
  return Object.assign(encoder, { close: () => trainer.close() });
}
