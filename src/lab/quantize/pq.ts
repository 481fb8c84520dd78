// Product quantization, as Faiss's IndexPQ with the inner product (Jégou et al. 2011). A vector is cut into parts; each
// part is replaced by the number of its nearest centroid. A query is multiplied with the centroids of each part once; the
// score of a document is then a sum of look-ups.
//
// If the parts do not divide the dims, their widths differ by one: part p begins at column ⌊p · dims / parts⌋. Equal
// parts with a short last one would leave some parts empty (30,000 dims in 768 parts of 40 fill 750).

import { type CodeVectors, cutIntoParts, type SparseVector } from "../../segment/codes/code-vectors.ts";
import type { Centroids } from "../../segment/codes/kmeans-start.ts";
import type { Codes, Compressor } from "./compressor.ts";
import { assign, kmeans } from "./kmeans.ts";

export interface PqOptions {
  /** Bits of a part's code: 8 (256 centroids, the default) or 4 (16 centroids). */
  readonly bits?: 8 | 4;
  readonly seed?: number;
  /** Iterations of k-means. */
  readonly iterations?: number;
}

/** Learns the centroids of each part from all the vectors given. */
export function trainPq(vectors: CodeVectors, parts: number, options: PqOptions = {}): ProductQuantizer {
  const { bits = 8, seed = 0, iterations } = options;
  if (!(Number.isInteger(parts) && parts >= 1 && parts <= vectors.dims)) {
    throw new RangeError(`${parts} parts asked for, expected 1 to the ${vectors.dims} dims`);
  }
  if (vectors.count === 0) throw new RangeError("no vectors to learn from");
  const cuts = Uint32Array.from({ length: parts + 1 }, (_, p) => Math.floor((p * vectors.dims) / parts));
  const codebooks: Centroids[] = [];
  for (const part of cutIntoParts(vectors, cuts)) {
    codebooks.push(kmeans(part, 2 ** bits, { seed: seed + codebooks.length, iterations }));
  }
  return new ProductQuantizer(bits, cuts, codebooks);
}

export class ProductQuantizer implements Compressor {
  readonly name: string;
  /** Two codes of 4 bits share a byte when stored; in memory each has its own. */
  readonly bytesPerVector: number;
  readonly parts: number;
  readonly #bits: 8 | 4;
  readonly #cuts: Uint32Array;
  readonly #codebooks: readonly Centroids[];
  readonly #partOf: Uint32Array;

  constructor(bits: 8 | 4, cuts: Uint32Array, codebooks: readonly Centroids[]) {
    this.parts = codebooks.length;
    this.name = `PQ${this.parts}${bits === 8 ? "" : `x${bits}`}`;
    this.bytesPerVector = Math.ceil((this.parts * bits) / 8);
    this.#bits = bits;
    this.#cuts = cuts;
    this.#codebooks = codebooks;
    this.#partOf = new Uint32Array(this.dims);
    for (let part = 0; part < this.parts; part++) this.#partOf.fill(part, cuts[part], cuts[part + 1]);
  }

  get dims(): number {
    return this.#cuts[this.parts];
  }

  /** The columns in each part. */
  get widths(): number[] {
    return Array.from(this.#codebooks, ({ dims }) => dims);
  }

  /** One byte per part and vector. */
  encode(vectors: CodeVectors): Codes {
    this.#checkDims(vectors.dims);
    const codes = new Uint8Array(vectors.count * this.parts);
    const nearest = new Uint8Array(vectors.count);
    let part = 0;
    for (const points of cutIntoParts(vectors, this.#cuts)) {
      assign(points, this.#codebooks[part], nearest);
      for (let i = 0; i < vectors.count; i++) codes[i * this.parts + part] = nearest[i];
      part++;
    }
    return codes;
  }

  /** Decodes the i-th code: the centroids of its parts, side by side. */
  decodeInto(codes: Codes, i: number, out: Float32Array): void {
    this.#checkDims(out.length);
    for (let column = 0; column < out.length; column++) {
      const part = this.#partOf[column];
      const { count, values } = this.#codebooks[part];
      out[column] = values[(column - this.#cuts[part]) * count + codes[i * this.parts + part]];
    }
  }

  /** Returns parts × 2^bits inner products: those of the query's parts with the centroids. */
  tables(query: SparseVector): Float32Array {
    const tables = new Float32Array(this.parts << this.#bits);
    for (let n = 0; n < query.columns.length; n++) {
      const column = query.columns[n];
      const part = this.#partOf[column];
      const { count, values } = this.#codebooks[part];
      const from = (column - this.#cuts[part]) * count;
      const to = part << this.#bits;
      for (let c = 0; c < count; c++) tables[to + c] += query.values[n] * values[from + c];
    }
    return tables;
  }

  /** Approximate inner products. */
  computeScores(codes: Codes, query: SparseVector, out: Float64Array): void {
    if (codes.length !== out.length * this.parts) {
      throw new RangeError(`${codes.length} codes for ${out.length} scores, expected ${this.parts} for each`);
    }
    const tables = this.tables(query);
    for (let i = 0, at = 0; i < out.length; i++) {
      let sum = 0;
      for (let part = 0; part < this.parts; part++) sum += tables[(part << this.#bits) + codes[at++]];
      out[i] = sum;
    }
  }

  #checkDims(dims: number): void {
    if (dims !== this.dims)
      throw new RangeError(`${dims} dims, but the quantizer was trained on ${this.dims}`);
  }
}
