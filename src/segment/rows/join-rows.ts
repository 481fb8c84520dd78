// Blocks of rows, without their deleted documents → one block. Runs of documents that stay are copied at once.

import type { Rows } from "../../densify/rows.ts";
import type { Bits } from "../../support/numbers/bits.ts";

interface SegmentRows {
  readonly rows: Rows;
  readonly deleted: Bits | undefined;
}

/** Documents from `start` to before `end` of a part, all of which stay. */
interface RowRun {
  readonly rows: Rows;
  readonly start: number;
  readonly end: number;
}

export function joinRows(parts: readonly SegmentRows[], dims: number, semanticDims: number): Rows {
  const runs = parts.flatMap((part) => [...findRuns(part)]);
  const docs = runs.reduce((sum, { start, end }) => sum + end - start, 0);
  const slots = runs.reduce((sum, { rows, start, end }) => sum + rows.starts[end] - rows.starts[start], 0);
  const hasWideIndices = parts.some(({ rows }) => rows.indices instanceof Uint16Array);
  const joined = {
    docs,
    dims,
    starts: new Uint32Array(docs + 1),
    slices: dims <= 65_536 ? new Uint16Array(slots) : new Uint32Array(slots),
    indices: hasWideIndices ? new Uint16Array(slots) : new Uint8Array(slots),
    values: new Uint16Array(slots),
    semanticDims,
    semantic: new Uint16Array(docs * semanticDims),
  };
  let [local, slot] = [0, 0];
  for (const { rows, start, end } of runs) {
    const [from, to] = [rows.starts[start], rows.starts[end]];
    joined.slices.set(rows.slices.subarray(from, to), slot);
    joined.indices.set(rows.indices.subarray(from, to), slot);
    joined.values.set(rows.values.subarray(from, to), slot);
    joined.semantic.set(
      rows.semantic.subarray(start * semanticDims, end * semanticDims),
      local * semanticDims,
    );
    for (let i = start; i < end; i++) joined.starts[++local] = rows.starts[i + 1] - from + slot;
    slot += to - from;
  }
  return joined;
}

function* findRuns({ rows, deleted }: SegmentRows): Generator<RowRun> {
  let start = 0;
  for (const local of deleted ?? []) {
    if (local > start) yield { rows, start, end: local };
    start = local + 1;
  }
  if (start < rows.docs) yield { rows, start, end: rows.docs };
}
