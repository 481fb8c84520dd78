// The definition the other kernels are tested against: keep it obvious, keep it slow. Sums are float64 in
// ascending slice order; products of two float16 numbers are exact there, so the order hardly matters.

import type { QueryRow, Row, Rows } from "../densify/rows.ts";
import { FLOAT16 } from "../support/float16.ts";
import { dotFloat16 } from "./dot.ts";
import type { Kernel } from "./kernel.ts";

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
  return query.semantic ? dotFloat16(query.semantic, rows.semantic, doc * rows.semanticDims) : 0;
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
