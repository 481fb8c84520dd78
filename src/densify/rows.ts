// Densified texts: one row for a query, a block of rows for documents.
//
// A row has one slot per slice. A slot holds a value and the index of the term that won the slice. Rows are packed: a slot
// with value 0 adds nothing to any score, so only the other slots are stored, by ascending slice. A full row (DeLADE) has
// every slice, a sparse one (BM25, SPLADE) a few dozen. With one slice per term, the block is the forward index of a
// classical engine.

import { ensureCapacity } from "../support/numbers/ensure-capacity.ts";
import { toFloat16, toFloat32s } from "../support/numbers/float16.ts";

/** One densified text. The values are float16 numbers, stored as float32. */
export interface Row {
  readonly slices: Uint32Array;
  readonly indices: Uint16Array;
  readonly values: Float32Array;
}

/** A query for a kernel: a row, and its vector times λ if there is a semantic part. */
export interface QueryRow extends Row {
  readonly semantic?: Float32Array;
}

/** The rows of many documents. The slots of document d are starts[d] … starts[d + 1] − 1. */
export interface Rows {
  readonly docs: number;
  /** The number of slices, filled or not. */
  readonly dims: number;
  readonly starts: Uint32Array;
  readonly slices: Uint16Array | Uint32Array;
  readonly indices: Uint8Array | Uint16Array;
  /** float16 bits. */
  readonly values: Uint16Array;
  /** Width of the semantic part; 0 when there is none. */
  readonly semanticDims: number;
  /** float16 bits, docs × semanticDims, without λ: the query has it. */
  readonly semantic: Uint16Array;
}

/** The semantic part of rows. */
export type Vectors = Pick<Rows, "docs" | "semanticDims" | "semantic">;

/** The bytes that rows take. `perSlice` is the number of different indices in a slice. */
export function packedBytes(
  docs: number,
  slots: number,
  { dims, perSlice }: { readonly dims: number; readonly perSlice: number },
  semanticDims: number,
): number {
  const slotBytes = (dims <= 65_536 ? 2 : 4) + (perSlice <= 256 ? 1 : 2) + 2;
  return (docs + 1) * 4 + slots * slotBytes + docs * semanticDims * 2;
}

/** The row of one document, unpacked from its block. */
export function rowAt(rows: Rows, doc: number): Row {
  const [start, end] = [rows.starts[doc], rows.starts[doc + 1]];
  return {
    slices: Uint32Array.from(rows.slices.subarray(start, end)),
    indices: Uint16Array.from(rows.indices.subarray(start, end)),
    values: toFloat32s(rows.values.subarray(start, end)),
  };
}

/** Collects rows one at a time into a block. */
export class RowsBuilder {
  readonly #dims: number;
  readonly #semanticDims: number;
  #docs = 0;
  #starts: Uint32Array = new Uint32Array(1024);
  #slots = 0;
  #slices: Uint16Array | Uint32Array;
  #indices: Uint8Array | Uint16Array;
  #values: Uint16Array = new Uint16Array(65_536);
  #semantic: Uint16Array = new Uint16Array(0);

  /** `perSlice` is the number of different indices in a slice. Up to 256, an index takes one byte; otherwise two. */
  constructor(dims: number, perSlice: number, semanticDims = 0) {
    this.#dims = dims;
    this.#semanticDims = semanticDims;
    this.#slices = dims <= 65_536 ? new Uint16Array(65_536) : new Uint32Array(65_536);
    this.#indices = perSlice <= 256 ? new Uint8Array(65_536) : new Uint16Array(65_536);
  }

  add(row: Row, semantic?: ArrayLike<number>): void {
    const start = this.#slots;
    const end = start + row.slices.length;
    this.#slices = ensureCapacity(this.#slices, end);
    this.#indices = ensureCapacity(this.#indices, end);
    this.#values = ensureCapacity(this.#values, end);
    this.#slices.set(row.slices, start);
    this.#indices.set(row.indices, start);
    for (let i = 0; i < row.values.length; i++) this.#values[start + i] = toFloat16(row.values[i]);
    if (this.#semanticDims > 0) {
      const at = this.#docs * this.#semanticDims;
      if (semantic?.length !== this.#semanticDims) {
        throw new RangeError(
          `semantic vector has ${semantic?.length ?? 0} dims, expected ${this.#semanticDims}`,
        );
      }
      this.#semantic = ensureCapacity(this.#semantic, at + this.#semanticDims);
      for (let i = 0; i < this.#semanticDims; i++) this.#semantic[at + i] = toFloat16(semantic[i]);
    }
    this.#slots = end;
    this.#docs++;
    this.#starts = ensureCapacity(this.#starts, this.#docs + 1);
    this.#starts[this.#docs] = end;
  }

  finish(): Rows {
    return {
      docs: this.#docs,
      dims: this.#dims,
      starts: this.#starts.slice(0, this.#docs + 1),
      slices: this.#slices.slice(0, this.#slots),
      indices: this.#indices.slice(0, this.#slots),
      values: this.#values.slice(0, this.#slots),
      semanticDims: this.#semanticDims,
      semantic: this.#semantic.slice(0, this.#docs * this.#semanticDims),
    };
  }
}

/** Puts the slots of every row into ascending order by slice, if each slice has one term: all indices are 0. */
export function sortSlots({ docs, starts, slices, values }: Rows): void {
  const order = new Float64Array(longestRow(starts));
  for (let doc = 0; doc < docs; doc++) {
    const [start, end] = [starts[doc], starts[doc + 1]];
    // Slice and value are sorted as one number.
    for (let i = start; i < end; i++) order[i - start] = slices[i] * 65_536 + values[i];
    const sorted = order.subarray(0, end - start).sort();
    for (let i = start; i < end; i++) {
      slices[i] = Math.floor(sorted[i - start] / 65_536);
      values[i] = sorted[i - start] % 65_536;
    }
  }
}

function longestRow(starts: Uint32Array): number {
  let longest = 0;
  for (let doc = 0; doc + 1 < starts.length; doc++)
    longest = Math.max(longest, starts[doc + 1] - starts[doc]);
  return longest;
}
