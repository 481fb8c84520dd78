// Reduces wide sparse vectors to fewer dims by a count sketch (Charikar et al. 2002). Every column is added to one
// coordinate, with a random sign. Columns that share a coordinate disturb each other in both directions equally often, so
// inner products are kept in expectation.

import type { CodeVectors, SparseVector } from "../../segment/codes/code-vectors.ts";
import { mulberry32, shuffle } from "../../support/numbers/random.ts";
import { sparseVectors, vectorAt } from "./sparse-vectors.ts";

export class CountSketch {
  readonly dims: number;
  readonly #coordinates: Uint32Array;
  readonly #signs: Int8Array;
  readonly #sums: Float64Array;

  /** Assigns the columns to coordinates in turn, so every coordinate gets the same number of columns, ±1. */
  constructor(columns: number, dims: number, seed: number) {
    this.dims = dims;
    this.#coordinates = shuffle(columns, seed).map((number) => number % dims);
    const random = mulberry32(seed + 1);
    this.#signs = Int8Array.from({ length: columns }, () => (random() < 0.5 ? -1 : 1));
    this.#sums = new Float64Array(dims);
  }

  sketchAll(vectors: CodeVectors): CodeVectors {
    const rows = Array.from({ length: vectors.count }, (_, i) => this.sketch(vectorAt(vectors, i)));
    return sparseVectors(rows, this.dims);
  }

  sketch({ columns, values }: SparseVector): SparseVector {
    this.#sums.fill(0);
    for (let n = 0; n < columns.length; n++) {
      this.#sums[this.#coordinates[columns[n]]] += this.#signs[columns[n]] * values[n];
    }
    const filled: number[] = [];
    for (let at = 0; at < this.dims; at++) if (this.#sums[at] !== 0) filled.push(at);
    return { columns: filled, values: filled.map((at) => this.#sums[at]) };
  }
}
