// The rows of an int8 table in a WebAssembly memory. Rows and their weights come in, vectors go out: weighted sums, in float64
// until the last step.

import { Arena, alignedBytes } from "./arena.ts";

/** Rows that the kernel adds at a time. A list ends with rows of weight 0 up to a multiple of it. */
const AT_ONCE = 4;

export class TableMemory {
  /** The table, cut to the dims: row after row. */
  readonly values: Int8Array;
  readonly #arena: Arena;
  readonly #dims: number;
  /** The addresses of the rows that are summed, and their weights. */
  readonly #rows: Uint32Array;
  readonly #weights: Float64Array;
  readonly #sum: number;
  readonly #vectors: Float32Array;
  readonly #halves: Uint16Array;

  /** Takes the first `dims` of the `width` numbers of each row, and has room for `vectors` sums. */
  constructor(values: Int8Array, width: number, dims: number, vectors: number) {
    const rows = values.length / width;
    const listed = Math.ceil(rows / AT_ONCE) * AT_ONCE;
    const sizes = [rows * dims, listed * 4, listed * 8, dims * 8, vectors * dims * 4, vectors * dims * 2];
    const arena = new Arena(sizes.reduce((sum, bytes) => sum + alignedBytes(bytes), 0));
    const [table, list, weights, sum, out, halves] = sizes.map((bytes) => arena.allocate(bytes));
    this.#arena = arena;
    this.#dims = dims;
    this.values = arena.view(Int8Array, table, rows * dims);
    this.#rows = arena.view(Uint32Array, list, listed);
    this.#weights = arena.view(Float64Array, weights, listed);
    this.#sum = sum;
    this.#vectors = arena.view(Float32Array, out, vectors * dims);
    this.#halves = arena.view(Uint16Array, halves, vectors * dims);
    for (let row = 0; row < rows; row++) {
      this.values.set(values.subarray(row * width, row * width + dims), row * dims);
    }
  }

  /** Makes a row the number `i` of the next sum. No row may come twice. */
  take(i: number, row: number, weight: number): void {
    this.#rows[i] = this.values.byteOffset + row * this.#dims;
    this.#weights[i] = weight;
  }

  /** Adds the first `count` rows that were taken, by fours, in their order. Returns the squared length of the sum. */
  sum(count: number): number {
    let padded = count;
    while (padded % AT_ONCE > 0) this.take(padded++, 0, 0);
    const { kernels } = this.#arena;
    return kernels.sumRows(this.#rows.byteOffset, this.#weights.byteOffset, padded, this.#dims, this.#sum);
  }

  /** Makes the last sum, times a factor, the vector number `at`. */
  scale(factor: number, at: number): void {
    const to = this.#vectors.byteOffset + at * this.#dims * 4;
    this.#arena.kernels.scaleSum(this.#sum, this.#dims, factor, to);
  }

  /** A copy of the first `count` vectors, one after another. */
  vectors(count: number): Float32Array {
    return this.#vectors.slice(0, count * this.#dims);
  }

  /** Copies the first `count` vectors as float16 bits, one after another. */
  copyHalves(count: number, to: Uint16Array, at: number): void {
    const numbers = count * this.#dims;
    this.#arena.kernels.roundToHalves(this.#vectors.byteOffset, numbers, this.#halves.byteOffset);
    to.set(this.#halves.subarray(0, numbers), at);
  }
}
