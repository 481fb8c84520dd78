// Rows written slot by slot, as in the golden files → packed rows for kernels.

import { type Row, type Rows, RowsBuilder } from "../../src/densify/rows.ts";

/** Only slots with a value are kept. */
export function packedRow(value: readonly number[], index: readonly number[]): Row {
  const filled = [...value.keys()].filter((slice) => value[slice] !== 0);
  return {
    slices: Uint32Array.from(filled),
    indices: Uint16Array.from(filled, (slice) => index[slice]),
    values: Float32Array.from(filled, (slice) => value[slice]),
  };
}

interface WrittenRow {
  readonly value: number[];
  readonly index: number[];
  readonly cls?: number[];
}

export function rowsOf(docs: readonly WrittenRow[]): Rows {
  const builder = new RowsBuilder(docs[0].value.length, 256, docs[0].cls?.length ?? 0);
  for (const { value, index, cls } of docs) builder.add(packedRow(value, index), cls);
  return builder.finish();
}

/** The slots of a row, empty ones included. */
export function written({ slices, indices, values }: Row, dims: number): WrittenRow {
  const value = new Array(dims).fill(0);
  const index = new Array(dims).fill(0);
  slices.forEach((slice, i) => {
    value[slice] = values[i];
    index[slice] = indices[i];
  });
  return { value, index };
}
