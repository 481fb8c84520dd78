// The metadata of a segment's documents, by field, so that a filter is answered for all of them in one pass over small
// numbers. What a field is and what a filter means is said in ../filter.ts.
//
// A column has a dictionary: its distinct values in order (false, true, numbers, texts by code unit), then its distinct
// lists. A document has the code of an entry, counted from 1; 0 is no value. A test is decided once per entry, for
// values by binary search, since they are in order; documents then look up their code. Entries are parsed when they are
// looked at, so that opening an index with a million addresses parses none of them.
//
//   columns     := HEAD "\n" DICTIONARY*      HEAD is JSON, { docs, columns: [ColumnHead] }
//   DICTIONARY  := JSON of each value, end to end; JSON keeps half of a surrogate pair, which UTF-8 alone would not
//   columnCodes := for each column, from a multiple of 4 bytes:
//     starts:u32 × (values + 1)               where each value begins in its dictionary
//     listStarts:u32 × (lists + 1), elements:u32 × listStarts[lists]      codes of the elements of lists, 0 for null
//     sparse: docs:u32 × present, codes × present        ascending documents that have a value
//     dense:  codes × docs
//
// Codes are one, two or four bytes wide. A column is sparse where that is smaller: objects whose keys are data, such as
// counts by word, make as many columns as there are words, each of a few documents.

/** Metadata as two sections of an index file. */
export interface ColumnsData {
  readonly columns: Uint8Array;
  readonly columnCodes: Uint8Array;
}

export interface ColumnHead {
  readonly name: string;
  /** Of the dictionary, counted from behind the head; and of the arrays. */
  readonly at: { readonly dictionary: number; readonly codes: number };
  readonly booleans: number;
  readonly numbers: number;
  readonly texts: number;
  readonly lists: number;
  /** Documents with a value. */
  readonly present: number;
  readonly sparse: boolean;
}

/** What stands in front of the dictionaries. */
export interface ColumnsHead {
  readonly docs: number;
  readonly columns: readonly ColumnHead[];
}

export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** The narrowest array that holds the codes of so many entries, and 0. */
export function arrayOfCodes(entries: number) {
  return entries < 256 ? Uint8Array : entries < 65_536 ? Uint16Array : Uint32Array;
}
