// Texts → weights of terms, or a vector, or both, by an ONNX model. Its folder has model.onnx, tokenizer.json and
// sluice.json, which describes the model (description.ts).

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { UsageError } from "../errors.ts";
import { parseJson, readText } from "../read/lines.ts";
import { batchesByLength } from "./batches.ts";
import { BUILTIN, builtinFolder, descriptionFile } from "./builtin.ts";
import { checkedDescription, type EncoderDescription, type Role } from "./description.ts";
import { modelFolder } from "./download.ts";
import type { EncodeOptions, Encoding, Provider, WatchedEncodeOptions } from "./encoding.ts";
import { withOutputs } from "./graph-parts.ts";
import { delade, firstState, meanPool, normalized, splade, tokenWeights } from "./heads.ts";
import { loadRuntime, openSession, type Runtime, type Session, type Tensor } from "./runtime.ts";
import type { StaticDescription } from "./static-encoder.ts";
import { openStatic } from "./static-folder.ts";
import { TextTokenizer } from "./tokenizer.ts";

export type { EncodeOptions, Encoding };

export interface EncoderOptions {
  /** The description to use instead of sluice.json. */
  description?: EncoderDescription | StaticDescription;
  /** Threads of the runtime; 0, the default, lets the runtime decide. */
  threads?: number;
  /** Where the model runs: "cpu", the default, or "webgpu". On a GPU the last bits of a vector differ. */
  provider?: Provider;
  /** The folder for models that are downloaded from Hugging Face. */
  cache?: string;
}

/**
 * The most positions (texts × longest) of a batch: 8 texts of 256 tokens. The runtime blocks the event loop while a batch
 * runs, for about 350 ms on two cores, and nothing can stop it. Twice as many are not faster on a CPU; half as many take a
 * tenth longer.
 */
const BATCH_POSITIONS = 2048;
/**
 * The same for graphs without a mask, which compute in int8 and whose texts need no padding: 4 texts of 128 tokens. All
 * numbers of a layer then stay in the cache of a core; 2,048 positions take a tenth longer.
 */
const UNPADDED_POSITIONS = 512;
/** The most texts of a batch. */
const BATCH_TEXTS = 64;
/** A GPU takes this many times as many of both. */
const GPU_FACTOR = 8;
/** The most floats of logits in a batch. A model with logits gives positions × vocabulary of them: 256 MB at this limit. */
const LOGITS_AT_ONCE = 1 << 26;
/** Texts that are tokenized and sorted together. A limit, so that memory does not grow with the collection. */
const WINDOW = 2048;
/** Texts that are tokenized before other work may run: about 50 ms. */
const TOKENIZED_AT_ONCE = 256;

/** A weight must be above this to be more than 0 in float16. */
const VANISHING = 2 ** -25;
const KNOWN_INPUTS = ["input_ids", "attention_mask", "token_type_ids"];

/** Turns texts into weights of terms, a vector, or both. */
export abstract class Encoder {
  abstract readonly description: EncoderDescription | StaticDescription;
  /** A hash of the model, its tokenizer and its description. Encoders with the same one give the same vectors. */
  abstract readonly fingerprint: string;
  /** The folder of the model; "builtin" or "static" for those of this package, whose folders differ between machines. */
  abstract readonly path: string;
  /** The terms of the vocabulary, in the order of their ids. */
  abstract readonly vocabulary: readonly string[];
  /** Whether texts get weights of terms, and whether they get a vector. */
  abstract readonly gives: { readonly weights: boolean; readonly vector: boolean };

  /**
   * Opens an encoder: a folder, a Hugging Face id, or one of this package. "builtin" is a model that gives weights and a
   * vector, "builtin:vectors" gives only its vectors. "static" is a table of word pieces that gives vectors of 256 numbers;
   * "static:128" and "static:64" give the first of them.
   */
  static async open(name: string, options: EncoderOptions = {}): Promise<Encoder> {
    return (await openStatic(name, options.description)) ?? OnnxEncoder.open(name, options);
  }

  abstract encode(texts: readonly string[], role: Role, options?: WatchedEncodeOptions): Promise<Encoding[]>;

  /** The ids of a text's terms, as the model gets them. */
  abstract tokenIds(text: string, role: Role): number[];

  /** The terms that a text contains, if the encoder gives weights. All other terms with a weight were added by the model. */
  abstract ownTerms(text: string, role: Role): ReadonlySet<string> | undefined;

  /** Frees the model's memory. A second call does nothing. */
  abstract close(): Promise<void>;
}

/** An encoder that is an ONNX model. */
class OnnxEncoder extends Encoder {
  readonly description: EncoderDescription;
  readonly fingerprint: string;
  readonly path: string;
  readonly #runtime: Runtime;
  #isClosed = false;
  readonly #session: Session;
  readonly #tokenizer: TextTokenizer;
  readonly #terms: readonly string[];
  /** How many times as large as on a CPU a batch may be. */
  readonly #batchFactor: number;

  private constructor(
    path: string,
    fingerprint: string,
    description: EncoderDescription,
    tokenizer: TextTokenizer,
    runtime: Runtime,
    session: Session,
    batchFactor: number,
  ) {
    super();
    this.#batchFactor = batchFactor;
    this.path = path;
    this.fingerprint = fingerprint;
    this.description = description;
    this.#tokenizer = tokenizer;
    this.#runtime = runtime;
    this.#session = session;
    this.#terms = tokenizer.terms;
    this.#checkGraph();
  }

  static override async open(name: string, options: EncoderOptions = {}): Promise<OnnxEncoder> {
    const runtime = await loadRuntime();
    const folder = await modelFolder(name, options.cache);
    const file = async (name: string) => {
      try {
        return await readFile(join(folder, name));
      } catch {
        throw new UsageError(
          `${join(folder, name)}: not there`,
          "a model is a folder with model.onnx and tokenizer.json",
          "ERR_SLUICE_FILE",
        );
      }
    };
    const [model, tokenizerJson] = [await file("model.onnx"), await file("tokenizer.json")];
    const where = join(folder, descriptionFile(name));
    const description = options.description
      ? checkedDescription(options.description, "the description")
      : checkedDescription(
          parseJson(await readDescriptionText(where), where, "ERR_SLUICE_DAMAGED"),
          where,
          "ERR_SLUICE_DAMAGED",
        );
    const tokenizer = new TextTokenizer(tokenizerJson.toString(), join(folder, "tokenizer.json"));
    const part = withOutputs(model, neededOutputs(description));
    const { threads = 0, provider = "cpu" } = options;
    const session = await openSession(runtime, join(folder, "model.onnx"), threads, part, provider);
    const { createHash } = await import("node:crypto"); // loaded here, because it takes a megabyte that others can save
    const hash = createHash("sha256").update(model).update(tokenizerJson).update(JSON.stringify(description));
    const path = folder === builtinFolder() ? BUILTIN : folder;
    const fingerprint = hash.digest("hex").slice(0, 16);
    const batchFactor = provider === "webgpu" ? GPU_FACTOR : 1;
    return new OnnxEncoder(path, fingerprint, description, tokenizer, runtime, session, batchFactor);
  }

  get vocabulary(): readonly string[] {
    return this.#terms;
  }

  get gives(): { readonly weights: boolean; readonly vector: boolean } {
    const { kind } = this.description;
    return {
      weights: kind !== "dense",
      vector: this.description.kind === "dense" || this.description.semantic === true,
    };
  }

  async encode(
    texts: readonly string[],
    role: Role,
    options: WatchedEncodeOptions = {},
  ): Promise<Encoding[]> {
    const encodings: Encoding[] = new Array(texts.length);
    let done = 0;
    for (let start = 0; start < texts.length; start += WINDOW) {
      const ids = await this.#tokenized(texts.slice(start, start + WINDOW), role, options.signal);
      for (const batch of this.#batches(ids)) {
        await setImmediate(); // let other work run, which may abort: a batch cannot be stopped once it runs
        options.signal?.throwIfAborted();
        const encoded = await this.#run(
          batch.map((i) => ids[i]),
          role,
        );
        for (const [at, i] of batch.entries()) {
          encodings[start + i] = encoded[at];
          options.onEncoded?.(start + i, encoded[at]);
        }
        done += batch.length;
        options.onProgress?.({ done, total: texts.length });
      }
    }
    options.signal?.throwIfAborted();
    return encodings;
  }

  /** The token ids of prefix and text, cut to the maximum length, between the special tokens. */
  tokenIds(text: string, role: Role): number[] {
    const { maxLength, prefix } = this.description;
    return this.#tokenizer.framed(this.#tokenizer.bare((prefix?.[role] ?? "") + text), maxLength[role]);
  }

  ownTerms(text: string, role: Role): ReadonlySet<string> | undefined {
    return this.gives.weights ? new Set(this.tokenIds(text, role).map((id) => this.#terms[id])) : undefined;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#session.release();
  }

  async #tokenized(texts: readonly string[], role: Role, signal?: AbortSignal): Promise<number[][]> {
    const ids: number[][] = [];
    for (const [i, text] of texts.entries()) {
      if (i > 0 && i % TOKENIZED_AT_ONCE === 0) {
        await setImmediate();
        signal?.throwIfAborted();
      }
      ids.push(this.tokenIds(text, role));
    }
    return ids;
  }

  #batches(ids: readonly number[][]): number[][] {
    const hasLogits = this.description.kind === "splade" || this.description.kind === "delade";
    const positions = hasLogits ? Math.floor(LOGITS_AT_ONCE / this.#terms.length) : Number.POSITIVE_INFINITY;
    // A graph without a mask cannot tell padding from text.
    const isUnpadded = !this.#session.inputNames.includes("attention_mask");
    return batchesByLength(
      ids.map((list) => list.length),
      Math.min(this.#batchFactor * (isUnpadded ? UNPADDED_POSITIONS : BATCH_POSITIONS), positions),
      this.#batchFactor * BATCH_TEXTS,
      isUnpadded,
    );
  }

  async #run(batch: readonly number[][], role: Role): Promise<Encoding[]> {
    const length = Math.max(...batch.map((ids) => ids.length));
    const size = batch.length * length;
    const ids = new BigInt64Array(size);
    const mask = new BigInt64Array(size);
    batch.forEach((list, row) => {
      list.forEach((id, at) => {
        ids[row * length + at] = BigInt(id);
        mask[row * length + at] = 1n;
      });
    });
    const tensor = (data: BigInt64Array) => new this.#runtime.Tensor("int64", data, [batch.length, length]);
    const feeds = Object.fromEntries(
      this.#session.inputNames.map((name) => {
        if (name === "input_ids") return [name, tensor(ids)];
        return [name, tensor(name === "attention_mask" ? mask : new BigInt64Array(size))];
      }),
    );
    const outputs = await this.#infer(feeds, length);
    const of = (name: string, row: number) => {
      const { type, data } = outputs[name];
      if (!(data instanceof Float32Array)) {
        throw new UsageError(
          `${this.path}: the output "${name}" is ${type}, expected float32`,
          undefined,
          "ERR_SLUICE_DAMAGED",
        );
      }
      const each = data.length / batch.length;
      return data.subarray(row * each, (row + 1) * each);
    };
    return batch.map((list, row) => {
      const real = Array.from({ length }, (_, at) => (at < list.length ? 1 : 0));
      return this.#encoding(list, real, role, (name) => of(name, row));
    });
  }

  async #infer(feeds: Record<string, Tensor>, length: number): Promise<Record<string, Tensor>> {
    try {
      return (await this.#session.run(feeds)) as Record<string, Tensor>;
    } catch (error) {
      throw new UsageError(
        `${this.path}: the model fails on texts of ${length} tokens: ${(error as Error).message.split("\n")[0]}`,
        'is "maxLength" in its description more than it was made for?',
        "ERR_SLUICE_DAMAGED",
      );
    }
  }

  /** The encoding of one text from the graph's outputs (heads.ts). */
  #encoding(
    ids: readonly number[],
    mask: number[],
    role: Role,
    of: (output: string) => Float32Array,
  ): Encoding {
    const { description } = this;
    const names = outputNames(description);
    if (description.kind === "dense" && !description.pooled) {
      const hidden = of(names.hidden);
      const width = hidden.length / mask.length;
      const pooled =
        description.pooling === "mean" ? meanPool(hidden, mask, width) : firstState(hidden, width);
      return { vector: description.normalize ? normalized(pooled) : pooled };
    }
    if (description.kind === "dense") return { vector: of(names.semantic).slice() };
    const weights = this.#weights(description, ids, mask, role, of);
    return description.semantic ? { weights, vector: of(names.semantic).slice() } : { weights };
  }

  #weights(
    description: Exclude<EncoderDescription, { kind: "dense" }>,
    ids: readonly number[],
    mask: number[],
    role: Role,
    of: (output: string) => Float32Array,
  ): Map<string, number> {
    const names = outputNames(description);
    if (description.kind === "unicoil") {
      const padded = Array.from(mask, (_, at) => ids[at] ?? 0);
      const bag = tokenWeights(padded, of(names.tokenWeights), mask, role);
      const { least = 0 } = description;
      const kept = Array.from(bag).filter(([, weight]) => weight > least);
      return new Map(kept.map(([id, weight]) => [this.#terms[id], weight]));
    }
    if (description.pooled) return this.#bag(of(names.lexical), description.least);
    const logits = of(names.logits);
    const vocabulary = logits.length / mask.length;
    const weights =
      description.kind === "splade"
        ? splade(logits, mask, vocabulary, description.aggregation, description.withoutCls ? 1 : 0)
        : delade(logits, of(names.tokenWeights), mask, vocabulary);
    return this.#bag(weights, description.least);
  }

  #bag(weights: Float32Array, least = VANISHING): Map<string, number> {
    const bag = new Map<string, number>();
    weights.forEach((weight, id) => {
      if (weight > least && this.#terms[id] !== undefined) bag.set(this.#terms[id], weight);
    });
    return bag;
  }

  /** Throws if the graph has an unknown input, or lacks an output that its kind needs: at opening, not at the first text. */
  #checkGraph(): void {
    const unknown = this.#session.inputNames.find((name) => !KNOWN_INPUTS.includes(name));
    if (unknown) {
      throw new UsageError(
        `${this.path}: the graph has an unknown input "${unknown}", expected ${KNOWN_INPUTS.join(", ")}`,
        undefined,
        "ERR_SLUICE_DAMAGED",
      );
    }
    const needed = neededOutputs(this.description);
    const missing = needed.filter((name) => !this.#session.outputNames.includes(name));
    if (missing.length > 0) {
      throw new UsageError(
        `${this.path}: the graph has no output "${missing[0]}"; it has ${this.#session.outputNames.join(", ")}`,
        'name it in sluice.json under "outputs", or correct "kind"',
        "ERR_SLUICE_DAMAGED",
      );
    }
  }
}

function neededOutputs(description: EncoderDescription): string[] {
  const names = outputNames(description);
  if (description.kind === "dense") return [description.pooled ? names.semantic : names.hidden];
  const perToken = {
    splade: [names.logits],
    unicoil: [names.tokenWeights],
    delade: [names.logits, names.tokenWeights],
  }[description.kind];
  return [
    ...(description.pooled ? [names.lexical] : perToken),
    ...(description.semantic ? [names.semantic] : []),
  ];
}

function outputNames({ outputs }: EncoderDescription) {
  return {
    lexical: "lexical",
    hidden: "last_hidden_state",
    logits: "logits",
    tokenWeights: "token_weights",
    semantic: "semantic",
    ...outputs,
  };
}

async function readDescriptionText(path: string): Promise<string> {
  try {
    return await readText(path);
  } catch {
    throw new UsageError(
      `${path}: not there; it must describe the model`,
      'for a sentence encoder: {"kind": "dense", "pooling": "mean", "normalize": true, "maxLength": {"query": 64, "passage": 256}}',
      "ERR_SLUICE_FILE",
    );
  }
}
