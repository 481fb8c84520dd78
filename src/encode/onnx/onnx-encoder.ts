// Texts → weights of terms, or a vector, or both, by an ONNX model. Its folder has model.onnx, tokenizer.json and
// sluice.json, which describes the model (description.ts).

import { join } from "node:path";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { parseJson } from "../../support/files/json.ts";
import { waitForTurn } from "../../support/work/turns.ts";
import { checkEncodeArguments } from "../contract/check-encoder.ts";
import { checkDescription, type EncoderDescription, type Role } from "../contract/description.ts";
import type { ClosedEncoder, EncoderContract } from "../contract/encoder-contract.ts";
import {
  type EncoderGives,
  type Encoding,
  type Provider,
  partsGivenBy,
  type WatchedEncodeOptions,
} from "../contract/encoding.ts";
import { RunningCalls } from "../contract/running-calls.ts";
import { type EncoderFiles, readModelFile } from "../folder/encoder-folder.ts";
import { TextTokenizer } from "../tokenize/tokenizer.ts";
import { type BatchLimits, batchesByLength, CPU_LIMITS, GPU_LIMITS } from "./batches.ts";
import { listOutputs, readEncoding, type TokenizedText } from "./graph-outputs.ts";
import { keepOutputs } from "./graph-parts.ts";
import type { GraphBatch, GraphOutputs, GraphSession } from "./graph-session.ts";
import { openGraph } from "./open-graph.ts";
import { loadRuntime } from "./runtime.ts";
import { deferError, TextWindows } from "./text-windows.ts";

interface OnnxOptions {
  readonly description?: unknown;
  readonly threads?: number;
  readonly provider?: Provider;
  /** Whether the graph runs on a thread of its own. By default it does on a GPU. */
  readonly needsThread?: boolean;
}

/** The most floats of logits in a batch. A model with logits gives positions × vocabulary of them: 256 MB at this limit. */
const LOGITS_AT_ONCE = 1 << 26;
const DESCRIPTION_HINT =
  'it must describe the model; for a sentence encoder: {"kind": "dense", "pooling": "mean", "normalize": true, "maxLength": {"query": 64, "passage": 256}}';

/** An `Encoder` that is a graph. */
export class OnnxEncoder implements EncoderContract {
  readonly description: EncoderDescription;
  readonly fingerprint: string;
  readonly space: string;
  readonly path: string;
  readonly #calls: RunningCalls;
  readonly #graph: GraphSession;
  readonly #windows: TextWindows;
  readonly #terms: readonly string[];
  readonly #provider: Provider;
  readonly #limits: BatchLimits;

  private constructor(
    path: string,
    { fingerprint, space }: { fingerprint: string; space: string },
    description: EncoderDescription,
    tokenizer: TextTokenizer,
    graph: GraphSession,
    provider: Provider,
  ) {
    this.#graph = graph;
    this.#provider = provider;
    this.#limits = provider === "webgpu" ? GPU_LIMITS : CPU_LIMITS;
    this.path = path;
    this.#calls = new RunningCalls(`${path}: the encoder`);
    this.fingerprint = fingerprint;
    this.space = space;
    this.description = description;
    this.#windows = new TextWindows(tokenizer, description);
    this.#terms = tokenizer.terms;
  }

  /** What is known of a model before it is open. It needs no runtime. */
  static async readFacts(files: EncoderFiles, options: OnnxOptions = {}): Promise<ClosedEncoder> {
    const { description, hashes } = await readModelFiles(files, options);
    return { path: files.path, description, gives: givesOf(description), ...hashes };
  }

  /** Opens the model of a folder. Files are looked for before the runtime, so a missing one is named without it, too. */
  static async open(files: EncoderFiles, options: OnnxOptions = {}): Promise<OnnxEncoder> {
    const { path, folder } = files;
    const { model, tokenizerJson, description, hashes } = await readModelFiles(files, options);
    await loadRuntime(); // so that a missing runtime is named first
    const tokenizer = new TextTokenizer(tokenizerJson.toString(), join(folder, "tokenizer.json"));
    const { threads = 0, provider = "cpu", needsThread = provider === "webgpu" } = options;
    const bytes = keepOutputs(model, listOutputs(description));
    const file = { path: join(folder, "model.onnx"), bytes, threads, provider };
    const graph = await openGraph(file, needsThread, description, path);
    return new OnnxEncoder(path, hashes, description, tokenizer, graph, provider);
  }

  get vocabulary(): readonly string[] {
    return this.#terms;
  }

  get gives(): EncoderGives {
    return givesOf(this.description);
  }

  async encode(
    texts: readonly string[],
    role: Role,
    options: WatchedEncodeOptions = {},
  ): Promise<Encoding[]> {
    checkEncodeArguments(texts, role);
    return this.#calls.run(() => this.#encode(texts, role, options));
  }

  async #encode(texts: readonly string[], role: Role, options: WatchedEncodeOptions): Promise<Encoding[]> {
    const encodings: Encoding[] = new Array(texts.length);
    let done = 0;
    const { signal } = options;
    const windowing = { size: this.#limits.window, readsAhead: this.#graph.atOnce > 1, signal };
    const running: Promise<void>[] = [];
    const encodeBatch = async (
      start: number,
      batch: readonly number[],
      tokenized: readonly TokenizedText[],
    ) => {
      const encoded = await this.#run(
        batch.map((i) => tokenized[i]),
        role,
      );
      for (const [at, i] of batch.entries()) {
        encodings[start + i] = encoded[at];
        options.onEncoded?.(start + i, encoded[at]);
      }
      done += batch.length;
      options.onProgress?.({ task: "encoding", done, total: texts.length });
    };
    try {
      for await (const [start, tokenized] of this.#windows.list(texts, role, windowing)) {
        for (const batch of this.#batches(tokenized)) {
          await waitForTurn(); // let other work run, which may abort: a batch cannot be stopped once it runs
          signal?.throwIfAborted();
          running.push(deferError(encodeBatch(start, batch, tokenized)));
          if (running.length === this.#graph.atOnce) await running.shift();
        }
      }
      while (running.length > 0) await running.shift();
    } finally {
      await Promise.allSettled(running); // so that a caller may close the encoder
    }
    signal?.throwIfAborted();
    return encodings;
  }

  /** The token ids of prefix and text, cut to the maximum length, between the special tokens. */
  tokenIds(text: string, role: Role): number[] {
    return this.#windows.tokenIds(text, role);
  }

  ownTerms(text: string, role: Role): ReadonlySet<string> | undefined {
    return this.gives.weights ? new Set(this.tokenIds(text, role).map((id) => this.#terms[id])) : undefined;
  }

  /** Waits for the calls that run. Later ones are refused. */
  async close(): Promise<void> {
    await this.#calls.close(() => this.#graph.release());
  }

  #batches(texts: readonly TokenizedText[]): number[][] {
    const hasLogits = this.description.kind === "splade" || this.description.kind === "delade";
    const positions = hasLogits ? Math.floor(LOGITS_AT_ONCE / this.#terms.length) : Number.POSITIVE_INFINITY;
    // A graph without a mask cannot tell padding from text.
    const isUnpadded = !this.#graph.inputNames.includes("attention_mask");
    const limits = this.#limits;
    return batchesByLength(
      texts.map(({ ids }) => this.#width(ids.length)),
      Math.min(isUnpadded ? limits.unpaddedPositions : limits.positions, positions),
      limits.texts,
      isUnpadded,
    );
  }

  /** The positions of a batch whose longest text has so many tokens. */
  #width(longest: number): number {
    if (!this.#graph.inputNames.includes("attention_mask")) return longest;
    const { lengthStep } = this.#limits;
    const { query, passage } = this.description.maxLength;
    // No more than a text may have: the model might have no position for it.
    return Math.min(Math.ceil(longest / lengthStep) * lengthStep, Math.max(longest, query, passage));
  }

  async #run(batch: readonly TokenizedText[], role: Role): Promise<Encoding[]> {
    const lengths = Int32Array.from(batch, ({ ids }) => ids.length);
    const length = this.#width(lengths.reduce((a, b) => Math.max(a, b), 0));
    const ids = new Int32Array(batch.length * length);
    for (const [row, text] of batch.entries()) ids.set(text.ids, row * length);
    const outputs = await this.#infer({ ids, lengths, width: length });
    const outputOf = (name: string, row: number) => {
      const { type, data } = outputs[name];
      if (!(data instanceof Float32Array)) {
        throw new SluiceError(
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

  async #infer(batch: GraphBatch): Promise<GraphOutputs> {
    try {
      return await this.#graph.run(batch);
    } catch (error) {
      const isGpu = this.#provider === "webgpu";
      throw new SluiceError(
        `${this.path}: the model fails on texts of ${batch.width} tokens: ${(error as Error).message.split("\n")[0]}`,
        isGpu
          ? "graphs that compute in int8 do not run on a GPU: leave out the provider, or export the model with float32"
          : 'is "maxLength" in its description more than it was made for?',
        isGpu ? "ERR_SLUICE_DEVICE" : "ERR_SLUICE_DAMAGED",
      );
    }
  }
}

/** Reads the files of a model, and hashes them. */
async function readModelFiles({ folder, descriptionFile }: EncoderFiles, options: OnnxOptions) {
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
  const { createHash } = await import("node:crypto"); // loaded here, because it takes a megabyte that others can save
  const hashed = createHash("sha256").update(model).update(tokenizerJson);
  const hashOf = (added: unknown) => hashed.copy().update(JSON.stringify(added)).digest("hex").slice(0, 16);
  const { pooling, normalize, prefix } = description as {
    pooling?: unknown;
    normalize?: unknown;
  } & typeof description;
  const hashes = {
    fingerprint: hashOf(description),
    // What the vectors of documents depend on. Queries, weights and factors depend on more.
    space: description.space ?? hashOf([pooling, normalize, prefix?.passage]),
  };
  return { model, tokenizerJson, description, hashes };
}

function givesOf(description: EncoderDescription): EncoderGives {
  return {
    ...partsGivenBy(description.kind),
    vector: description.kind === "dense" || description.semantic === true,
  };
}
