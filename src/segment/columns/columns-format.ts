// How the metadata of a segment's documents is stored: by field, so that a filter is answered for all documents in one
// pass over small numbers. filter.ts says what a field is and what a filter means.
//
// A column has a dictionary: its distinct values in order (false, true, numbers, texts by code unit), then its distinct
// lists. Each document has the code of a dictionary entry, counted from 1; 0 means no value. A test is decided once for
// each entry, by binary search where it can be, since values are in order. Documents then look up their code. An entry is
// parsed when it is first used, so opening an index with a million addresses parses none of them.
//
//   columns     := HEAD "\n" DICTIONARY*      HEAD is JSON, { docs, columns: [ColumnHead] }
//   DICTIONARY  := JSON of each value, end to end; JSON keeps half a surrogate pair, and UTF-8 alone would not
//   columnCodes := for each column, from a multiple of 4 bytes:
//     starts:u32 × (values + 1)               where each value begins in its dictionary
//     listStarts:u32 × (lists + 1), elements:u32 × listStarts[lists]      codes of the elements of lists, 0 for null
//     sparse: docs:u32 × present, codes × present        the documents that have a value, ascending
//     dense:  codes × docs
//
// Codes are one, two or four bytes wide. A column is sparse if that is smaller. Objects whose keys are data, such as
// counts by word, make as many columns as there are words, each with a few documents.

/** Metadata as two sections of an index file. */
export interface ColumnsData {
  readonly columns: Uint8Array;
  readonly columnCodes: Uint8Array;
}

export interface ColumnHead {
  readonly name: string;
  /** Byte offsets: of the dictionary, from the end of the head; and of the column's arrays in `columnCodes`. */
  readonly at: { readonly dictionary: number; readonly codes: number };
  readonly booleans: number;
  readonly numbers: number;
  readonly texts: number;
  readonly lists: number;
  /** Documents with a value. */
  readonly present: number;
  readonly sparse: boolean;
}

/** The head of the `columns` section. */
export interface ColumnsHead {
  readonly docs: number;
  readonly columns: readonly ColumnHead[];
}

export type ColumnCodes = Uint8Array | Uint16Array | Uint32Array;

/** The narrowest array type that holds the codes of this many entries, and 0. */
export function codeArrayType(entries: number) {
  return entries < 256 ? Uint8Array : entries < 65_536 ? Uint16Array : Uint32Array;
}
