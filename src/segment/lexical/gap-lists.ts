// Rows → posting lists of bytes, the layout for rows with most slots filled (DeLADE). A posting is a gap, which is how far its
// lane is above the next free one, and a code, its value as a share of the largest value of its slice. A gap takes 4, 8 or 16
// bits in all of a list, whichever makes the list shortest: about two bytes a posting. Lists are the same on disk and in
// memory: a scan reads them as they are.
//
//   LIST := bits:u8 GAP… CODE…          a gap and a code for each posting; a list of 4 bits ends its gaps with a whole byte
//
// A gap that needs more bits is cut up by postings of value 0, which add nothing: with 8 bits, 300 lanes without a posting are
// (255, 0) (44, code).

import type { Rows } from "../../densify/rows.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { damagedSegmentError } from "../container/segment-error.ts";
import { splitIntoWindows, type Window } from "../rows/windows.ts";

/** What the header says about the lists of a segment. */
export interface GapListSizes {
  /** How many lists there are. */
  readonly lists: number;
  /** By window, and once more at the end: where its lists begin in `gapLists`. */
  readonly windowBytes: readonly number[];
}

/** Says where each list is, and the most that it can add. */
export interface GapDirectory {
  /** By window and slice: the largest value, float16 bits. */
  readonly sliceTops: Uint16Array;
  /** By window and slice, and once more at the end: the number of its first list. */
  readonly sliceLists: Uint32Array;
  /** By list: the index of its cell, ascending in a slice. */
  readonly listIndices: Uint8Array;
  /** By list: its largest code. */
  readonly listTops: Uint8Array;
  /** By list: where it begins in its window. */
  readonly listStarts: Uint32Array;
}

export interface GapLists extends GapDirectory {
  /** By window and list. */
  readonly gapLists: Uint8Array;
}

/** The sections of `GapDirectory`. */
export const GAP_DIRECTORY = ["sliceTops", "sliceLists", "listIndices", "listTops", "listStarts"] as const;

export const GAP_SECTIONS = [...GAP_DIRECTORY, "gapLists"] as const;

/** The largest code of a value. */
export const MOST_CODE = 255;

/** The indices that a list can have: those of a byte. */
export const MOST_GAP_INDICES = 256;

export interface GapPosting {
  readonly lane: number;
  readonly code: number;
}

/** The postings of a list: the definition that the kernel is tested against. Throws if no writer writes such a list. */
export function readGapList(list: Uint8Array, docs: number): GapPosting[] {
  const bits = list[0];
  const bytes = list.length - 1;
  const count =
    bits === 4 ? Math.floor((2 * bytes) / 3) : bits === 8 ? bytes / 2 : bits === 16 ? bytes / 3 : 0;
  if (count < 1 || 1 + gapBytes(count, bits) + count !== list.length) throw unreadableGapsError();
  const postings: GapPosting[] = [];
  for (let i = 0, next = 0; i < count; i++) {
    const byte = 1 + ((i * bits) >>> 3);
    const gap =
      bits === 4
        ? (list[byte] >>> (4 * (i & 1))) & 15
        : bits === 8
          ? list[byte]
          : list[byte] + 256 * list[byte + 1];
    const lane = next + gap;
    if (lane >= docs) throw unreadableGapsError();
    const code = list[list.length - count + i];
    if (code > 0) postings.push({ lane, code });
    next = lane + 1;
  }
  return postings;
}

export function unreadableGapsError(): Error {
  return damagedSegmentError("a posting list of gaps cannot be read");
}

/** Throws if a list would lie outside of its window, or a slice outside of the lists. Do it before lists are read. */
export function requireGapDirectory(
  { sliceLists, listStarts }: GapDirectory,
  { lists, windowBytes }: GapListSizes,
): void {
  const windows = windowBytes.length - 1;
  const dims = windows > 0 ? (sliceLists.length - 1) / windows : 0;
  let isSound = sliceLists[0] === 0 && sliceLists[windows * dims] === lists;
  for (let i = 1; i < sliceLists.length; i++) if (sliceLists[i] < sliceLists[i - 1]) isSound = false;
  for (let w = 0; isSound && w < windows; w++) {
    const bytes = windowBytes[w + 1] - windowBytes[w];
    let before = 0;
    for (let list = sliceLists[w * dims]; list < sliceLists[(w + 1) * dims]; list++) {
      if (listStarts[list] < before || listStarts[list] > bytes) isSound = false;
      before = listStarts[list];
    }
  }
  if (!isSound) throw damagedSegmentError("its lists of gaps are out of range");
}

/** Says what is wrong with the lists; undefined if nothing is. Reads all of them. */
export function findGapProblem(
  { gapLists, ...directory }: GapLists,
  sizes: GapListSizes,
  docs: number,
  windowDocs?: number,
): string | undefined {
  requireGapDirectory(directory, sizes);
  const { sliceLists, listIndices, listTops, listStarts } = directory;
  const windows = splitIntoWindows(docs, windowDocs);
  const dims = windows.length > 0 ? (sliceLists.length - 1) / windows.length : 0;
  for (const [w, { docs: own }] of windows.entries()) {
    const lists = gapLists.subarray(sizes.windowBytes[w], sizes.windowBytes[w + 1]);
    const end = sliceLists[(w + 1) * dims];
    for (let slice = w * dims; slice < (w + 1) * dims; slice++) {
      for (let list = sliceLists[slice]; list < sliceLists[slice + 1]; list++) {
        if (list > sliceLists[slice] && listIndices[list] <= listIndices[list - 1])
          return "its lists of gaps are out of order";
        const to = list + 1 < end ? listStarts[list + 1] : lists.length;
        const postings = readGapList(lists.subarray(listStarts[list], to), own);
        if (postings.reduce((most, { code }) => Math.max(most, code), 0) !== listTops[list])
          return "a list of gaps has another largest value than its directory says";
      }
    }
  }
  return undefined;
}

/** Rows whose indices are below `MOST_GAP_INDICES` → lists. */
export function cutIntoGapLists(rows: Rows, windowDocs?: number): { sizes: GapListSizes; arrays: GapLists } {
  const windows = splitIntoWindows(rows.docs, windowDocs);
  let perSlice = 1;
  for (const index of rows.indices) perSlice = Math.max(perSlice, index + 1);
  const made = windows.map((window) => cutWindow(rows, window, perSlice));
  const windowBytes = [0];
  for (const { gapLists } of made) windowBytes.push(windowBytes[windowBytes.length - 1] + gapLists.length);
  const lists = made.reduce((sum, { listTops }) => sum + listTops.length, 0);
  const arrays = {
    sliceTops: new Uint16Array(windows.length * rows.dims),
    sliceLists: new Uint32Array(windows.length * rows.dims + 1),
    listIndices: new Uint8Array(lists),
    listTops: new Uint8Array(lists),
    listStarts: new Uint32Array(lists),
    gapLists: new Uint8Array(windowBytes[windows.length]),
  };
  let before = 0;
  for (const [w, own] of made.entries()) {
    arrays.sliceTops.set(own.sliceTops, w * rows.dims);
    for (let slice = 0; slice <= rows.dims; slice++)
      arrays.sliceLists[w * rows.dims + slice] = before + own.sliceLists[slice];
    arrays.listIndices.set(own.listIndices, before);
    arrays.listTops.set(own.listTops, before);
    arrays.listStarts.set(own.listStarts, before);
    arrays.gapLists.set(own.gapLists, windowBytes[w]);
    before += own.listTops.length;
  }
  return { sizes: { lists, windowBytes }, arrays };
}

/** How many bytes gaps take. */
function gapBytes(count: number, bits: number): number {
  return Math.ceil((count * bits) / 8);
}

function cutWindow(rows: Rows, window: Window, perSlice: number): GapLists {
  const { sliceTops, ...cells } = measureCells(rows, window, perSlice);
  const sliceLists = new Uint32Array(rows.dims + 1);
  const filled = cells.counts.reduce((sum, count) => sum + Number(count > 0), 0);
  const [listIndices, listTops] = [new Uint8Array(filled), new Uint8Array(filled)];
  const listStarts = new Uint32Array(filled);
  const writer = new GapWriter(cells.counts.length);
  for (let slice = 0, list = 0; slice < rows.dims; slice++) {
    const top = FLOAT16[sliceTops[slice]];
    for (let index = 0; index < perSlice; index++) {
      const cell = slice * perSlice + index;
      if (cells.counts[cell] === 0) continue;
      listIndices[list] = index;
      listTops[list] = codeOf(cells.tops[cell], top);
      listStarts[list] = writer.begin(cell, cells.counts[cell], cells.more4[cell], cells.more8[cell]);
      list++;
    }
    sliceLists[slice + 1] = list;
  }
  writer.allocate();
  const { starts, slices, indices, values } = rows;
  const tops = Float64Array.from(sliceTops, (top) => FLOAT16[top]);
  for (let lane = 0; lane < window.docs; lane++) {
    const local = window.first + lane;
    for (let i = starts[local]; i < starts[local + 1]; i++)
      writer.add(slices[i] * perSlice + indices[i], lane, codeOf(values[i], tops[slices[i]]));
  }
  return { sliceTops, sliceLists, listIndices, listTops, listStarts, gapLists: writer.bytes };
}

/** Rounded up, so that a sum of codes is never less than the exact one, and a value above 0 never becomes 0. */
function codeOf(value: number, top: number): number {
  return Math.ceil((FLOAT16[value] * MOST_CODE) / top);
}

/** By cell of a window: how many documents it has, its largest value, and how many postings of value 0 its gaps need. */
function measureCells({ starts, slices, indices, values, dims }: Rows, window: Window, perSlice: number) {
  const cells = dims * perSlice;
  const [counts, more4, more8] = [new Uint32Array(cells), new Uint32Array(cells), new Uint32Array(cells)];
  const tops = new Uint16Array(cells);
  const sliceTops = new Uint16Array(dims);
  const next = new Uint32Array(cells);
  for (let lane = 0; lane < window.docs; lane++) {
    const local = window.first + lane;
    for (let i = starts[local]; i < starts[local + 1]; i++) {
      const cell = slices[i] * perSlice + indices[i];
      const gap = lane - next[cell];
      next[cell] = lane + 1;
      counts[cell]++;
      more4[cell] += gap >>> 4;
      more8[cell] += gap >>> 8;
      // Bits of positive float16 numbers sort like the numbers.
      if (values[i] > tops[cell]) tops[cell] = values[i];
      if (values[i] > sliceTops[slices[i]]) sliceTops[slices[i]] = values[i];
    }
  }
  return { counts, more4, more8, tops, sliceTops };
}

/** Writes the lists of a window. All of them are begun, in order, before postings are added, document by document. */
class GapWriter {
  bytes = new Uint8Array(0);
  #length = 0;
  /** By cell: bits of a gap; where its gaps begin; where its next code goes; how many postings were added; the next free lane. */
  readonly #bits: Uint8Array;
  readonly #gaps: Uint32Array;
  readonly #codes: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #next: Uint32Array;

  constructor(cells: number) {
    this.#bits = new Uint8Array(cells);
    this.#gaps = new Uint32Array(cells);
    this.#codes = new Uint32Array(cells);
    this.#counts = new Uint32Array(cells);
    this.#next = new Uint32Array(cells);
  }

  /** Makes room for a list, and returns where it begins. `more4` and `more8`: postings of value 0 that 4 or 8 bits need. */
  begin(cell: number, count: number, more4: number, more8: number): number {
    const [with4, with8] = [count + more4, count + more8];
    const bytes4 = with4 + gapBytes(with4, 4);
    const [bytes8, bytes16] = [2 * with8, 3 * count];
    const bits = bytes4 <= Math.min(bytes8, bytes16) ? 4 : bytes8 <= bytes16 ? 8 : 16;
    const postings = bits === 4 ? with4 : bits === 8 ? with8 : count;
    const start = this.#length;
    this.#bits[cell] = bits;
    this.#gaps[cell] = start + 1;
    this.#codes[cell] = start + 1 + gapBytes(postings, bits);
    this.#length = this.#codes[cell] + postings;
    return start;
  }

  allocate(): void {
    this.bytes = new Uint8Array(this.#length);
    for (const [cell, bits] of this.#bits.entries()) if (bits > 0) this.bytes[this.#gaps[cell] - 1] = bits;
  }

  add(cell: number, lane: number, code: number): void {
    const largest = 2 ** this.#bits[cell] - 1;
    let gap = lane - this.#next[cell];
    for (; gap > largest; gap -= largest + 1) this.#put(cell, largest, 0);
    this.#put(cell, gap, code);
    this.#next[cell] = lane + 1;
  }

  #put(cell: number, gap: number, code: number): void {
    const { bytes } = this;
    const bits = this.#bits[cell];
    const i = this.#counts[cell]++;
    const at = this.#gaps[cell] + ((i * bits) >>> 3);
    if (bits === 4) bytes[at] |= gap << (4 * (i & 1));
    else bytes[at] = gap;
    if (bits === 16) bytes[at + 1] = gap >>> 8;
    bytes[this.#codes[cell]++] = code;
  }
}
