// Vectors in float16 in a WebAssembly memory: for exact inner products with some of them, at the kernel's speed.

import { Arena, alignedBytes, LARGEST_ARENA_BYTES } from "./arena.ts";

export class VectorMemory {
  readonly #arena: Arena;
  readonly #dims: number;
  readonly #query: number;
  readonly #vectors: number;
  #asked: Float32Array | undefined;

  /** Whether so many bytes of vectors fit. */
  static fits(bytes: number, dims: number): boolean {
    return alignedBytes(bytes) + alignedBytes(dims * 4) <= LARGEST_ARENA_BYTES;
  }

  /** Room for `docs` vectors, to be filled through `bytes`. */
  constructor(docs: number, dims: number) {
    const bytes = docs * dims * 2;
    this.#arena = new Arena(alignedBytes(bytes) + alignedBytes(dims * 4));
    this.#dims = dims;
    this.#query = this.#arena.allocate(dims * 4);
    this.#vectors = this.#arena.allocate(bytes);
    this.halves = this.#arena.view(Uint16Array, this.#vectors, docs * dims);
  }

  /** The vectors, float16 bits, one behind the other. */
  readonly halves: Uint16Array;

  /** The same sum as kernel/dot.ts, in the same order. */
  dot(query: Float32Array, doc: number): number {
    if (this.#asked !== query) {
      this.#arena.view(Float32Array, this.#query, this.#dims).set(query);
      this.#asked = query;
    }
    return this.#arena.kernels.dotFloat16(this.#query, this.#vectors + doc * this.#dims * 2, this.#dims);
  }
}
