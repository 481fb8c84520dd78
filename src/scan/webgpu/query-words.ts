// A query → the words that shaders read, in three forms: a header and entries, (slice and index, value) and then (dim,
// value), for a scan; an entry for every slice, for rescoring; and a table for groups of queries that share a scan.

import type { QueryRow } from "../../densify/rows.ts";
import { slotUnits } from "./document-chunks.ts";
import { HEADER_PAIRS } from "./scan-shader.ts";

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

function bits(x: number): number {
  scratch[0] = x;
  return scratchBits[0];
}

/** The header of a query, without the positions of its entries. */
export interface QueryHeader {
  /** How many documents are wanted of the first stage. */
  readonly first: number;
  /** How many documents are wanted of the second stage. */
  readonly second: number;
  /** The key at which bins begin. */
  readonly lowKey: number;
  /** Documents with a lower key are not found. */
  readonly leastKey: number;
  /** Documents that a query's list may hold before they are ranked. */
  readonly capacity: number;
  readonly leftLength: number;
  readonly leftMost: number;
  readonly slack: number;
  readonly semanticLength: number;
}

/**
 * Writes headers and entries into words, of which `usedWords` must be sent. The device waits meanwhile, so loops are
 * plain.
 */
export class QueryWords {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly #floats: Float32Array;
  #entry = 0;

  /** Words for this many queries. */
  static words(queries: number, entriesEach: number): number {
    return queries * (HEADER_PAIRS + entriesEach) * 2;
  }

  constructor(words: Uint32Array<ArrayBuffer>) {
    this.words = words;
    this.#floats = viewFloats(words);
  }

  /** Starts over, with headers for this many queries. */
  start(queries: number): void {
    this.#entry = queries * HEADER_PAIRS;
  }

  get usedWords(): number {
    return this.#entry * 2;
  }

  /**
   * Writes a query. With `scales`, lexical values are multiplied by what a step of the slice's bytes is worth,
   * rounded up.
   */
  write(query: number, row: QueryRow, header: QueryHeader, unroll: number, scales?: Float32Array): void {
    const first = this.#entry;
    this.#writeSlots(row, scales);
    this.#pad(first, unroll);
    const semantic = this.#entry;
    if (row.semantic) this.#writeSemantic(row.semantic);
    this.#pad(semantic, unroll);
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

  /** Pads entries to a multiple of `unroll`: repeats the last one with value 0. */
  #pad(from: number, unroll: number): void {
    for (; (this.#entry - from) % unroll !== 0; this.#entry++) {
      this.words[this.#entry * 2] = this.words[this.#entry * 2 - 2];
      this.words[this.#entry * 2 + 1] = 0;
    }
  }
}

/** A product times this, rounded to float32, is not less than the exact product. */
const UPWARDS = 1 + 2 ** -22;

const viewFloats = (words: Uint32Array) => new Float32Array(words.buffer, words.byteOffset, words.length);

/** Writes a query with an entry for every slice, from word `at` on: values, cells, semantic part (see `denseWords`). */
export function layOutDense(row: QueryRow, dims: number, words: Uint32Array, at: number): void {
  const padded = slotUnits({ dims }) * 16;
  const floats = viewFloats(words);
  const { slices, indices, values, semantic } = row;
  for (let i = 0; i < slices.length; i++) {
    floats[at + slices[i]] = values[i];
    words[at + padded + slices[i]] = indices[i];
  }
  if (semantic) floats.set(semantic, at + 2 * padded);
}

/** Writes queries in groups of `width`, as `batchShader` reads them: by slice, the cells of a group and its weights. */
export function layOutBatch(
  rows: readonly QueryRow[],
  { dims, semanticDims }: { readonly dims: number; readonly semanticDims: number },
  width: number,
  words: Uint32Array,
): void {
  const groupWords = (dims * 2 + semanticDims) * width;
  const floats = viewFloats(words);
  for (const [query, { slices, indices, values, semantic }] of rows.entries()) {
    const base = Math.floor(query / width) * groupWords;
    const column = query % width;
    for (let i = 0; i < slices.length; i++) {
      const at = base + slices[i] * 2 * width + column;
      words[at] = indices[i];
      floats[at + width] = values[i];
    }
    for (let dim = 0; dim < (semantic?.length ?? 0); dim++) {
      floats[base + (dims * 2 + dim) * width + column] = semantic![dim];
    }
  }
}
