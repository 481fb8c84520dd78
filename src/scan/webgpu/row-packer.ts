// Packed rows, which have only filled slots → rows with a slot for every slice, as they are uploaded.

import type { Rows } from "../../densify/rows.ts";
import { indexBytes, type RowShape, rowWords } from "./document-chunks.ts";

export class RowPacker {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly #shape: RowShape;
  readonly #rowWords: number;
  readonly #capacity: number;
  readonly #halves: Uint16Array;
  readonly #indices: Uint8Array | Uint16Array;
  readonly #indexAt: number;
  readonly #semanticAt: number;
  #docs = 0;

  constructor(shape: RowShape, capacity: number) {
    const { row, indices, semantic } = rowWords(shape);
    this.#shape = shape;
    this.#capacity = capacity;
    this.#rowWords = row;
    this.words = new Uint32Array(capacity * row);
    this.#halves = new Uint16Array(this.words.buffer);
    const bytes = indexBytes(shape);
    this.#indices = bytes === 1 ? new Uint8Array(this.words.buffer) : this.#halves;
    this.#indexAt = (indices * 4) / bytes;
    this.#semanticAt = semantic * 2;
  }

  get docs(): number {
    return this.#docs;
  }

  get isFull(): boolean {
    return this.#docs === this.#capacity;
  }

  clear(): void {
    this.words.fill(0);
    this.#docs = 0;
  }

  add(rows: Rows, doc: number): void {
    const { dims, semanticDims, perSlice } = this.#shape;
    if (rows.semanticDims !== semanticDims) {
      throw new RangeError(`rows have ${rows.semanticDims} semantic dims, expected ${semanticDims}`);
    }
    const halfAt = this.#docs * this.#rowWords * 2;
    const indexAt =
      this.#docs * this.#rowWords * (this.#indices instanceof Uint8Array ? 4 : 2) + this.#indexAt;
    for (let i = rows.starts[doc]; i < rows.starts[doc + 1]; i++) {
      const slice = rows.slices[i];
      if (slice >= dims || rows.indices[i] >= perSlice) {
        throw new RangeError(
          `row ${doc}: cell (${slice}, ${rows.indices[i]}) is outside ${dims} slices of ${perSlice}`,
        );
      }
      this.#halves[halfAt + slice] = rows.values[i];
      this.#indices[indexAt + slice] = rows.indices[i];
    }
    const from = doc * semanticDims;
    this.#halves.set(rows.semantic.subarray(from, from + semanticDims), halfAt + this.#semanticAt);
    this.#docs++;
  }
}
