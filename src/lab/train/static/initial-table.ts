// The table that training starts from: the teacher's vector of each piece as a text by itself, minus the mean, times
// log(1 + N / (1 + df)). Frequent pieces start short and rare ones long.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Int8Table, packTable, parseTable } from "../../../encode/static/table-file.ts";
import { Fingerprint } from "../../../support/bytes/hash.ts";
import { makeFolders } from "../../../support/files/make-folders.ts";
import type { Rotation } from "./principal-rotation.ts";
import type { StaticConfig } from "./static-config.ts";
import { encodeTable, openTeacherEncoder } from "./teacher-vectors.ts";

/** The teacher's vectors of all pieces. They are kept beside those of the texts. */
export async function encodePieces(
  config: StaticConfig,
  pieces: readonly string[],
  rotation: Rotation,
): Promise<Int8Table> {
  const name = pieces.reduce((hash, piece) => hash.add(piece), new Fingerprint()).toString();
  const path = join(config.teacher.keep, `pieces-${name}.table`);
  const kept = await readFile(path).catch(() => undefined);
  if (kept) return parseTable(kept, path);
  const encoder = await openTeacherEncoder({ ...config, teacher: { ...config.teacher, provider: "cpu" } });
  try {
    const texts = pieces.map((piece) => piece.replace(/^##/, ""));
    const table = await encodeTable(texts, rotation, async (some) =>
      (await encoder.encode(some, "query")).map(({ vector }) => vector!),
    );
    await makeFolders(config.teacher.keep);
    await writeFile(path, packTable(table));
    return table;
  } finally {
    await encoder.close();
  }
}

/** Rows with a mean length of 1. `frequencies` says in how many of `texts` passages each piece occurs. */
export function initialTable(vectors: Int8Table, frequencies: Uint32Array, texts: number): Float32Array {
  const { rows, dims } = vectors;
  const units = unitRows(vectors);
  const mean = new Float64Array(dims);
  let occurrences = 0;
  for (let row = 0; row < rows; row++) {
    occurrences += frequencies[row];
    for (let j = 0; j < dims; j++) mean[j] += frequencies[row] * units[row * dims + j];
  }
  const table = new Float32Array(rows * dims);
  let lengths = 0;
  for (let row = 0; row < rows; row++) {
    const weight = Math.log(1 + texts / (1 + frequencies[row]));
    let squares = 0;
    for (let j = 0; j < dims; j++) {
      const x = weight * (units[row * dims + j] - mean[j] / Math.max(1, occurrences));
      table[row * dims + j] = x;
      squares += x * x;
    }
    lengths += Math.sqrt(squares);
  }
  return table.map((x) => (x * rows) / lengths);
}

/** The rows of a table as numbers, each at length 1. A row of zeros stays. */
export function unitRows({ rows, dims, values }: Int8Table): Float32Array {
  const units = new Float32Array(rows * dims);
  for (let row = 0; row < rows; row++) {
    let squares = 0;
    for (let i = row * dims; i < (row + 1) * dims; i++) squares += values[i] * values[i];
    if (squares === 0) continue;
    const factor = 1 / Math.sqrt(squares);
    for (let i = row * dims; i < (row + 1) * dims; i++) units[i] = values[i] * factor;
  }
  return units;
}
