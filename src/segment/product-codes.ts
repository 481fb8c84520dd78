// Rows → product codes, for the first stage of the plan `quantized` (Jégou et al. 2011). A row is one vector: the values of
// all slots, without indices, and then the semantic vector. It is cut into parts, and the code of a part is the number of
// its nearest centroid. The paper uses 8 bits a part. With 4 bits the sixteen look-ups of a part fit one register, and
// sixteen documents are looked up at once.
//
// If the number of parts does not divide the columns, their widths differ by one, as in lab/quantize/pq.ts.

import type { QueryRow, Rows } from "../densify/rows.ts";
import { UsageError } from "../errors.ts";
import { FLOAT16 } from "../support/float16.ts";
import { Arena, alignedBytes } from "../wasm/arena.ts";
import type { Kernels } from "../wasm/module.ts";
import { type CodeShape, codeBytes, nearestCentroid, putCode } from "./code-shape.ts";
import { cutInto, sampled, type Vectors } from "./code-vectors.ts";
import { distinct } from "./distinct.ts";
import { type Centroids, startCentroids } from "./kmeans-start.ts";
import { paddedDocs, windowsOf } from "./windows.ts";

/** The shape of product codes, stored beside the codebooks. */
export interface ProductShape extends CodeShape {
  readonly dims: number;
  readonly semanticDims: number;
}

export interface ProductOptions extends Partial<CodeShape> {
  readonly seed?: number;
  /** How many rows to learn from, taken at even distances. */
  readonly sample?: number;
  /** Rounds of k-means. */
  readonly iterations?: number;
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

/** Points that k-means++ chooses from. It takes longer than all rounds after it, and any reasonable start will do. */
const START_POINTS = 4096;

/** Entries encoded at a time. More need more scratch memory. */
const CHUNK_ENTRIES = 2 ** 16;

/** Learns the centroids of every part. The same rows and options give the same centroids. */
export function trainProductCoder(rows: Rows, options: ProductOptions = {}): ProductCoder {
  const { parts = 64, bits = 4, seed = 0, sample = 20_000, iterations = 10 } = options;
  const shape = { parts, bits, dims: rows.dims, semanticDims: rows.semanticDims };
  checkShape(shape);
  if (rows.docs === 0) throw new UsageError("product quantization needs documents to learn from");
  const count = Math.min(rows.docs, sample);
  const chosen = Uint32Array.from({ length: count }, (_, i) => Math.floor((i * rows.docs) / count));
  const cuts = cutsOf(shape);
  const widest = Math.ceil(widthOf(shape) / parts);
  const lloyd = new Lloyd(count, widest, 2 ** bits);
  const codebooks = new Float32Array(widthOf(shape) << bits);
  let part = 0;
  for (const points of cutInto(vectorsOf(rows, chosen), cuts)) {
    const start = startFor(points, 2 ** bits, seed + part);
    codebooks.set(lloyd.improve(points, padded(start, 2 ** bits), iterations), cuts[part] << bits);
    part++;
  }
  return new ProductCoder(shape, codebooks);
}

/** k-means++ on a sample of the points; on all points if the sample has too few distinct ones, as in sparse rows. */
function startFor(points: Vectors, count: number, seed: number): Centroids {
  const start = startCentroids(distinct(sampled(points, START_POINTS, seed)), count, seed);
  return start.count < count ? startCentroids(distinct(points), count, seed) : start;
}

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
    const expected = widthOf(shape) << shape.bits;
    if (codebooks.length !== expected) {
      throw new RangeError(`codebooks of ${codebooks.length} numbers, expected ${expected}`);
    }
    this.parts = shape.parts;
    this.bits = shape.bits;
    this.dims = shape.dims;
    this.semanticDims = shape.semanticDims;
    this.codebooks = codebooks;
    this.#cuts = cutsOf(shape);
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
    return paddedDocs(docs) * codeBytes(this);
  }

  /** The codes of all windows, one after another; code-shape.ts has the layout within a window. */
  encode(rows: Rows, windowDocs?: number): Uint8Array {
    if (rows.dims !== this.dims || rows.semanticDims !== this.semanticDims) {
      const found = `${rows.dims} + ${rows.semanticDims}`;
      throw new RangeError(`rows have ${found} columns, trained on ${this.dims} + ${this.semanticDims}`);
    }
    const width = widthOf(this);
    const chunkDocs = Math.max(16, Math.min(1024, paddedDocs(Math.floor(CHUNK_ENTRIES / width))));
    const stride = this.parts + 1;
    const nearest = new Nearest(
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
    const windows = windowsOf(rows.docs, windowDocs);
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
    for (let i = 0; i < (semantic?.length ?? 0); i++) this.#addColumn(this.dims + i, semantic![i], tables);
    return tables;
  }

  /** The look-up tables of a query, as a scan needs them. */
  lookUps(query: QueryRow): LookUps {
    const tables = this.products(query);
    return this.bits === 8 ? { tables, scale: 1, bias: 0 } : byteTables(tables);
  }

  /** Scores the documents of a window. `codes`, `tables` and `sums` are addresses; sums are float32, padded. */
  scan(kernels: Kernels, codes: number, docs: number, tables: number, query: LookUps, sums: number): void {
    const count = paddedDocs(docs);
    if (this.bits === 8) kernels.scanBytes(codes, this.parts, count, tables, sums);
    else kernels.scanNibbles(codes, this.parts, count, tables, query.scale, query.bias, sums);
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
export function byteTables(floats: Float32Array): LookUps {
  const parts = floats.length >> 4;
  const least = new Float64Array(parts);
  let [bias, widest, range] = [0, 0, 0];
  for (let part = 0; part < parts; part++) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = part << 4; i < (part + 1) << 4; i++) {
      if (floats[i] < low) low = floats[i];
      if (floats[i] > high) high = floats[i];
    }
    least[part] = low;
    bias += low;
    range = (part & 1 ? range : 0) + high - low;
    if (range > widest) widest = range;
  }
  const steps = widest > 0 ? 254 / widest : 0;
  const tables = new Uint8Array(floats.length);
  for (let i = 0; i < floats.length; i++) tables[i] = Math.round((floats[i] - least[i >> 4]) * steps);
  return { tables, scale: widest / 254, bias };
}

/** The non-zeros of vectors, and where each part begins. */
interface Entries {
  /** By row, by part: where its entries begin; and after the last part, where they end. */
  readonly bounds: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** Writes the vectors of the chosen rows one after another. */
function unpack(rows: Rows, chosen: Uint32Array, partOf: Uint16Array, parts: number, to: Entries): void {
  const { dims, starts, slices, values, semantic, semanticDims } = rows;
  let end = 0;
  let bound = 0;
  for (let i = 0; i < chosen.length; i++) {
    const doc = chosen[i];
    const last = starts[doc + 1];
    let part = 0; // the first part whose beginning is not yet written
    for (let n = starts[doc]; n < last; n++) {
      const value = FLOAT16[values[n]];
      const slice = slices[n];
      if (value === 0) continue;
      for (; part <= partOf[slice]; part++) to.bounds[bound++] = end;
      to.columns[end] = slice;
      to.values[end++] = value;
    }
    for (let dim = 0, n = doc * semanticDims; dim < semanticDims; dim++, n++) {
      const value = FLOAT16[semantic[n]];
      if (value === 0) continue;
      for (; part <= partOf[dims + dim]; part++) to.bounds[bound++] = end;
      to.columns[end] = dims + dim;
      to.values[end++] = value;
    }
    for (; part <= parts; part++) to.bounds[bound++] = end;
  }
}

/** The chosen rows as vectors. */
function vectorsOf(rows: Rows, chosen: Uint32Array): Vectors {
  const dims = rows.dims + rows.semanticDims;
  const entries = chosen.reduce(
    (sum, doc) => sum + rows.starts[doc + 1] - rows.starts[doc] + rows.semanticDims,
    0,
  );
  const [columns, values] = [new Uint32Array(entries), new Float32Array(entries)];
  const bounds = new Uint32Array(2 * chosen.length);
  unpack(rows, chosen, new Uint16Array(dims), 1, { bounds, columns, values });
  const starts = new Uint32Array(chosen.length + 1);
  for (let i = 0; i < chosen.length; i++) starts[i + 1] = bounds[2 * i + 1];
  return { count: chosen.length, dims, starts, columns, values };
}

/** Finds the nearest centroids. Entries and centroids are in a WebAssembly memory. */
class Nearest {
  readonly entries: Entries;
  readonly #arena: Arena;
  readonly #centroids: number;
  readonly #addresses: number[];
  readonly #codebook: Float32Array;
  readonly #halves: Float32Array;
  /** By part: the code of a row without entries. */
  readonly #nothing: Uint8Array;

  /** `room` has how many of each there are at most; `centroids` is the number of one part. */
  constructor(
    room: { rows: number; bounds: number; entries: number; columns: number; parts: number },
    centroids: number,
  ) {
    const numbers = [
      room.bounds,
      room.entries,
      room.entries,
      room.columns * centroids,
      room.parts * centroids,
    ];
    const sizes = [...numbers.map((n) => 4 * n), room.rows];
    const arena = new Arena(sizes.reduce((sum, bytes) => sum + alignedBytes(bytes), 0));
    this.#arena = arena;
    this.#centroids = centroids;
    this.#addresses = sizes.map((bytes) => arena.allocate(bytes));
    const [bounds, columns, values, codebook, halves] = this.#addresses;
    this.entries = {
      bounds: arena.view(Uint32Array, bounds, room.bounds),
      columns: arena.view(Uint32Array, columns, room.entries),
      values: arena.view(Float32Array, values, room.entries),
    };
    this.#codebook = arena.view(Float32Array, codebook, numbers[3]);
    this.#halves = arena.view(Float32Array, halves, numbers[4]);
    this.#nothing = new Uint8Array(room.parts);
  }

  /** Sets the centroids of a part whose first column is `first`; values are column by column. */
  setCentroids(part: number, first: number, values: Float32Array): void {
    const count = this.#centroids;
    this.#codebook.set(values, first * count);
    const norms = new Float64Array(count);
    for (let at = 0; at < values.length; at++) norms[at % count] += values[at] * values[at];
    const halves = this.#halves.subarray(part * count, (part + 1) * count);
    for (let c = 0; c < count; c++) halves[c] = -norms[c] / 2;
    this.#nothing[part] = nearestCentroid([], [], values, halves);
  }

  /** The codes of the first `rows` rows, each with `stride` bounds. Valid until the next call. */
  find(part: number, rows: number, stride: number): Uint8Array {
    const [bounds, columns, values, codebook, halves, codes] = this.#addresses;
    this.#arena.kernels.nearestCentroids(
      bounds + part * 4,
      stride,
      rows,
      columns,
      values,
      codebook,
      halves + part * this.#centroids * 4,
      this.#centroids,
      this.#nothing[part],
      codes,
    );
    return this.#arena.view(Uint8Array, codes, rows);
  }
}

/** Lloyd's algorithm, on one part at a time, so that its entries are close together in memory. */
class Lloyd {
  readonly #nearest: Nearest;
  readonly #centroids: number;

  constructor(rows: number, widest: number, centroids: number) {
    const room = { rows, bounds: rows + 1, entries: rows * widest, columns: widest, parts: 1 };
    this.#nearest = new Nearest(room, centroids);
    this.#centroids = centroids;
  }

  /** Improves centroids, column by column, for at most this many rounds. */
  improve(points: Vectors, start: Float32Array, iterations: number): Float32Array {
    const { bounds, columns, values } = this.#nearest.entries;
    bounds.set(points.starts);
    columns.set(points.columns);
    values.set(points.values);
    const before = new Uint8Array(points.count);
    let centroids = start;
    for (let iteration = 0; iteration < iterations; iteration++) {
      this.#nearest.setCentroids(0, 0, centroids);
      const nearest = this.#nearest.find(0, points.count, 1);
      if (iteration > 0 && nearest.every((c, i) => c === before[i])) break; // further rounds would change nothing
      before.set(nearest);
      centroids = this.#means(points, nearest, centroids);
    }
    return centroids;
  }

  /** The mean of each centroid's points. A centroid without points stays as it is. */
  #means({ count, starts, columns, values }: Vectors, nearest: Uint8Array, old: Float32Array): Float32Array {
    const centroids = this.#centroids;
    const sums = new Float64Array(old.length);
    const sizes = new Uint32Array(centroids);
    for (let i = 0; i < count; i++) {
      const c = nearest[i];
      const end = starts[i + 1];
      for (let n = starts[i]; n < end; n++) sums[columns[n] * centroids + c] += values[n];
      sizes[c]++;
    }
    return old.map((value, at) => (sizes[at % centroids] > 0 ? sums[at] / sizes[at % centroids] : value));
  }
}

function widthOf({ dims, semanticDims }: ProductShape): number {
  return dims + semanticDims;
}

function cutsOf(shape: ProductShape): Uint32Array {
  const width = widthOf(shape);
  return Uint32Array.from({ length: shape.parts + 1 }, (_, part) => Math.floor((part * width) / shape.parts));
}

function partsByColumn(cuts: Uint32Array): Uint16Array {
  const partOf = new Uint16Array(cuts[cuts.length - 1]);
  for (let part = 0; part + 1 < cuts.length; part++) partOf.fill(part, cuts[part], cuts[part + 1]);
  return partOf;
}

/**
 * Repeats the first centroid if there are fewer than `count`. Ties go to the lower number, so the copies are never
 * used.
 */
function padded({ count: found, dims, values }: Centroids, count: number): Float32Array {
  const all = new Float32Array(dims * count);
  for (let at = 0; at < all.length; at++) {
    const c = at % count;
    all[at] = values[Math.floor(at / count) * found + (c < found ? c : 0)];
  }
  return all;
}

function checkShape({ parts, bits, dims, semanticDims }: ProductShape): void {
  if (bits !== 4 && bits !== 8) throw new UsageError(`${bits} bits a part, expected 4 or 8 bits`);
  if (dims > MAX_SLICES) {
    throw new UsageError(
      `product quantization of rows with ${dims} slices: at most ${MAX_SLICES}`,
      "build the index with fewer slices, or search it with another plan: in rows this wide nearly all slots are empty, and a few centroids a part say nothing about the rest",
    );
  }
  const most = Math.min(MAX_PARTS, dims + semanticDims);
  if (!(Number.isInteger(parts) && parts >= 2 && parts <= most && parts % 2 === 0)) {
    throw new UsageError(`${parts} parts, expected an even number from 2 to ${most}`);
  }
}
