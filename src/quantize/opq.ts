import type { Codes, Compressor } from "./compressor.ts";
import { type PqOptions, type ProductQuantizer, trainPq } from "./pq.ts";
import { identity, procrustes, type Square } from "./procrustes.ts";
import { CountSketch } from "./sketch.ts";
import { portions, type SparseVector, sampled, type Vectors, vectorAt } from "./vectors.ts";

export interface OpqOptions extends PqOptions {
  readonly reducedDims?: number;
  readonly rotations?: number;
  readonly sample?: number;
}
export const stats: any[] = [];
const ROWS_AT_A_TIME = 4096;

export function trainOpq(
  vectors: Vectors,
  parts: number,
  options: OpqOptions & { start?: Square } = {},
): RotatedQuantizer {
  const { reducedDims = 768, rotations = 8, sample = 2000, seed = 0 } = options;
  const sketch = vectors.dims > reducedDims ? new CountSketch(vectors.dims, reducedDims, seed) : undefined;
  const reduced = sketch ? sketch.sketchAll(vectors) : vectors;
  const rotation = learnRotation(sampled(reduced, sample, seed), parts, rotations, options);
  return new RotatedQuantizer(trainPq(rotated(reduced, rotation), parts, options), rotation, sketch);
}

export function learnRotation(
  vectors: Vectors,
  parts: number,
  rounds: number,
  options: PqOptions & { start?: Square },
): Square {
  let rotation = options.start ?? identity(vectors.dims);
  let left: Square | undefined;
  let pq: ProductQuantizer | undefined;
  for (let round = 0; round < rounds; round++) {
    const c0 = process.cpuUsage().user;
    const points = rotated(vectors, rotation);
    pq = pq ? pq.refined(points, 2) : trainPq(points, parts, { ...options, bits: (options as any).learnBits ?? options.bits, iterations: 4 });
    const c1 = process.cpuUsage().user;
    const m = crossProducts(vectors, points, pq);
    const c2 = process.cpuUsage().user;
    const found = procrustes(m, left);
    const c3 = process.cpuUsage().user;
    console.log(
      "round",
      round,
      "pq",
      (c1 - c0) / 1e6,
      "cross",
      (c2 - c1) / 1e6,
      "procrustes",
      (c3 - c2) / 1e6,
      "fit",
      found.singular.reduce((a, b) => a + b, 0),
    );
    rotation = found.rotation;
    left = found.left;
  }
  return rotation;
}

/** Xᵀ · Ŷ */
function crossProducts(vectors: Vectors, points: Vectors, pq: ProductQuantizer): Square {
  const { dims, starts, columns, values } = vectors;
  const codes = pq.encode(points);
  const decoded = new Float32Array(dims);
  const sums = new Float64Array(dims * dims);
  for (let i = 0; i < vectors.count; i++) {
    pq.decodeInto(codes, i, decoded);
    for (let n = starts[i]; n < starts[i + 1]; n++) {
      const at = columns[n] * dims;
      for (let j = 0; j < dims; j++) sums[at + j] += values[n] * decoded[j];
    }
  }
  return { dims, values: sums };
}

function rotated(vectors: Vectors, rotation: Square): Vectors {
  const { count } = vectors;
  const { dims } = rotation;
  const values = new Float32Array(count * dims);
  for (let i = 0; i < count; i++) values.set(rotate(vectorAt(vectors, i), rotation), i * dims);
  const starts = Uint32Array.from({ length: count + 1 }, (_, i) => i * dims);
  return { count, dims, starts, columns: Uint32Array.from(values, (_, n) => n % dims), values };
}

function rotate({ columns, values }: SparseVector, rotation: Square): Float64Array {
  const { dims } = rotation;
  const out = new Float64Array(dims);
  for (let n = 0; n < columns.length; n++) {
    const at = columns[n] * dims;
    for (let j = 0; j < dims; j++) out[j] += values[n] * rotation.values[at + j];
  }
  return out;
}

export class RotatedQuantizer implements Compressor {
  readonly name: string;
  readonly bytesPerVector: number;
  readonly rotation: Square;
  readonly pq: ProductQuantizer;
  readonly #sketch: CountSketch | undefined;

  constructor(pq: ProductQuantizer, rotation: Square, sketch: CountSketch | undefined) {
    this.name = `O${pq.name}`;
    this.bytesPerVector = pq.bytesPerVector;
    this.rotation = rotation;
    this.pq = pq;
    this.#sketch = sketch;
  }

  encode(vectors: Vectors): Codes {
    const codes = new Uint8Array(vectors.count * this.pq.parts);
    let end = 0;
    for (const some of portions(vectors, ROWS_AT_A_TIME)) {
      const reduced = this.#sketch ? this.#sketch.sketchAll(some) : some;
      codes.set(this.pq.encode(rotated(reduced, this.rotation)), end);
      end += some.count * this.pq.parts;
    }
    return codes;
  }

  scores(codes: Codes, query: SparseVector, out: Float64Array): void {
    const values = rotate(this.#sketch ? this.#sketch.sketch(query) : query, this.rotation);
    const columns = Uint32Array.from({ length: values.length }, (_, n) => n);
    this.pq.scores(codes, { columns, values }, out);
  }
}
