// Arrays of the host → what graphs are fed.

import type { Role } from "../../../encode/description.ts";
import type { Runtime } from "../../../encode/runtime.ts";
import type { Batch, MaskedBatch, TokenRows } from "../batch.ts";
import type { Values } from "../graph/session.ts";
import { flopsWeight } from "../loss/loss.ts";
import type { LossSettings, ModelSettings } from "../model/settings.ts";
import { type Part, widthOf } from "./graphs.ts";
import type { Chunk } from "./text-chunks.ts";

/** What the model says about texts, part by part, as arrays: rows × (tokens ×) width. */
export interface RepresentationArrays {
  readonly rows: number;
  /** Tokens a row has room for. */
  readonly width: number;
  readonly parts: ReadonlyMap<Part, Float32Array>;
}

export class Feeds {
  readonly #runtime: Runtime;
  readonly #model: ModelSettings;

  constructor(runtime: Runtime, model: ModelSettings) {
    this.#runtime = runtime;
    this.#model = model;
  }

  /** Numbers of a part for one text; only those of tokens depend on the width. */
  stride(part: Part, width: number): number {
    return widthOf(part, this.#model) * (part === "tokens" ? width : 1);
  }

  #shape(part: Part, rows: number, width: number): number[] {
    return [rows, ...(part === "tokens" ? [width] : []), widthOf(part, this.#model)];
  }

  /** A chunk's rows of an array that has all. */
  rows(all: Float32Array, part: Part, chunk: Chunk, width: number): Values[string] {
    const [each, stride] = [this.stride(part, chunk.width), this.stride(part, width)];
    const data = new Float32Array(chunk.numbers.length * each);
    chunk.numbers.forEach((number, row) => {
      data.set(all.subarray(number * stride, number * stride + each), row * each);
    });
    return new this.#runtime.Tensor("float32", data, this.#shape(part, chunk.numbers.length, chunk.width));
  }

  /** A chunk, as graphs ask for it. */
  texts({ ids, mask, numbers, width }: Chunk, prefix = ""): Values {
    const shape = [numbers.length, width];
    return {
      [`${prefix}ids`]: new this.#runtime.Tensor("int32", ids, shape),
      [`${prefix}mask`]: new this.#runtime.Tensor("float32", mask, shape),
    };
  }

  /** Those of the tokens to be guessed that stand in a chunk; each is as much of the mean in any chunk. */
  masked(chunk: Chunk, texts: TokenRows, { at, labels }: Pick<MaskedBatch, "at" | "labels">): Values {
    const { Tensor } = this.#runtime;
    const { places, chosen, share } = placesIn(chunk, texts, at);
    const words = Int32Array.from(chosen, (i) => labels[i]);
    return {
      at: new Tensor("int32", places, [places.length]),
      labels: new Tensor("int32", words, [words.length]),
      share: new Tensor("float32", Float32Array.of(share), []),
    };
  }

  /** Those of the tokens whose weight is known that stand in a chunk. */
  weighed(chunk: Chunk, texts: TokenRows, { at, weights }: NonNullable<MaskedBatch["weighed"]>): Values {
    const { Tensor } = this.#runtime;
    const { places, chosen, share } = placesIn(chunk, texts, at);
    const wanted = Float32Array.from(chosen, (i) => weights[i]);
    return {
      "weighed.at": new Tensor("int32", places, [places.length]),
      "weighed.weights": new Tensor("float32", wanted, [wanted.length, 1]),
      "weighed.share": new Tensor("float32", Float32Array.of(share), []),
    };
  }

  /** What was said about one side of a batch, as the loss asks for it. */
  side({ rows, width, parts }: RepresentationArrays, role: Role): Values {
    return Object.fromEntries(
      Array.from(parts, ([part, data]) => [
        `${role}.${part}`,
        new this.#runtime.Tensor("float32", data, this.#shape(part, rows, width)),
      ]),
    );
  }

  /** What scores are compared with at a step. */
  targets(batch: Batch, { flops }: LossSettings, step: number): Values {
    const { Tensor } = this.#runtime;
    const { queries, passages, passagesPerQuery, teacher } = batch;
    const shape = [queries.rows, passages.rows];
    const positives = new Float32Array(queries.rows * passages.rows);
    for (let i = 0; i < queries.rows; i++) positives[i * passages.rows + i * passagesPerQuery] = 1;
    const number = (value: number) => new Tensor("float32", Float32Array.of(value), []);
    return {
      positives: new Tensor("float32", positives, shape),
      ...(teacher && { teacher: new Tensor("float32", teacher, shape) }),
      ...(flops && {
        flopsQuery: number(flopsWeight(flops.query, step, flops.steps)),
        flopsPassage: number(flopsWeight(flops.passage, step, flops.steps)),
      }),
    };
  }
}

/**
 * Which of a batch's places are in a chunk, where they are there, and the share of each in the batch's mean. A graph wants
 * one place at least: a chunk without any has the first, with a share of 0.
 */
function placesIn(
  { numbers, width }: Chunk,
  texts: TokenRows,
  at: Int32Array,
): { places: Int32Array; chosen: number[]; share: number } {
  const rowOf = new Map(numbers.map((number, row) => [number, row]));
  const row = (i: number) => rowOf.get(Math.floor(at[i] / texts.width));
  const chosen = Array.from(at.keys()).filter((i) => row(i) !== undefined);
  if (chosen.length === 0) return { places: Int32Array.of(0), chosen: [0], share: 0 };
  const places = Int32Array.from(chosen, (i) => row(i)! * width + (at[i] % texts.width));
  return { places, chosen, share: 1 / at.length };
}
