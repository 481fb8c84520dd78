// Rows → product codes, for the first stage of the plan `quantized` (Jégou et al. 2011). A row is one vector: the values of
// all slots, without indices, and then the semantic vector. It is cut into parts, and the code of a part is the number of
// its nearest centroid. The paper uses 8 bits a part. With 4 bits the sixteen look-ups of a part fit one register, and
// sixteen documents are looked up at once.
//
// If the number of parts does not divide the columns, their widths differ by one, as in lab/quantize/pq.ts.

import type { QueryRow, Rows } from "../../densify/rows.ts";
import type { SluiceError } from "../../support/errors/sluice-error.ts";
import { optionError, wrongValueError } from "../../support/options/options.ts";
import type { Kernels } from "../../wasm/module.ts";
import { padDocs, splitIntoWindows } from "../rows/windows.ts";
import { type CodeShape, codeBytes, putCode } from "./code-shape.ts";
import { NearestCentroids, unpack } from "./nearest-centroids.ts";

/** The shape of product codes, stored beside the codebooks. */
export interface ProductShape extends CodeShape {
  readonly dims: number;
  readonly semanticDims: number;
}

/** A query's look-up tables. A document's score is the sum of its look-ups, times `scale`, plus `bias`. */
export interface LookUps {
  readonly tables: Uint8Array | Float32Array;
  readonly scale: number;
  readonly bias: number;
}

/** The most parts: sums of 4-bit look-ups must fit sixteen bits, and 256 pairs of at most 255 do. */
const MAX_PARTS = 512;

/** The most slices: in wider rows nearly all slots are empty, and a few centroids a part say nothing about the rest. */
const MAX_SLICES = 4096;

/** Entries encoded at a time. More need more scratch memory. */
const CHUNK_ENTRIES = 2 ** 16;

/** Bytes of a query's tables. */
export function tableBytes({ parts, bits }: CodeShape): number {
  return (parts << bits) * (bits === 8 ? 4 : 1);
}

export class ProductCoder implements ProductShape {
  readonly parts: number;
  readonly bits: 4 | 8;
  readonly dims: number;
  readonly semanticDims: number;
  /** By column (slices, then semantic dimensions), by centroid of the column's part: 2^bits of them. */
  readonly codebooks: Float32Array;
  readonly #cuts: Uint32Array;
  readonly #partOf: Uint16Array;

  constructor(shape: ProductShape, codebooks: Float32Array) {
    checkShape(shape);
    const expected = countColumns(shape) << shape.bits;
    if (codebooks.length !== expected) {
      throw new RangeError(`codebooks of ${codebooks.length} numbers, expected ${expected}`);
    }
    this.parts = shape.parts;
    this.bits = shape.bits;
    this.dims = shape.dims;
    this.semanticDims = shape.semanticDims;
    this.codebooks = codebooks;
    this.#cuts = partStarts(shape);
    this.#partOf = partsByColumn(this.#cuts);
  }

  get shape(): ProductShape {
    return { parts: this.parts, bits: this.bits, dims: this.dims, semanticDims: this.semanticDims };
  }

  /** The part that a column belongs to. */
  partOf(column: number): number {
    return this.#partOf[column];
  }

  /** Bytes of a window's codes. The codes of the next window begin right after. */
  windowBytes(docs: number): number {
    return padDocs(docs) * codeBytes(this);
  }

  /** The codes of all windows, one after another; code-shape.ts has the layout within a window. */
  encode(rows: Rows, windowDocs?: number): Uint8Array {
    if (rows.dims !== this.dims || rows.semanticDims !== this.semanticDims) {
      const found = `${rows.dims} + ${rows.semanticDims}`;
      throw new RangeError(`rows have ${found} columns, trained on ${this.dims} + ${this.semanticDims}`);
    }
    const width = countColumns(this);
    const chunkDocs = Math.max(16, Math.min(1024, padDocs(Math.floor(CHUNK_ENTRIES / width))));
    const stride = this.parts + 1;
    const nearest = new NearestCentroids(
      {
        rows: chunkDocs,
        bounds: chunkDocs * stride,
        entries: chunkDocs * width,
        columns: width,
        parts: this.parts,
      },
      2 ** this.bits,
    );
    for (let part = 0; part < this.parts; part++) {
      const [from, to] = [this.#cuts[part], this.#cuts[part + 1]];
      nearest.setCentroids(part, from, this.codebooks.subarray(from << this.bits, to << this.bits));
    }
    const windows = splitIntoWindows(rows.docs, windowDocs);
    const all = new Uint8Array(windows.reduce((sum, { docs }) => sum + this.windowBytes(docs), 0));
    let before = 0;
    for (const { first, docs } of windows) {
      const codes = all.subarray(before, before + this.windowBytes(docs));
      for (let from = 0; from < docs; from += chunkDocs) {
        const count = Math.min(chunkDocs, docs - from);
        const chosen = Uint32Array.from({ length: count }, (_, i) => first + from + i);
        unpack(rows, chosen, this.#partOf, this.parts, nearest.entries);
        for (let part = 0; part < this.parts; part++) {
          const found = nearest.find(part, count, stride);
          for (let i = 0; i < count; i++) putCode(codes, this, from + i, part, found[i]);
        }
      }
      before += codes.length;
    }
    return all;
  }

  /** By part and centroid: the inner product of the query's part with the centroid. */
  products(query: QueryRow): Float32Array {
    const tables = new Float32Array(this.parts << this.bits);
    for (let i = 0; i < query.slices.length; i++) this.#addColumn(query.slices[i], query.values[i], tables);
    const { semantic } = query;
    if (semantic && semantic.length !== this.semanticDims) {
      throw new RangeError(`semantic vector has ${semantic.length} dims, expected ${this.semanticDims}`);
    }
    if (semantic) for (let part = 0; part < this.parts; part++) this.#addVector(part, semantic, tables);
    return tables;
  }

  /** The look-up tables of a query, as a scan needs them. */
  lookUps(query: QueryRow): LookUps {
    const tables = this.products(query);
    return this.bits === 8 ? { tables, scale: 1, bias: 0 } : quantizeTables(tables);
  }

  /** Scores the documents of a window. `codes`, `tables` and `sums` are addresses; sums are float32, padded. */
  scan(kernels: Kernels, codes: number, docs: number, tables: number, query: LookUps, sums: number): void {
    const count = padDocs(docs);
    if (this.bits === 8) kernels.scanBytes(codes, this.parts, count, tables, sums);
    else kernels.scanNibbles(codes, this.parts, count, tables, query.scale, query.bias, sums);
  }

  /** Adds a part's columns of a vector. An entry stays in a register until all are added, each rounded to float32. */
  #addVector(part: number, vector: Float32Array, tables: Float32Array): void {
    const { bits, codebooks, dims } = this;
    const [from, to] = [Math.max(this.#cuts[part], dims), this.#cuts[part + 1]];
    for (let c = 0; c < 1 << bits; c++) {
      let entry = tables[(part << bits) + c];
      for (let column = from; column < to; column++)
        entry = Math.fround(entry + vector[column - dims] * codebooks[(column << bits) + c]);
      tables[(part << bits) + c] = entry;
    }
  }

  #addColumn(column: number, weight: number, tables: Float32Array): void {
    const count = 1 << this.bits;
    const [from, to] = [column * count, this.#partOf[column] * count];
    for (let c = 0; c < count; c++) tables[to + c] += weight * this.codebooks[from + c];
  }
}

/**
 * Tables of sixteen floats a part → bytes. The smallest number of each part is subtracted; together these are the bias. All
 * parts have the same scale: the finest with which the sum of a pair of parts, rounded, is at most 255. A sum is off by at
 * most half a step a part.
 */
export function quantizeTables(floats: Float32Array): LookUps {
  const parts = floats.length >> 4;
  const least = new Float64Array(parts);
  let [bias, widest, range] = [0, 0, 0];
  for (let part = 0; part < parts; part++) {
    let [low, high] = [floats[part << 4], floats[part << 4]];
    for (let i = (part << 4) + 1; i < (part + 1) << 4; i++) {
      low = Math.min(low, floats[i]); // not an `if`, whose outcome a processor could not predict
      high = Math.max(high, floats[i]);
    }
    least[part] = low;
    bias += low;
    range = (part & 1 ? range : 0) + high - low;
    if (range > widest) widest = range;
  }
  const steps = widest > 0 ? 254 / widest : 0;
  const tables = new Uint8Array(floats.length);
  // An array of bytes cuts the fraction off, so this rounds to the nearest, in half the time of Math.round.
  for (let i = 0; i < floats.length; i++) tables[i] = (floats[i] - least[i >> 4]) * steps + 0.5;
  return { tables, scale: widest / 254, bias };
}

/** Columns of a row: its slices and its semantic dimensions. */
export function countColumns({ dims, semanticDims }: ProductShape): number {
  return dims + semanticDims;
}

/** By part, and once more at the end: where its columns begin. */
export function partStarts(shape: ProductShape): Uint32Array {
  const width = countColumns(shape);
  return Uint32Array.from({ length: shape.parts + 1 }, (_, part) => Math.floor((part * width) / shape.parts));
}

function partsByColumn(cuts: Uint32Array): Uint16Array {
  const partOf = new Uint16Array(cuts[cuts.length - 1]);
  for (let part = 0; part + 1 < cuts.length; part++) partOf.fill(part, cuts[part], cuts[part + 1]);
  return partOf;
}

/** Throws if rows of this shape cannot be coded. */
export function checkShape(shape: ProductShape): void {
  const wrong = shapeError(shape);
  if (wrong) throw wrong;
}

/** The error about a shape that rows cannot be coded by; undefined if they can. */
export function shapeError({ parts, bits, dims, semanticDims }: ProductShape): SluiceError | undefined {
  if (bits !== 4 && bits !== 8) return wrongValueError("quantize.bits", "4 or 8", bits);
  if (dims > MAX_SLICES) {
    return optionError(
      "quantize",
      `quantize cannot code rows with ${dims} slices, expected at most ${MAX_SLICES}`,
      "build the index with fewer slices, or search it with another plan: in rows this wide nearly all slots are empty, and a few centroids a part say nothing about the rest",
    );
  }
  const most = Math.min(MAX_PARTS, dims + semanticDims);
  if (!(Number.isInteger(parts) && parts >= 2 && parts <= most && parts % 2 === 0)) {
    return wrongValueError("quantize.parts", `an even number from 2 to ${most}`, parts);
  }
  return undefined;
}
