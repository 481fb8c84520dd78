// Builds an Arrow table of passages column by column. LanceDB's own conversion of JavaScript rows takes several times as long.

import type { EmbeddedPassage } from "../contract/dataset.ts";

/** The part of apache-arrow that is used. */
export interface Arrow {
  readonly Table: new (columns: Record<string, object>) => object;
  readonly Int32: new () => object;
  readonly Utf8: new () => object;
  readonly Float32: new () => object;
  readonly Field: new (name: string, type: object) => object;
  readonly FixedSizeList: new (length: number, field: object) => object;
  makeData(parts: { type: object; length?: number; child?: object; data?: Float32Array }): object;
  makeVector(data: object): object;
  vectorFromArray(values: readonly unknown[], type: object): object;
}

export function arrowTable(arrow: Arrow, passages: readonly EmbeddedPassage[], dims: number): object {
  const { Table, Int32, Utf8, Float32, Field, FixedSizeList, makeData, makeVector, vectorFromArray } = arrow;
  const values = new Float32Array(passages.length * dims);
  for (const [row, { vector }] of passages.entries()) values.set(vector, row * dims);
  const column = (field: "id" | "text" | "year" | "cat", type: object) =>
    vectorFromArray(
      passages.map((passage) => passage[field]),
      type,
    );
  const child = makeData({ type: new Float32(), data: values });
  const rows = new FixedSizeList(dims, new Field("item", new Float32()));
  return new Table({
    id: column("id", new Int32()),
    text: column("text", new Utf8()),
    year: column("year", new Int32()),
    cat: column("cat", new Utf8()),
    vector: makeVector(makeData({ type: rows, length: passages.length, child })),
  });
}
