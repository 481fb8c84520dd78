// The definition the other kernels are tested against: keep it obvious, keep it slow. Sums are float64 in
// ascending slice order; products of two float16 numbers are exact there, so the order hardly matters.

import { FLOAT16 } from "./float16.ts";
import type { Kernel } from "./kernel.ts";
import type { QueryRow, Row, Rows } from "./rows.ts";

export const scalar: Kernel = {
  name: "scalar",

  async gip(query, rows, out) {
    const slots = layOut(query, rows.dims);
    for (let doc = 0; doc < rows.docs; doc++) {
      out[doc] = gatedSum(slots, rows, doc) + semanticScore(query, rows, doc);
    }
  },

  async innerProduct(query, rows, out) {
    const slots = layOut(query, rows.dims);
    for (let doc = 0; doc < rows.docs; doc++) {
      out[doc] = openSum(slots, rows, doc) + semanticScore(query, rows, doc);
    }
  },

  async gipOf(query, rows, docs, out) {
    const slots = layOut(query, rows.dims);
    for (let i = 0; i < docs.length; i++) {
      out[i] = gatedSum(slots, rows, docs[i]) + semanticScore(query, rows, docs[i]);
    }
  },
};

/** The semantic part of one document's score, λ included; 0 when either side has none. */
export function semanticScore(query: QueryRow, rows: Rows, doc: number): number {
  if (!query.semantic) return 0;
  const [vectors, vector, dims] = [decoded(rows.semantic), query.semantic, rows.semanticDims];
  const start = doc * dims;
  let sum = 0;
  for (let i = 0; i < dims; i++) sum += vector[i] * vectors[start + i];
  return sum;
}

const decodedOnce = new WeakMap<Uint16Array, Float32Array>();

/** float16 bits as numbers, kept: looking every one up for every query takes about twice as long. */
function decoded(bits: Uint16Array): Float32Array {
  let values = decodedOnce.get(bits);
  if (!values) {
    values = Float32Array.from(bits, (half) => FLOAT16[half]);
    decodedOnce.set(bits, values);
  }
  return values;
}

/** A query row over all slices: an empty slot has value 0. */
interface Slots {
  readonly values: Float64Array;
  readonly indices: Uint16Array;
}

function layOut(row: Row, dims: number): Slots {
  const slots = { values: new Float64Array(dims), indices: new Uint16Array(dims) };
  for (let i = 0; i < row.slices.length; i++) {
    slots.values[row.slices[i]] = row.values[i];
    slots.indices[row.slices[i]] = row.indices[i];
  }
  return slots;
}

function gatedSum(query: Slots, rows: Rows, doc: number): number {
  let sum = 0;
  for (let i = rows.starts[doc]; i < rows.starts[doc + 1]; i++) {
    const slice = rows.slices[i];
    if (query.indices[slice] === rows.indices[i]) sum += query.values[slice] * FLOAT16[rows.values[i]];
  }
  return sum;
}

function openSum(query: Slots, rows: Rows, doc: number): number {
  let sum = 0;
  for (let i = rows.starts[doc]; i < rows.starts[doc + 1]; i++) {
    sum += query.values[rows.slices[i]] * FLOAT16[rows.values[i]];
  }
  return sum;
}
