// Texts → weights of terms, or a vector, or both, by an ONNX model. Its folder has model.onnx, tokenizer.json and
// sluice.json, which describes the model (description.ts).

import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { UsageError } from "../../support/errors/usage-error.ts";
import { parseJson } from "../../support/files/json.ts";
import { createAnchoredAnalyzer, findWordsInPieces } from "../contract/anchored.ts";
import { checkDescription, type EncoderDescription, type Role } from "../contract/description.ts";
import type { EncoderGives, Encoding, Provider, WatchedEncodeOptions } from "../contract/encoding.ts";
import { type EncoderFiles, readModelFile } from "../folder/encoder-folder.ts";
import { TextTokenizer } from "../tokenize/tokenizer.ts";
import { batchesByLength } from "./batches.ts";
import { listOutputs, readEncoding, type TokenizedText } from "./graph-outputs.ts";
import { keepOutputs } from "./graph-parts.ts";
import { loadRuntime, openSession, type Runtime, type Session, type Tensor } from "./runtime.ts";

interface OnnxOptions {
  readonly description?: unknown;
  readonly threads?: number;
  readonly provider?: Provider;
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

const KNOWN_INPUTS = ["input_ids", "attention_mask", "token_type_ids"];
const DESCRIPTION_HINT =
  'it must describe the model; for a sentence encoder: {"kind": "dense", "pooling": "mean", "normalize": true, "maxLength": {"query": 64, "passage": 256}}';

/** An `Encoder` that is a graph. */
export class OnnxEncoder {
  readonly description: EncoderDescription;
  readonly fingerprint: string;
  readonly space: string;
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
    { fingerprint, space }: { fingerprint: string; space: string },
    description: EncoderDescription,
    tokenizer: TextTokenizer,
    runtime: Runtime,
    session: Session,
    batchFactor: number,
  ) {
    this.#batchFactor = batchFactor;
    this.path = path;
    this.fingerprint = fingerprint;
    this.space = space;
    this.description = description;
    this.#tokenizer = tokenizer;
    this.#runtime = runtime;
    this.#session = session;
    this.#terms = tokenizer.terms;
    this.#checkGraph();
  }

  /** Opens the model of a folder. Files are looked for before the runtime, so a missing one is named without it, too. */
  static async open(files: EncoderFiles, options: OnnxOptions = {}): Promise<OnnxEncoder> {
    const { path, folder, descriptionFile } = files;
    const model = await readModelFile(folder, "model.onnx");
    const tokenizerJson = await readModelFile(folder, "tokenizer.json");
    const where = join(folder, descriptionFile);
    const description = options.description
      ? checkDescription(options.description, "the description")
      : checkDescription(
          parseJson(
            (await readModelFile(folder, descriptionFile, DESCRIPTION_HINT)).toString(),
            where,
            "ERR_SLUICE_DAMAGED",
          ),
          where,
          "ERR_SLUICE_DAMAGED",
        );
    const runtime = await loadRuntime();
    const tokenizer = new TextTokenizer(tokenizerJson.toString(), join(folder, "tokenizer.json"));
    const part = keepOutputs(model, listOutputs(description));
    const { threads = 0, provider = "cpu" } = options;
    const session = await openSession(runtime, join(folder, "model.onnx"), threads, part, provider);
    const { createHash } = await import("node:crypto"); // loaded here, because it takes a megabyte that others can save
    const hashed = createHash("sha256").update(model).update(tokenizerJson);
    const hashOf = (added: unknown) => hashed.copy().update(JSON.stringify(added)).digest("hex").slice(0, 16);
    const { pooling, normalize, prefix } = description as {
      pooling?: unknown;
      normalize?: unknown;
    } & typeof description;
    const hashes = {
      fingerprint: hashOf(description),
      // Without what only queries, weights and factors depend on.
      space: description.space ?? hashOf([pooling, normalize, prefix?.passage]),
    };
    const batchFactor = provider === "webgpu" ? GPU_FACTOR : 1;
    return new OnnxEncoder(path, hashes, description, tokenizer, runtime, session, batchFactor);
  }

  get vocabulary(): readonly string[] {
    return this.#terms;
  }

  get gives(): EncoderGives {
    const { kind } = this.description;
    return {
      weights: kind !== "dense" && kind !== "anchored",
      ...(kind === "anchored" && { termFactors: true }),
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
      const tokenized = await this.#tokenized(texts.slice(start, start + WINDOW), role, options.signal);
      for (const batch of this.#batches(tokenized)) {
        await setImmediate(); // let other work run, which may abort: a batch cannot be stopped once it runs
        options.signal?.throwIfAborted();
        const encoded = await this.#run(
          batch.map((i) => tokenized[i]),
          role,
        );
        for (const [at, i] of batch.entries()) {
          encodings[start + i] = encoded[at];
          options.onEncoded?.(start + i, encoded[at]);
        }
        done += batch.length;
        options.onProgress?.({ stage: "encoding", done, total: texts.length });
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

  async #tokenized(texts: readonly string[], role: Role, signal?: AbortSignal): Promise<TokenizedText[]> {
    const tokenized: TokenizedText[] = [];
    for (const [i, text] of texts.entries()) {
      if (i > 0 && i % TOKENIZED_AT_ONCE === 0) {
        await setImmediate();
        signal?.throwIfAborted();
      }
      tokenized.push(this.#tokenizedText(text, role));
    }
    return tokenized;
  }

  #tokenizedText(text: string, role: Role): TokenizedText {
    const { description } = this;
    if (description.kind !== "anchored") return { ids: this.tokenIds(text, role) };
    const prefix = description.prefix?.[role] ?? "";
    const longest = description.maxLength[role];
    const { ids, starts } = this.#tokenizer.located(prefix + text);
    const place = { from: prefix.length, kept: this.#tokenizer.room(longest) };
    return {
      ids: this.#tokenizer.framed(ids, longest),
      words: findWordsInPieces(createAnchoredAnalyzer(description.analyzer), text, starts, place),
      firstPiece: this.#tokenizer.begin.length,
    };
  }

  #batches(texts: readonly TokenizedText[]): number[][] {
    const hasLogits = this.description.kind === "splade" || this.description.kind === "delade";
    const positions = hasLogits ? Math.floor(LOGITS_AT_ONCE / this.#terms.length) : Number.POSITIVE_INFINITY;
    // A graph without a mask cannot tell padding from text.
    const isUnpadded = !this.#session.inputNames.includes("attention_mask");
    return batchesByLength(
      texts.map(({ ids }) => ids.length),
      Math.min(this.#batchFactor * (isUnpadded ? UNPADDED_POSITIONS : BATCH_POSITIONS), positions),
      this.#batchFactor * BATCH_TEXTS,
      isUnpadded,
    );
  }

  async #run(batch: readonly TokenizedText[], role: Role): Promise<Encoding[]> {
    const length = Math.max(...batch.map(({ ids }) => ids.length));
    const size = batch.length * length;
    const ids = new BigInt64Array(size);
    const mask = new BigInt64Array(size);
    batch.forEach(({ ids: list }, row) => {
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
    const outputOf = (name: string, row: number) => {
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
    return batch.map((tokenized, row) => {
      const mask = Array.from({ length }, (_, at) => (at < tokenized.ids.length ? 1 : 0));
      const text = { ...tokenized, mask, role, output: (name: string) => outputOf(name, row) };
      return readEncoding(this.description, this.#terms, text, this.path);
    });
  }

  async #infer(feeds: Record<string, Tensor>, length: number): Promise<Record<string, Tensor>> {
    try {
      return (await this.#session.run(feeds)) as Record<string, Tensor>;
    } catch (error) {
      throw new UsageError(
        `${this.path}: the model fails on texts of ${length} tokens: ${(error as Error).message.split("\n")[0]}`,
        this.#batchFactor > 1
          ? "graphs that compute in int8 do not run on a GPU: leave out the provider, or export the model with float32"
          : 'is "maxLength" in its description more than it was made for?',
        "ERR_SLUICE_DAMAGED",
      );
    }
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
    const needed = listOutputs(this.description);
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
