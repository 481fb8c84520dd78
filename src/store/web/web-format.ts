// The format of an export, an index as plain files for pages: `sluice export-web` writes it, `sluice/browser` reads it.
//
//   manifest.json                          { format, version, checksum, index }; names all other files
//   parts/NAME.N.CHECKSUM.bin              piece N of an array
//   documents/NNNNNN.CHECKSUM.bin          neighboring documents, as lines of JSON
//
// A part is at most 16 MiB. It is deflated (RFC 1951) if `stored` is less than `bytes`. Names contain the CRC-32 of the file, so a
// page never gets an outdated copy from a cache.

import type { TypeName } from "../../segment/container/container-format.ts";
import type { CodeOptions } from "../../segment/layout.ts";
import type { SegmentMeta } from "../../segment/segment.ts";
import type { ExportedFields } from "./exported-fields.ts";
import type { IndexMeta } from "./index-meta.ts";

export const WEB_FORMAT = "sluice-web";
export const WEB_VERSION = 4;
export const MANIFEST_FILE = "manifest.json";

/** The most bytes of a part: servers and caches handle files of this size well. */
export const PART_BYTES = 16 * 2 ** 20;

/** @internal */
export interface Manifest {
  readonly format: typeof WEB_FORMAT;
  readonly version: number;
  /** The CRC-32 of the JSON of `index`. Exports with equal checksums are equal. */
  readonly checksum: string;
  readonly index: WebIndex;
}

/** @internal */
export interface WebIndex extends IndexMeta {
  readonly generation: number;
  /** The only segment. None of its documents is deleted. */
  readonly segment: SegmentMeta;
  readonly documents: ExportedFields;
  readonly quantize?: CodeOptions;
  /** Bytes of all files except the manifest. */
  readonly bytes: number;
  readonly sections: readonly WebSection[];
}

/** An array: a section of a segment, or `terms`, `sliceTable`, `documentFrequencies`, DOCUMENT_SECTIONS and ENCODER_SECTIONS. */
export interface WebSection {
  readonly name: string;
  readonly type: TypeName;
  readonly bytes: number;
  readonly parts: readonly WebPart[];
}

export interface WebPart {
  readonly bytes: number;
  /** Bytes of the file; fewer than `bytes` if it is deflated. */
  readonly stored: number;
  /** The CRC-32 of the file. */
  readonly checksum: number;
}

/** The files of a static encoder, with which a page encodes its queries: the table, and the pieces. */
export const ENCODER_SECTIONS = { table: "encoder.table", pieces: "encoder.pieces" } as const;

/** By file of documents: its first document (and once more at the end, how many there are), and the fields of a WebPart. */
export const DOCUMENT_SECTIONS = {
  starts: "documents.starts",
  bytes: "documents.bytes",
  stored: "documents.stored",
  checksums: "documents.checksums",
} as const;

export function partFile(section: string, number: number, { checksum }: WebPart): string {
  return `parts/${section}.${number}.${hexadecimal(checksum)}.bin`;
}

export function documentsFile(number: number, { checksum }: WebPart): string {
  return `documents/${String(number).padStart(6, "0")}.${hexadecimal(checksum)}.bin`;
}

export function hexadecimal(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}
