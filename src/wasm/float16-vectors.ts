// Vectors in float16 in a WebAssembly memory: for exact inner products with some of them, at the kernel's speed.

import { Arena, alignedBytes, LARGEST_ARENA_BYTES } from "./arena.ts";

/** Documents whose products are made in one call. */
const AT_ONCE = 256;

export class VectorMemory {
  readonly #arena: Arena;
  readonly #dims: number;
  readonly #query: number;
  readonly #docs: number;
  readonly #dots: number;
  readonly #vectors: number;
  #asked: Float32Array | undefined;

  /** Whether so many bytes of vectors fit. */
  static fits(bytes: number, dims: number): boolean {
    return alignedBytes(bytes) + besides(dims) <= LARGEST_ARENA_BYTES;
  }

  /** Room for `docs` vectors, to be filled through `bytes`. */
  constructor(docs: number, dims: number) {
    const bytes = docs * dims * 2;
    this.#arena = new Arena(alignedBytes(bytes) + besides(dims));
    this.#dims = dims;
    this.#query = this.#arena.allocate(dims * 4);
    this.#docs = this.#arena.allocate(AT_ONCE * 4);
    this.#dots = this.#arena.allocate(AT_ONCE * 8);
    this.#vectors = this.#arena.allocate(bytes);
    this.halves = this.#arena.view(Uint16Array, this.#vectors, docs * dims);
  }

  /** The vectors, float16 bits, one behind the other. */
  readonly halves: Uint16Array;

  /** The same sums as kernel/dot.ts, in the same order: dots[i] is that of docs[i]. */
  dots(query: Float32Array, docs: Uint32Array, dots: Float64Array): void {
    const arena = this.#arena;
    if (this.#asked !== query) {
      arena.view(Float32Array, this.#query, this.#dims).set(query);
      this.#asked = query;
    }
    for (let from = 0; from < docs.length; from += AT_ONCE) {
      const some = docs.subarray(from, from + AT_ONCE);
      arena.view(Uint32Array, this.#docs, some.length).set(some);
      arena.kernels.dotsFloat16(this.#query, this.#vectors, this.#dims, this.#docs, some.length, this.#dots);
      dots.set(arena.view(Float64Array, this.#dots, some.length), from);
    }
  }
}

/** Room beside the vectors. */
function besides(dims: number): number {
  return alignedBytes(dims * 4) + alignedBytes(AT_ONCE * 4) + alignedBytes(AT_ONCE * 8);
}
