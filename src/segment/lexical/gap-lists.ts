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
import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
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

/** Slices that are cut side by side: so few that their columns stay in a processor's cache. */
const SLICES_AT_ONCE = 32;

function cutWindow(rows: Rows, window: Window, perSlice: number): GapLists {
  const { dims, starts } = rows;
  const columns = createSliceColumns(window.docs);
  const writer = new WindowWriter(dims, perSlice);
  const next = starts.slice(window.first, window.first + window.docs); // by lane: its next slot
  for (let from = 0; from < dims; from += SLICES_AT_ONCE) {
    const to = Math.min(dims, from + SLICES_AT_ONCE);
    fillColumns(rows, window, next, to, from, columns);
    for (let slice = from; slice < to; slice++) {
      const [begin, end] = [(slice - from) * window.docs, (slice - from + 1) * window.docs];
      writer.add(columns.indices.subarray(begin, end), columns.values.subarray(begin, end));
    }
  }
  return writer.finish();
}

/** By slice and lane: index and value of the slot. The value of an empty one is 0. */
interface SliceColumns {
  readonly indices: Uint8Array;
  readonly values: Uint16Array;
}

function createSliceColumns(docs: number): SliceColumns {
  return {
    indices: new Uint8Array(SLICES_AT_ONCE * docs),
    values: new Uint16Array(SLICES_AT_ONCE * docs),
  };
}

/** Fills columns with the slots of the slices before `to`, and moves `next` on. */
function fillColumns(
  { starts, slices, indices, values }: Rows,
  { first, docs }: Window,
  next: Uint32Array,
  to: number,
  from: number,
  columns: SliceColumns,
): void {
  columns.values.fill(0);
  for (let lane = 0; lane < docs; lane++) {
    const end = starts[first + lane + 1];
    let slot = next[lane];
    for (; slot < end && slices[slot] < to; slot++) {
      const at = (slices[slot] - from) * docs + lane;
      columns.indices[at] = indices[slot];
      columns.values[at] = values[slot];
    }
    next[lane] = slot;
  }
}

/** Writes the lists of a window, slice by slice. */
class WindowWriter {
  readonly #cells: SliceCells;
  readonly #sliceTops: Uint16Array;
  readonly #sliceLists: Uint32Array;
  #listIndices = new Uint8Array(1024);
  #listTops = new Uint8Array(1024);
  #listStarts = new Uint32Array(1024);
  #bytes = new Uint8Array(65_536);
  #slices = 0;
  #lists = 0;
  #length = 0;

  constructor(dims: number, perSlice: number) {
    this.#cells = createCells(perSlice);
    this.#sliceTops = new Uint16Array(dims);
    this.#sliceLists = new Uint32Array(dims + 1);
  }

  /** The next slice: index and value by lane. */
  add(indices: Uint8Array, values: Uint16Array): void {
    const cells = this.#cells;
    const sliceTop = measureCells(indices, values, cells);
    const top = FLOAT16[sliceTop];
    const perSlice = cells.counts.length;
    this.#listIndices = ensureCapacity(this.#listIndices, this.#lists + perSlice);
    this.#listTops = ensureCapacity(this.#listTops, this.#lists + perSlice);
    this.#listStarts = ensureCapacity(this.#listStarts, this.#lists + perSlice);
    const before = this.#length;
    for (let index = 0; index < perSlice; index++) {
      if (cells.counts[index] === 0) continue;
      this.#listIndices[this.#lists] = index;
      this.#listTops[this.#lists] = codeOf(cells.tops[index], top);
      this.#listStarts[this.#lists++] = this.#length;
      this.#length = beginList(cells, index, this.#length);
    }
    this.#bytes = ensureCapacity(this.#bytes, this.#length).fill(0, before, this.#length);
    writeLists(indices, values, top, cells, this.#bytes);
    this.#sliceTops[this.#slices++] = sliceTop;
    this.#sliceLists[this.#slices] = this.#lists;
  }

  finish(): GapLists {
    return {
      sliceTops: this.#sliceTops,
      sliceLists: this.#sliceLists,
      listIndices: this.#listIndices.slice(0, this.#lists),
      listTops: this.#listTops.slice(0, this.#lists),
      listStarts: this.#listStarts.slice(0, this.#lists),
      gapLists: this.#bytes.slice(0, this.#length),
    };
  }
}

/** Rounded up, so that a sum of codes is never less than the exact one, and a value above 0 never becomes 0. */
function codeOf(value: number, top: number): number {
  return Math.ceil((FLOAT16[value] * MOST_CODE) / top);
}

/** The cells of one slice, by index. */
interface SliceCells {
  /** How many documents it has, and how many postings of value 0 gaps of 4 or 8 bits need. */
  readonly counts: Uint32Array;
  readonly more4: Uint32Array;
  readonly more8: Uint32Array;
  /** The largest value, float16 bits. */
  readonly tops: Uint16Array;
  /** The next free lane. */
  readonly next: Uint32Array;
  /** Bits of a gap; where its list begins; where its codes begin; how many postings were written. */
  readonly bits: Uint8Array;
  readonly starts: Uint32Array;
  readonly codes: Uint32Array;
  readonly written: Uint32Array;
}

function createCells(perSlice: number): SliceCells {
  const [counts, more4, more8, next, starts, codes, written] = Array.from(
    { length: 7 },
    () => new Uint32Array(perSlice),
  );
  const [tops, bits] = [new Uint16Array(perSlice), new Uint8Array(perSlice)];
  return { counts, more4, more8, tops, next, bits, starts, codes, written };
}

/** Counts what the cells of a slice hold. Returns the largest value of the slice. */
function measureCells(indices: Uint8Array, values: Uint16Array, cells: SliceCells): number {
  const { counts, more4, more8, tops, next, written } = cells;
  for (const array of [counts, more4, more8, tops, next, written]) array.fill(0);
  for (let lane = 0; lane < values.length; lane++) {
    const value = values[lane];
    if (value === 0) continue;
    const index = indices[lane];
    const gap = lane - next[index];
    next[index] = lane + 1;
    counts[index]++;
    more4[index] += gap >>> 4;
    more8[index] += gap >>> 8;
    // Bits of positive float16 numbers sort like the numbers.
    if (value > tops[index]) tops[index] = value;
  }
  next.fill(0);
  return tops.reduce((most, top) => Math.max(most, top), 0);
}

/** Chooses the bits of a list's gaps, and makes room for it at `start`. Returns where it ends. */
function beginList({ counts, more4, more8, bits, starts, codes }: SliceCells, index: number, start: number) {
  const [with4, with8] = [counts[index] + more4[index], counts[index] + more8[index]];
  const bytes4 = with4 + gapBytes(with4, 4);
  const [bytes8, bytes16] = [2 * with8, 3 * counts[index]];
  const chosen = bytes4 <= Math.min(bytes8, bytes16) ? 4 : bytes8 <= bytes16 ? 8 : 16;
  const postings = chosen === 4 ? with4 : chosen === 8 ? with8 : counts[index];
  bits[index] = chosen;
  starts[index] = start;
  codes[index] = start + 1 + gapBytes(postings, chosen);
  return codes[index] + postings;
}

function writeLists(
  indices: Uint8Array,
  values: Uint16Array,
  top: number,
  cells: SliceCells,
  bytes: Uint8Array,
): void {
  const { counts, next, bits, starts } = cells;
  for (let index = 0; index < counts.length; index++)
    if (counts[index] > 0) bytes[starts[index]] = bits[index];
  for (let lane = 0; lane < values.length; lane++) {
    const value = values[lane];
    if (value === 0) continue;
    const index = indices[lane];
    const largest = (1 << bits[index]) - 1;
    let gap = lane - next[index];
    next[index] = lane + 1;
    for (; gap > largest; gap -= largest + 1) writePosting(cells, index, largest, 0, bytes);
    writePosting(cells, index, gap, codeOf(value, top), bytes);
  }
}

function writePosting(
  { bits, starts, codes, written }: SliceCells,
  index: number,
  gap: number,
  code: number,
  bytes: Uint8Array,
): void {
  const i = written[index]++;
  bytes[codes[index] + i] = code;
  const gaps = starts[index] + 1;
  if (bits[index] === 8) bytes[gaps + i] = gap;
  else if (bits[index] === 4) bytes[gaps + (i >>> 1)] |= gap << (4 * (i & 1));
  else {
    bytes[gaps + 2 * i] = gap;
    bytes[gaps + 2 * i + 1] = gap >>> 8;
  }
}
