// Float16 vectors → float32 rows in a WebAssembly memory, some at a time, for the kernels that make a layout of them.

import type { Vectors } from "../../densify/rows.ts";
import { type Arena, alignedBytes } from "../../wasm/arena.ts";

/** Vectors decoded at a time, a multiple of sixteen: as many as fit a processor's cache beside a matrix. */
export const DECODED_AT_ONCE = 512;

export class DecodedVectors {
  /** The address of the rows. */
  readonly rows: number;
  readonly #vectors: Vectors;
  readonly #width: number;
  readonly #arena: Arena;
  readonly #halves: number;

  /** How many bytes of an arena the decoded vectors take. */
  static bytes({ semanticDims }: Vectors, width: number): number {
    return alignedBytes(DECODED_AT_ONCE * semanticDims * 2) + alignedBytes(DECODED_AT_ONCE * width * 4);
  }

  /** Rows have `width` numbers, a multiple of four; those after the dimensions of a vector are 0. */
  constructor(arena: Arena, vectors: Vectors, width: number) {
    this.#arena = arena;
    this.#vectors = vectors;
    this.#width = width;
    this.#halves = arena.allocate(DECODED_AT_ONCE * vectors.semanticDims * 2);
    this.rows = arena.allocate(DECODED_AT_ONCE * width * 4);
  }

  /** Decodes `count` vectors from number `first` on. Rows of 0 follow them, up to a multiple of sixteen. */
  decode(first: number, count: number): void {
    const { semantic, semanticDims: dims } = this.#vectors;
    const { kernels } = this.#arena;
    const halves = this.#arena.view(Uint16Array, this.#halves, count * dims);
    halves.set(semantic.subarray(first * dims, (first + count) * dims));
    kernels.decodeVectors(this.#halves, count, dims, this.#width, this.rows);
  }
}
