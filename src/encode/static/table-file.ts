// A table of vectors in int8 ↔ the bytes of a file, little-endian. A static encoder has one row per word piece; its trainer
// keeps a teacher's vectors in the same format.
//
//   FILE   := HEADER SCALES VALUES
//   HEADER := magic:8 bytes "SLUICETB" rows:u32 dims:u32 checksum:u32 reserved:u32   24 bytes
//   SCALES := f32 × rows              a row's numbers are its values times its scale
//   VALUES := i8  × rows × dims       row after row
//
// The checksum is the CRC-32 of SCALES and VALUES.

import { crc32 } from "../../support/bytes/crc32.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";

export interface Int8Table {
  readonly rows: number;
  readonly dims: number;
  readonly scales: Float32Array;
  readonly values: Int8Array;
}

const MAGIC = "SLUICETB";
const HEADER_BYTES = 24;
/** The largest value of an int8 that a table uses. −128 is left out, so that values are symmetric. */
const LARGEST = 127;

/** Rounds vectors, one after another in `numbers`, to int8. The largest number of each row becomes 127 or −127. */
export function quantizeTable(numbers: Float32Array, dims: number): Int8Table {
  const rows = numbers.length / dims;
  const scales = new Float32Array(rows);
  const values = new Int8Array(numbers.length);
  for (let row = 0; row < rows; row++) {
    let largest = 0;
    for (let i = row * dims; i < (row + 1) * dims; i++) largest = Math.max(largest, Math.abs(numbers[i]));
    scales[row] = largest / LARGEST;
    if (scales[row] === 0) continue;
    for (let i = row * dims; i < (row + 1) * dims; i++) {
      values[i] = Math.max(-LARGEST, Math.min(LARGEST, Math.round(numbers[i] / scales[row])));
    }
  }
  return { rows, dims, scales, values };
}

export function packTable({ rows, dims, scales, values }: Int8Table): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES + 4 * rows + rows * dims);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < MAGIC.length; i++) bytes[i] = MAGIC.charCodeAt(i);
  view.setUint32(8, rows, true);
  view.setUint32(12, dims, true);
  scales.forEach((scale, row) => {
    view.setFloat32(HEADER_BYTES + 4 * row, scale, true);
  });
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.length), HEADER_BYTES + 4 * rows);
  view.setUint32(16, crc32(bytes.subarray(HEADER_BYTES)), true);
  return bytes;
}

/** Reads a table and checks every byte of it. `where` names the file in errors. */
export function parseTable(bytes: Uint8Array, where: string): Int8Table {
  const fail = (what: string) =>
    new SluiceError(
      `${where}: ${what}`,
      "restore the file, or install the package again",
      "ERR_SLUICE_DAMAGED",
    );
  const isTable = MAGIC.split("").every((letter, i) => bytes[i] === letter.charCodeAt(0));
  if (bytes.length < HEADER_BYTES || !isTable) throw fail("not a table of vectors");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [rows, dims, checksum] = [8, 12, 16].map((at) => view.getUint32(at, true));
  const expected = HEADER_BYTES + 4 * rows + rows * dims;
  if (bytes.length !== expected) {
    throw fail(`${bytes.length} bytes, expected ${expected} for ${rows} rows of ${dims} dims`);
  }
  if (crc32(bytes.subarray(HEADER_BYTES)) !== checksum) throw fail("it does not match its checksum");
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    scales[row] = view.getFloat32(HEADER_BYTES + 4 * row, true);
    if (!(scales[row] >= 0 && scales[row] < Number.POSITIVE_INFINITY)) {
      throw fail(`the scale of row ${row} is ${scales[row]}, expected a number of at least 0`);
    }
  }
  // A copy: the bytes may belong to a larger buffer that would then stay in memory.
  const values = Int8Array.from(bytes.subarray(HEADER_BYTES + 4 * rows));
  return { rows, dims, scales, values };
}
