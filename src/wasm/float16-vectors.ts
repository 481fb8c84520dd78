// Float16 vectors in a WebAssembly memory. A query and a list of documents come in, their exact inner products go out, at
// the kernel's speed.

import { Arena, alignedBytes, LARGEST_ARENA_BYTES } from "./arena.ts";

/** Documents per call of the kernel; a larger number takes more scratch memory, 12 bytes a document. */
const DOTS_PER_CALL = 256;

export class VectorMemory {
  readonly #arena: Arena;
  readonly #dims: number;
  readonly #query: number;
  readonly #docs: number;
  readonly #dots: number;
  readonly #vectors: number;
  #lastQuery: Float32Array | undefined;

  /** Whether `bytes` of vectors fit into one memory. */
  static fits(bytes: number, dims: number): boolean {
    return alignedBytes(bytes) + scratchBytes(dims) <= LARGEST_ARENA_BYTES;
  }

  /** Room for `docs` vectors, which the caller writes into `halves`. */
  constructor(docs: number, dims: number) {
    const bytes = docs * dims * 2;
    this.#arena = new Arena(alignedBytes(bytes) + scratchBytes(dims));
    this.#dims = dims;
    this.#query = this.#arena.allocate(dims * 4);
    this.#docs = this.#arena.allocate(DOTS_PER_CALL * 4);
    this.#dots = this.#arena.allocate(DOTS_PER_CALL * 8);
    this.#vectors = this.#arena.allocate(bytes);
    this.halves = this.#arena.view(Uint16Array, this.#vectors, docs * dims);
  }

  /** The vectors one after another, float16 bits. */
  readonly halves: Uint16Array;

  /** dots[i] = query · vector of docs[i]: the same sums as rank/dot.ts, in the same order. */
  computeDots(query: Float32Array, docs: Uint32Array, dots: Float64Array): void {
    const arena = this.#arena;
    if (this.#lastQuery !== query) {
      arena.view(Float32Array, this.#query, this.#dims).set(query);
      this.#lastQuery = query;
    }
    for (let from = 0; from < docs.length; from += DOTS_PER_CALL) {
      const some = docs.subarray(from, from + DOTS_PER_CALL);
      arena.view(Uint32Array, this.#docs, some.length).set(some);
      arena.kernels.dotsFloat16(this.#query, this.#vectors, this.#dims, this.#docs, some.length, this.#dots);
      dots.set(arena.view(Float64Array, this.#dots, some.length), from);
    }
  }
}

/** Bytes of scratch memory beside the vectors. */
function scratchBytes(dims: number): number {
  return alignedBytes(dims * 4) + alignedBytes(DOTS_PER_CALL * 4) + alignedBytes(DOTS_PER_CALL * 8);
}
