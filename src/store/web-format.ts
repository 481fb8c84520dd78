// An index as a folder of plain files, for pages: what `sluice export-web` writes and `sluice/browser` reads.
//
//   manifest.json                          { format, version, checksum, index }; the rest is named there
//   parts/NAME.N.CHECKSUM.bin              piece N of an array
//   documents/NNNNNN.CHECKSUM.bin          documents that stand together, as lines of JSON
//
// A part is at most 16 MiB, and deflated (RFC 1951) where that makes it smaller: it is shorter than it says then. Names
// carry the CRC-32 of what is in the file, so that a copy some cache has kept is either the right one or never asked for.

import type { ExportedFields } from "../documents/field-choice.ts";
import type { TypeName } from "../segment/container-format.ts";
import type { SegmentMeta } from "../segment/segment.ts";
import type { Quantize } from "../segment/stored-layout.ts";
import type { IndexMeta } from "./index-meta.ts";

export const WEB_FORMAT = "sluice-web";
export const WEB_VERSION = 1;
export const MANIFEST_FILE = "manifest.json";

/** What servers and caches like: nothing is larger. */
export const PART_BYTES = 16 * 2 ** 20;

/** @internal */
export interface Manifest {
  readonly format: typeof WEB_FORMAT;
  readonly version: number;
  /** The CRC-32 of the JSON of `index`; two exports with the same one hold the same. */
  readonly checksum: string;
  readonly index: WebIndex;
}

/** @internal */
export interface WebIndex extends IndexMeta {
  readonly generation: number;
  /** All documents are in one segment; none of them is deleted. */
  readonly segment: SegmentMeta;
  readonly documents: ExportedFields;
  readonly quantize?: Quantize;
  /** Of all files but the manifest. */
  readonly bytes: number;
  readonly sections: readonly WebSection[];
}

/** An array. Beside those of a segment: `terms`, `sliceTable`, `documentFrequencies`, DOCUMENT_SECTIONS and ENCODER_SECTIONS. */
export interface WebSection {
  readonly name: string;
  readonly type: TypeName;
  readonly bytes: number;
  readonly parts: readonly WebPart[];
}

export interface WebPart {
  readonly bytes: number;
  /** Bytes of the file; fewer than `bytes` where it is deflated. */
  readonly stored: number;
  /** The CRC-32 of the file. */
  readonly checksum: number;
}

/** The files of a static encoder, with which a page encodes its queries: the table, and the pieces. */
export const ENCODER_SECTIONS = { table: "encoder.table", pieces: "encoder.pieces" } as const;

/** By part of the documents: its first document (and, at the end, how many there are), and what a WebPart says. */
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
