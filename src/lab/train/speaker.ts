// Who says weights of words and vectors about texts: an encoder from its folder, or a model as it stands in a trainer,
// on whatever computes there.

import { dirname, join } from "node:path";
import type { Role } from "../../encode/description.ts";
import { Encoder, type Encoding } from "../../encode/encoder.ts";
import { TextTokenizer } from "../../encode/tokenizer.ts";
import { UsageError } from "../../errors.ts";
import { readText } from "../../read/lines.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { TokenLists } from "./data/token-lists.ts";
import { checkpointAt, RunFolder } from "./run-folder.ts";
import { Trainer } from "./trainer.ts";

/** An `Encoder` is one. */
export interface Speaker {
  readonly gives: { readonly weights: boolean; readonly vector: boolean };
  /** The words that weights are of. */
  readonly vocabulary: readonly string[];
  encode(texts: readonly string[], role: Role): Promise<Encoding[]>;
}

/** Words that weigh less add nothing that a ranking shows, and there are thousands of them. */
const LEAST = 1e-4;

/** @internal */
export class TrainerSpeaker implements Speaker {
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
      ...(lexical && { weights: this.#bag(lexical[i]) }),
      ...(semantic && { vector: semantic[i] }),
    }));
  }

  #bag({ ids, weights }: { readonly ids: Uint32Array; readonly weights: Float32Array }): Map<string, number> {
    return new Map(Array.from(ids, (id, at) => [this.vocabulary[id], weights[at]]));
  }
}

/** @internal A name for every id a model knows: there may be more than the tokenizer's. */
export function namesOf(vocabulary: number, { terms }: TextTokenizer): string[] {
  return Array.from({ length: vocabulary }, (_, id) => terms[id] ?? `[missing${id}]`);
}

/** A speaker that was opened for a while. */
export type OpenSpeaker = Speaker & { close(): Promise<void> };

export interface SpeakerOptions {
  /** What computes a run or a checkpoint: the processor unless said otherwise. */
  readonly provider?: "cpu" | "webgpu";
  /** Threads of the runtime; 0, the default, leaves it to the runtime. */
  readonly threads?: number;
}

/** From an encoder's folder, a checkpoint, or a run: then its newest checkpoint. */
export async function openSpeaker(path: string, options: SpeakerOptions = {}): Promise<OpenSpeaker> {
  if (!path.endsWith(".safetensors") && !(await RunFolder.holdsRun(path))) {
    if (options.provider === "webgpu") {
      throw new UsageError(
        `${path}: an encoder's folder is computed by the processor`,
        "give a run or a checkpoint",
      );
    }
    return Encoder.open(path, { threads: options.threads ?? 0 });
  }
  const checkpoint = await checkpointAt(path);
  const { model, trainer: state, config } = await readCheckpoint(checkpoint);
  const file = join(dirname(dirname(checkpoint)), "tokenizer.json");
  const tokenizer = new TextTokenizer(await readText(file), file);
  const trainer = await Trainer.create(model, state.parameters, options);
  const speaker = new TrainerSpeaker(trainer, tokenizer, config.model.maxLength);
  return Object.assign(speaker, { close: () => trainer.close() });
}
