// A query as the shaders read it: a header, then entries (slice and cell, value), then entries (dim, value); the same laid
// out over all slices for rescoring; and the same for groups of queries that share a pass.

import type { QueryRow } from "../rows.ts";
import { slotUnits } from "./chunks.ts";
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

/** Writes headers and entries into words; pairs used is what must be sent. */
export class Questions {
  readonly words: Uint32Array<ArrayBuffer>;
  #entry = 0;

  /** Words that so many queries need. */
  static words(queries: number, entriesEach: number): number {
    return queries * (HEADER_PAIRS + entriesEach) * 2;
  }

  constructor(words: Uint32Array<ArrayBuffer>) {
    this.words = words;
  }

  /** Begins anew, for as many queries. */
  start(queries: number): void {
    this.#entry = queries * HEADER_PAIRS;
  }

  get usedWords(): number {
    return this.#entry * 2;
  }

  /** `weigh` is multiplied into the lexical values: what a byte of the slice counts. */
  write(
    query: number,
    row: QueryRow,
    header: Header,
    unroll: number,
    weigh?: (slice: number, value: number) => number,
  ): void {
    const { words } = this;
    const first = this.#entry;
    for (let i = 0; i < row.slices.length; i++) {
      if (row.values[i] === 0) continue;
      const slice = row.slices[i];
      const value = weigh ? weigh(slice, row.values[i]) : row.values[i];
      this.#put(slice * 65_536 + row.indices[i], value);
    }
    this.#fill(first, unroll);
    const semantic = this.#entry;
    for (let dim = 0; dim < (row.semantic?.length ?? 0); dim++) {
      if (row.semantic![dim] !== 0) this.#put(dim, row.semantic![dim]);
    }
    this.#fill(semantic, unroll);
    const at = query * HEADER_PAIRS * 2;
    words.set(
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

  #put(where: number, value: number): void {
    this.words[this.#entry * 2] = where;
    this.words[this.#entry * 2 + 1] = bits(value);
    this.#entry++;
  }

  /** Up to a multiple of what a loop takes at once: the last place again, with value 0. */
  #fill(from: number, unroll: number): void {
    while ((this.#entry - from) % unroll !== 0) this.#put(this.words[this.#entry * 2 - 2], 0);
  }
}

/** A query over all slices, from word `at`: values, cells, semantic part (see denseWords). */
export function layOutDense(row: QueryRow, dims: number, words: Uint32Array, at: number): void {
  const padded = slotUnits({ dims }) * 16;
  for (let i = 0; i < row.slices.length; i++) {
    words[at + row.slices[i]] = bits(row.values[i]);
    words[at + padded + row.slices[i]] = row.indices[i];
  }
  for (let dim = 0; dim < (row.semantic?.length ?? 0); dim++)
    words[at + 2 * padded + dim] = bits(row.semantic![dim]);
}

/** Queries in groups of `width`, as batchShader reads them: by slice the cells of a group and its weights. */
export function layOutBatch(
  rows: readonly QueryRow[],
  { dims, semanticDims }: { readonly dims: number; readonly semanticDims: number },
  width: number,
  words: Uint32Array,
): void {
  const groupWords = (dims * 2 + semanticDims) * width;
  rows.forEach((row, query) => {
    const base = Math.floor(query / width) * groupWords;
    const lane = query % width;
    for (let i = 0; i < row.slices.length; i++) {
      const at = base + row.slices[i] * 2 * width + lane;
      words[at] = row.indices[i];
      words[at + width] = bits(row.values[i]);
    }
    for (let dim = 0; dim < (row.semantic?.length ?? 0); dim++) {
      words[base + (dims * 2 + dim) * width + lane] = bits(row.semantic![dim]);
    }
  });
}
