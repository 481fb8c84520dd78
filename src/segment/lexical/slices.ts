// Rows → slice-major columns. For every slice of a window, a column has the values of all documents and then their indices,
// a byte each. This is the layout for rows with most slots filled (DeLADE): a slot takes two bytes and a posting three,
// columns are read in one stream, and the inner product can use them too.

import type { Rows } from "../../densify/rows.ts";
import { FLOAT16, toFloat16 } from "../../support/numbers/float16.ts";
import { padDocs, splitIntoWindows } from "../rows/windows.ts";

export interface Slices {
  /** How many indices a slice can hold. */
  readonly perSlice: number;
  /**
   * By window and slice: the values of all documents, padded; then their indices. Values are rounded up as in
   * postings.ts.
   */
  readonly slices: Uint8Array;
  /** By window and slice: the largest value, float16 bits. */
  readonly sliceTops: Uint16Array;
  /** By window, slice, index: the largest code of the cell; 0 if no document holds it. */
  readonly cellCodes: Uint8Array;
}

/** Bytes of a window with this many documents. */
export function slicesBytes(docs: number, dims: number): number {
  return padDocs(docs) * dims * 2;
}

export function cutIntoSlices(rows: Rows, windowDocs?: number): Slices {
  const { dims, starts } = rows;
  const windows = splitIntoWindows(rows.docs, windowDocs);
  let perSlice = 1;
  for (const index of rows.indices) perSlice = Math.max(perSlice, index + 1);
  const slices = new Uint8Array(windows.reduce((sum, { docs }) => sum + slicesBytes(docs, dims), 0));
  const sliceTops = new Uint16Array(windows.length * dims);
  const cellCodes = new Uint8Array(windows.length * dims * perSlice);
  let base = 0;
  for (const [w, { first, docs }] of windows.entries()) {
    const width = padDocs(docs);
    const tops = new Float32Array(dims);
    for (let i = starts[first]; i < starts[first + docs]; i++) {
      const slice = rows.slices[i];
      tops[slice] = Math.max(tops[slice], FLOAT16[rows.values[i]]);
    }
    for (let slice = 0; slice < dims; slice++) sliceTops[w * dims + slice] = toFloat16(tops[slice]);
    for (let lane = 0; lane < docs; lane++) {
      for (let i = starts[first + lane]; i < starts[first + lane + 1]; i++) {
        const [slice, index] = [rows.slices[i], rows.indices[i]];
        const code = Math.ceil((FLOAT16[rows.values[i]] * 255) / tops[slice]);
        const column = base + slice * 2 * width + lane;
        slices[column] = code;
        slices[column + width] = index;
        const cell = (w * dims + slice) * perSlice + index;
        if (cellCodes[cell] < code) cellCodes[cell] = code;
      }
    }
    base += slicesBytes(docs, dims);
  }
  return { perSlice, slices, sliceTops, cellCodes };
}
