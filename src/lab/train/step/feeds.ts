// Turns arrays of the host into inputs of graphs.

import type { Role } from "../../../encode/contract/description.ts";
import type { Runtime } from "../../../encode/onnx/runtime.ts";
import type { Batch, BatchWords, MaskedBatch, TokenRows, WordRows } from "../data/batch.ts";
import type { Values } from "../graph/session.ts";
import { flopsWeight } from "../loss/loss.ts";
import type { LossSettings, ModelSettings } from "../model/settings.ts";
import { isPerToken, type Part, widthOf } from "./graphs.ts";
import type { Chunk } from "./text-chunks.ts";

/** Representations of texts as arrays, by part: rows × (tokens ×) width. */
export interface RepresentationArrays {
  readonly rows: number;
  /** Tokens per row, with padding. */
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

  /** Numbers per text of a part. Only a part with numbers for each token depends on the width. */
  stride(part: Part, width: number): number {
    return widthOf(part, this.#model) * (isPerToken(part) ? width : 1);
  }

  #shape(part: Part, rows: number, width: number): number[] {
    return [rows, ...(isPerToken(part) ? [width] : []), widthOf(part, this.#model)];
  }

  /** Takes the rows of a chunk from an array of all rows. */
  rows(all: Float32Array, part: Part, chunk: Chunk, width: number): Values[string] {
    const [each, stride] = [this.stride(part, chunk.width), this.stride(part, width)];
    const data = new Float32Array(chunk.numbers.length * each);
    chunk.numbers.forEach((number, row) => {
      data.set(all.subarray(number * stride, number * stride + each), row * each);
    });
    return new this.#runtime.Tensor("float32", data, this.#shape(part, chunk.numbers.length, chunk.width));
  }

  /** The ids and the mask of a chunk. */
  texts({ ids, mask, numbers, width }: Chunk, prefix = ""): Values {
    const shape = [numbers.length, width];
    return {
      [`${prefix}ids`]: new this.#runtime.Tensor("int32", ids, shape),
      [`${prefix}mask`]: new this.#runtime.Tensor("float32", mask, shape),
    };
  }

  /** The masked tokens of a chunk. Each has the same share in the mean, whatever its chunk. */
  masked(chunk: Chunk, texts: TokenRows, { at, labels }: Pick<MaskedBatch, "at" | "labels">): Values {
    const { Tensor } = this.#runtime;
    const { positions, chosen, share } = findPositionShares(chunk, texts, at);
    const ids = Int32Array.from(chosen, (i) => labels[i]);
    return {
      at: new Tensor("int32", positions, [positions.length]),
      labels: new Tensor("int32", ids, [ids.length]),
      share: new Tensor("float32", Float32Array.of(share), []),
    };
  }

  /** The tokens of a chunk that have a target weight. */
  weighed(chunk: Chunk, texts: TokenRows, { at, weights }: NonNullable<MaskedBatch["weighed"]>): Values {
    const { Tensor } = this.#runtime;
    const { positions, chosen, share } = findPositionShares(chunk, texts, at);
    const wanted = Float32Array.from(chosen, (i) => weights[i]);
    return {
      "weighed.at": new Tensor("int32", positions, [positions.length]),
      "weighed.weights": new Tensor("float32", wanted, [wanted.length, 1]),
      "weighed.share": new Tensor("float32", Float32Array.of(share), []),
    };
  }

  /** The representations of one side of a batch, as inputs of the loss. */
  side({ rows, width, parts }: RepresentationArrays, role: Role): Values {
    return Object.fromEntries(
      Array.from(parts, ([part, data]) => [
        `${role}.${part}`,
        new this.#runtime.Tensor("float32", data, this.#shape(part, rows, width)),
      ]),
    );
  }

  /** The words of a batch, for an anchored head. */
  words({ idf, query, passage }: BatchWords): Values {
    const { Tensor } = this.#runtime;
    const side = (role: Role, { rows, width, at, terms, shares, read, means }: WordRows) => {
      const shape = [rows, width];
      return {
        [`${role}.words.at`]: new Tensor("int32", at, shape),
        [`${role}.words.terms`]: new Tensor("int32", terms, shape),
        [`${role}.words.shares`]: new Tensor("float32", shares, shape),
        [`${role}.words.read`]: new Tensor("float32", read, shape),
        [`${role}.words.means`]: new Tensor("float32", means, shape),
      };
    };
    return {
      "words.idf": new Tensor("float32", idf, [idf.length]),
      ...side("query", query),
      ...side("passage", passage),
    };
  }

  /** The targets of a step: positives, the teacher's scores, and weights of the regularizer. */
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
 * The positions of a batch that are in a chunk, which of the batch's they are (`chosen`), and the share of each in the batch's
 * mean. A graph needs at least one
 * position, so a chunk without any gets the first one with a share of 0.
 */
function findPositionShares(
  { numbers, width }: Chunk,
  texts: TokenRows,
  at: Int32Array,
): { positions: Int32Array; chosen: number[]; share: number } {
  const rowOf = new Map(numbers.map((number, row) => [number, row]));
  const row = (i: number) => rowOf.get(Math.floor(at[i] / texts.width));
  const chosen = Array.from(at.keys()).filter((i) => row(i) !== undefined);
  if (chosen.length === 0) return { positions: Int32Array.of(0), chosen: [0], share: 0 };
  const positions = Int32Array.from(chosen, (i) => row(i)! * width + (at[i] % texts.width));
  return { positions, chosen, share: 1 / at.length };
}
