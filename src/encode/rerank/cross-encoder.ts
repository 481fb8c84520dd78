// A query and a text together → how well the text answers the query, by an ONNX model that reads both at once. It is
// slower than an encoder by the number of texts, so it is asked about the best hits only (search/hits/rerank.ts). Its folder has
// model.onnx and tokenizer.json, as for an encoder; sluice.json is optional.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { parseJson } from "../../support/files/json.ts";
import { checkOptions, checkText, type KnownOptions } from "../../support/options/options.ts";
import { waitForTurn } from "../../support/work/turns.ts";
import { RunningCalls } from "../contract/running-calls.ts";
import { readModelFile } from "../folder/encoder-folder.ts";
import {
  checkRuntimeThreads,
  loadRuntime,
  type OrtSession,
  openSession,
  type Runtime,
} from "../onnx/runtime.ts";
import { TextTokenizer } from "../tokenize/tokenizer.ts";

export interface CrossEncoderOptions {
  /** The most tokens of a query and a text together, instead of what sluice.json says; 512 if it says nothing. */
  readonly maxLength?: number | undefined;
  /** Threads of the runtime; 0, the default, lets the runtime decide. */
  readonly threads?: number | undefined;
}

const CROSS_ENCODER_OPTIONS: KnownOptions<CrossEncoderOptions> = { maxLength: true, threads: true };

const MAX_LENGTH = 512;
const KNOWN_INPUTS = ["input_ids", "attention_mask", "token_type_ids"];
const FOLDER_HINT = "a cross-encoder is a folder with model.onnx and tokenizer.json";

export class CrossEncoder {
  /** The folder of the model. */
  readonly path: string;
  readonly #runtime: Runtime;
  readonly #session: OrtSession;
  readonly #tokenizer: TextTokenizer;
  readonly #maxLength: number;
  /** The ids of [CLS] and [SEP]. */
  readonly #marks: readonly [number, number];
  readonly #calls: RunningCalls;

  private constructor(
    path: string,
    runtime: Runtime,
    session: OrtSession,
    tokenizer: TextTokenizer,
    maxLength: number,
  ) {
    this.path = path;
    this.#calls = new RunningCalls(`${path}: the cross-encoder`);
    this.#runtime = runtime;
    this.#session = session;
    this.#tokenizer = tokenizer;
    this.#maxLength = maxLength;
    const marks = tokenizer.framed([], maxLength);
    if (marks.length !== 2)
      throw damagedCrossEncoderError(path, "its tokenizer does not put a text between [CLS] and [SEP]");
    this.#marks = [marks[0], marks[1]];
  }

  /** Opens the cross-encoder in a folder, and asks it once, so that a folder of another kind is refused here. */
  static async open(folder: string, options: CrossEncoderOptions = {}): Promise<CrossEncoder> {
    checkText("the folder of a cross-encoder", folder);
    checkOptions(options, CROSS_ENCODER_OPTIONS, "CrossEncoder.open");
    checkRuntimeThreads(options.threads);
    const graph = join(folder, "model.onnx");
    await readModelFile(folder, "model.onnx", FOLDER_HINT);
    const tokenizerJson = await readModelFile(folder, "tokenizer.json", FOLDER_HINT);
    const runtime = await loadRuntime();
    const tokenizer = new TextTokenizer(tokenizerJson.toString(), join(folder, "tokenizer.json"));
    const maxLength = options.maxLength ?? (await readDescribedLength(folder));
    if (!Number.isInteger(maxLength) || maxLength < 8)
      throw new SluiceError(`maxLength is ${maxLength}, expected a whole number of at least 8`);
    const session = await openSession(runtime, graph, options.threads ?? 0);
    const unknown = session.inputNames.find((name) => !KNOWN_INPUTS.includes(name));
    if (unknown) throw damagedCrossEncoderError(folder, `the graph has an unknown input "${unknown}"`);
    if (!session.inputNames.includes("token_type_ids"))
      throw damagedCrossEncoderError(
        folder,
        "the graph has no input token_type_ids, which tells a query from a text",
      );
    const model = new CrossEncoder(folder, runtime, session, tokenizer, maxLength);
    await model.score("a query", ["a text"]);
    return model;
  }

  /**
   * How well each text answers the query. Scores have no limits; 0 is undecided for most models. Each pair is asked by
   * itself: the numbers of a quantized graph would depend on the other pairs of a batch, and a batch is not faster.
   */
  async score(
    query: string,
    texts: readonly string[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<number[]> {
    return this.#calls.run(() => this.#scoreAll(query, texts, signal));
  }

  async #scoreAll(
    query: string,
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number[]> {
    const queryTokens = this.#tokenizer.bare(query, this.#maxLength);
    const scores: number[] = [];
    for (const text of texts) {
      await waitForTurn(); // let other work run, which may abort
      signal?.throwIfAborted();
      scores.push(await this.#scoreOf(queryTokens, this.#tokenizer.bare(text, this.#maxLength)));
    }
    return scores;
  }

  /** Frees the model's memory, after the calls that run. A second call does nothing. */
  async close(): Promise<void> {
    await this.#calls.close(() => this.#session.release());
  }

  async #scoreOf(query: readonly number[], text: readonly number[]): Promise<number> {
    const [begin, end] = this.#marks;
    // A long query leaves half of the positions to the text.
    const first = [begin, ...query.slice(0, Math.floor(this.#maxLength / 2) - 2), end];
    const second = [...text.slice(0, this.#maxLength - first.length - 1), end];
    const ids = [...first, ...second];
    const tensor = (values: readonly number[]) =>
      new this.#runtime.Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
    const inputs: Record<string, readonly number[]> = {
      input_ids: ids,
      attention_mask: ids.map(() => 1),
      token_type_ids: ids.map((_, at) => (at < first.length ? 0 : 1)),
    };
    const feeds = Object.fromEntries(this.#session.inputNames.map((name) => [name, tensor(inputs[name])]));
    const outputs = await this.#session.run(feeds).catch((error: Error) => {
      throw damagedCrossEncoderError(
        this.path,
        `the model fails on ${ids.length} tokens: ${error.message.split("\n")[0]}`,
      );
    });
    const [name] = this.#session.outputNames;
    const { data } = outputs[name];
    if (!(data instanceof Float32Array) || data.length !== 1) {
      throw damagedCrossEncoderError(
        this.path,
        `the output "${name}" has ${data.length} numbers for a pair, expected one`,
      );
    }
    if (Number.isNaN(data[0])) throw damagedCrossEncoderError(this.path, "the score of a pair is NaN");
    return data[0];
  }
}

function damagedCrossEncoderError(path: string, what: string): SluiceError {
  return new SluiceError(
    `${path}: not a cross-encoder: ${what}`,
    "expected a model that gives one score to a query and a text",
    "ERR_SLUICE_DAMAGED",
  );
}

async function readDescribedLength(folder: string): Promise<number> {
  const path = join(folder, "sluice.json");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return MAX_LENGTH;
  const { kind, maxLength } = parseJson(text, path, "ERR_SLUICE_DAMAGED") as {
    kind?: string;
    maxLength?: number;
  };
  if (kind !== "cross-encoder")
    throw damagedCrossEncoderError(folder, `its sluice.json says "kind": ${JSON.stringify(kind)}`);
  return maxLength ?? MAX_LENGTH;
}
