// The format of a container: named arrays in one file. Its writer and its reader share this.
//
//   FILE    := MAGIC version:u32 headerBytes:u32 headerChecksum:u32 zero:u32 HEADER padding SECTIONS
//   MAGIC   := "SLUICE\r\n"                  8 bytes; the line end reveals a transfer that changed line ends
//   HEADER  := JSON, UTF-8: { …, "sections": [{ name, type, offset, bytes, checksum }] }
//   SECTION := the bytes of a typed array, little-endian, or of a JSON text
//
// SECTIONS begin at the first multiple of 64 bytes after the header. Each section begins at a multiple of 64 bytes from
// there; `offset` counts from there. Checksums are CRC-32, over the header's JSON and over each section. segment-file.ts
// defines what the arrays of a segment mean.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import { showValue } from "../../support/options/options.ts";

export const FORMAT_VERSION = 5;

export const MAGIC: Uint8Array = new TextEncoder().encode("SLUICE\r\n");
export const PREFIX_BYTES = 24;
const ALIGNMENT = 64;
/** The most bytes that one system call reads or writes. */
export const CHUNK_BYTES = 1 << 30;

export const TYPES = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;
export type TypeName = keyof typeof TYPES;
export type SectionArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

export interface SectionEntry {
  readonly name: string;
  readonly type: TypeName;
  readonly offset: number;
  readonly bytes: number;
  readonly checksum: number;
}

export type Meta = Readonly<Record<string, unknown>>;

/** The error for a file whose bytes have changed since it was written. */
export function damagedError(path: string, reason: string): SluiceError {
  return new SluiceError(
    `${path}: the file is damaged: ${reason}`,
    "restore it from a copy, or build the index again",
    "ERR_SLUICE_DAMAGED",
  );
}

/** The error for an index that another version of Sluice wrote. `found` may be any JSON. */
export function formatError(where: string, found: unknown, reads: number): SluiceError {
  return new SluiceError(
    `${where}: format ${showValue(found)}; this build reads format ${reads}`,
    formatHint(found, reads),
    "ERR_SLUICE_FORMAT",
  );
}

function formatHint(found: unknown, reads: number): string {
  if (typeof found !== "number") return "restore it from a copy, or build the index again";
  return found > reads
    ? "a newer version of Sluice wrote it: upgrade Sluice, or build the index again"
    : "an older version of Sluice wrote it: build the index again, or search it with that version";
}

export function viewBytes(array: SectionArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

export function sectionType(array: SectionArray): TypeName {
  return (Object.keys(TYPES) as TypeName[]).find((name) => array instanceof TYPES[name])!;
}

export function alignOffset(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}

export function requireLittleEndian(): void {
  const [lowest] = new Uint8Array(Uint32Array.of(1).buffer);
  if (lowest !== 1) throw new SluiceError("index files need a little-endian machine");
}
