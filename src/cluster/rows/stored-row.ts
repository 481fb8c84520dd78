// A document's row ↔ bytes, which the cluster keeps beside the document. The client scores candidates from them, with the float16
// values that a folder would have. OpenSearch's own fields of the same row only find candidates.
//
//   ROW    := slots:varint (slice − the slice before):varint × slots, index:varint × slots unless the slicing is full,
//             value:f16 × slots, vector:f16 × dims, factors:varint f16 × factors

import type { Row } from "../../densify/rows.ts";
import { toFloat16, toFloat32s } from "../../support/numbers/float16.ts";

/** What the cluster keeps of a document for scoring. Numbers are float16 bits. */
export interface StoredRow {
  readonly slices: Uint32Array;
  readonly indices: Uint16Array;
  readonly values: Uint16Array;
  readonly vector: Uint16Array;
  /** Factors of BM25's weights, in the order of the document's terms; none if all are 1. */
  readonly factors: Uint16Array;
}

/** What decides how rows are laid out. */
export interface StoredRowShape {
  /** Whether rows have indices: a slice has one term alone if the slicing is `full`. */
  readonly hasIndices: boolean;
  readonly semanticDims: number;
}

export function createStoredRow(
  row: Row,
  vector: Uint16Array = new Uint16Array(0),
  factors: ArrayLike<number> = [],
): StoredRow {
  const { slices, indices, values } = row;
  return {
    slices,
    indices,
    values: Uint16Array.from(values, toFloat16),
    vector,
    factors: Uint16Array.from(factors, toFloat16),
  };
}

/** The row as the rest of the engine knows it. */
export function toRow({ slices, indices, values }: StoredRow): Row {
  return { slices, indices, values: toFloat32s(values) };
}

/** The row and its factors, as numbers. */
export function toRowWithFactors(stored: StoredRow): { row: Row; factors: Float32Array } {
  return { row: toRow(stored), factors: toFloat32s(stored.factors) };
}

export function packStoredRow(row: StoredRow, { hasIndices }: StoredRowShape): Buffer {
  const { slices, indices, values, vector, factors } = row;
  const numbers = slices.length * (hasIndices ? 2 : 1) + 2;
  const buffer = Buffer.allocUnsafe(5 * numbers + 2 * (values.length + vector.length + factors.length));
  let at = 0;
  const putNumber = (number: number) => {
    let rest = number;
    for (; rest > 0x7f; rest >>>= 7) buffer[at++] = (rest & 0x7f) | 0x80;
    buffer[at++] = rest;
  };
  const putFloats = (bits: Uint16Array) => {
    for (const each of bits) at = buffer.writeUInt16LE(each, at);
  };
  putNumber(slices.length);
  for (let i = 0; i < slices.length; i++) putNumber(slices[i] - (i > 0 ? slices[i - 1] : 0));
  if (hasIndices) for (const index of indices) putNumber(index);
  putFloats(values);
  putFloats(vector);
  putNumber(factors.length);
  putFloats(factors);
  return buffer.subarray(0, at);
}

/** Throws a RangeError if the bytes are not a row of this shape. */
export function unpackStoredRow(bytes: Buffer, { hasIndices, semanticDims }: StoredRowShape): StoredRow {
  let at = 0;
  const number = () => {
    let [value, shift] = [0, 0];
    for (; bytes[at] > 0x7f; shift += 7) value |= (bytes[at++] & 0x7f) << shift;
    if (at >= bytes.length) throw new RangeError(`a row ends after ${bytes.length} bytes`);
    return value | (bytes[at++] << shift);
  };
  const floats = (count: number) => {
    const bits = new Uint16Array(count);
    for (let i = 0; i < count; i++, at += 2) bits[i] = bytes.readUInt16LE(at);
    return bits;
  };
  const slots = number();
  if (slots > bytes.length) throw new RangeError(`a row of ${bytes.length} bytes with ${slots} slots`);
  const slices = new Uint32Array(slots);
  for (let i = 0, slice = 0; i < slots; i++) {
    slice += number();
    slices[i] = slice;
  }
  const indices = new Uint16Array(slots);
  if (hasIndices) for (let i = 0; i < slots; i++) indices[i] = number();
  const values = floats(slots);
  const vector = floats(semanticDims);
  const factors = floats(number());
  if (at !== bytes.length) throw new RangeError(`a row ends at byte ${at} of ${bytes.length}`);
  return { slices, indices, values, vector, factors };
}
