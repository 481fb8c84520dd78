// A query as the shaders read it: a header, then entries (slice and cell, value), then entries (dim, value); the same laid
// out over all slices for rescoring; and the same for groups of queries that share a pass.

import type { QueryRow } from "../../densify/rows.ts";
import { slotUnits } from "./document-chunks.ts";
import { HEADER_PAIRS } from "./scan-shader.ts";

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

export function bits(x: number): number {
  scratch[0] = x;
  return scratchBits[0];
}

/** What a header says beside where the entries are. */
export interface Header {
  /** Wanted of the first stage, and of the second. */
  readonly first: number;
  readonly second: number;
  /** Keys from which bins are counted, and below which nothing is found. */
  readonly lowKey: number;
  readonly leastKey: number;
  /** Documents that a query's list may hold before they are ranked. */
  readonly capacity: number;
  readonly leftLength: number;
  readonly leftMost: number;
  readonly slack: number;
  readonly semanticLength: number;
}

/** Writes headers and entries into words; pairs used is what must be sent. The device waits meanwhile, so loops are plain. */
export class Questions {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly #floats: Float32Array;
  #entry = 0;

  /** Words that so many queries need. */
  static words(queries: number, entriesEach: number): number {
    return queries * (HEADER_PAIRS + entriesEach) * 2;
  }

  constructor(words: Uint32Array<ArrayBuffer>) {
    this.words = words;
    this.#floats = floatsOf(words);
  }

  /** Begins anew, for as many queries. */
  start(queries: number): void {
    this.#entry = queries * HEADER_PAIRS;
  }

  get usedWords(): number {
    return this.#entry * 2;
  }

  /** `scales` are multiplied into the lexical values, rounded up: what a byte of the slice counts. */
  write(query: number, row: QueryRow, header: Header, unroll: number, scales?: Float32Array): void {
    const first = this.#entry;
    this.#writeSlots(row, scales);
    this.#fill(first, unroll);
    const semantic = this.#entry;
    if (row.semantic) this.#writeSemantic(row.semantic);
    this.#fill(semantic, unroll);
    const at = query * HEADER_PAIRS * 2;
    this.words.set(
      [
        ...[first, semantic - first],
        ...[this.#entry - semantic, 0],
        ...[bits(header.leftLength), bits(header.leftMost)],
        ...[bits(header.slack), bits(header.semanticLength)],
        ...[header.first, header.second],
        ...[header.lowKey, header.leastKey],
        ...[header.capacity, 0],
        ...[0, 0],
      ],
      at,
    );
  }

  #writeSlots({ slices, indices, values }: QueryRow, scales: Float32Array | undefined): void {
    const [words, floats] = [this.words, this.#floats];
    let at = this.#entry * 2;
    for (let i = 0; i < slices.length; i++) {
      if (values[i] === 0) continue;
      words[at] = slices[i] * 65_536 + indices[i];
      floats[at + 1] = scales ? values[i] * scales[slices[i]] * UPWARDS : values[i];
      at += 2;
    }
    this.#entry = at / 2;
  }

  #writeSemantic(semantic: Float32Array): void {
    const [words, floats] = [this.words, this.#floats];
    let at = this.#entry * 2;
    for (let dim = 0; dim < semantic.length; dim++) {
      if (semantic[dim] === 0) continue;
      words[at] = dim;
      floats[at + 1] = semantic[dim];
      at += 2;
    }
    this.#entry = at / 2;
  }

  /** Up to a multiple of what a loop takes at once: the last place again, with value 0. */
  #fill(from: number, unroll: number): void {
    for (; (this.#entry - from) % unroll !== 0; this.#entry++) {
      this.words[this.#entry * 2] = this.words[this.#entry * 2 - 2];
      this.words[this.#entry * 2 + 1] = 0;
    }
  }
}

/** A product times this is no less than the product after rounding to float32. */
const UPWARDS = 1 + 2 ** -22;

const floatsOf = (words: Uint32Array) => new Float32Array(words.buffer, words.byteOffset, words.length);

/** A query over all slices, from word `at`: values, cells, semantic part (see denseWords). */
export function layOutDense(row: QueryRow, dims: number, words: Uint32Array, at: number): void {
  const padded = slotUnits({ dims }) * 16;
  const floats = floatsOf(words);
  const { slices, indices, values, semantic } = row;
  for (let i = 0; i < slices.length; i++) {
    floats[at + slices[i]] = values[i];
    words[at + padded + slices[i]] = indices[i];
  }
  if (semantic) floats.set(semantic, at + 2 * padded);
}

/** Queries in groups of `width`, as batchShader reads them: by slice the cells of a group and its weights. */
export function layOutBatch(
  rows: readonly QueryRow[],
  { dims, semanticDims }: { readonly dims: number; readonly semanticDims: number },
  width: number,
  words: Uint32Array,
): void {
  const groupWords = (dims * 2 + semanticDims) * width;
  const floats = floatsOf(words);
  for (const [query, { slices, indices, values, semantic }] of rows.entries()) {
    const base = Math.floor(query / width) * groupWords;
    const lane = query % width;
    for (let i = 0; i < slices.length; i++) {
      const at = base + slices[i] * 2 * width + lane;
      words[at] = indices[i];
      floats[at + width] = values[i];
    }
    for (let dim = 0; dim < (semantic?.length ?? 0); dim++) {
      floats[base + (dims * 2 + dim) * width + lane] = semantic![dim];
    }
  }
}
