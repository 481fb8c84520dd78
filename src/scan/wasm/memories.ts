// The arrays of a layout → WebAssembly memories, with scratch memory for each thread. A memory ends at 4 GiB, so there may
// be several; each window lies in one of them.

import { codeBytes } from "../../segment/codes/code-shape.ts";
import { tableBytes } from "../../segment/codes/product-codes.ts";
import type { LayoutArray, LayoutMeta } from "../../segment/layout.ts";
import { GAP_DIRECTORY, type GapDirectory, requireGapDirectory } from "../../segment/lexical/gap-lists.ts";
import { type Levels, MOST_LEVELS } from "../../segment/lexical/levels.ts";
import { padDocs, splitIntoWindows } from "../../segment/rows/windows.ts";
import { Turns } from "../../support/work/turns.ts";
import { Arena, alignedBytes, LARGEST_ARENA_BYTES } from "../../wasm/arena.ts";
import type { LayoutSource } from "./layout-source.ts";
import { PostingsPlacer } from "./place-postings.ts";

/** Scratch memory for a query's work on a window: addresses. Each thread has its own. */
interface Scratch {
  /** Lexical sums: int32 a document. Zero between queries. */
  readonly acc: number;
  /** Upper bounds on scores: float32 a document. */
  readonly sums: number;
  /** The lanes of listed documents: room for uint32 a document. */
  readonly lanes: number;
  /** Room for the k-th largest: float32 a document. */
  readonly heap: number;
  /** The documents that may be found: a bit a document. */
  readonly bits: number;
  /** The query's vector: int16 a semantic dimension. */
  readonly vector: number;
  /** What each code of a posting adds: four bytes a code. */
  readonly weights: number;
  /** The value of each code, or its share of the largest value of a list: float64. */
  readonly codeValues: number;
  /** The query's look-up tables for product codes or sketches. */
  readonly tables: number;
  /** Estimates by sketches, if the vectors have them: float32 a document. */
  readonly estimates: number;
  /** The query's vector before and after rotation, if vectors are rotated: twice float32 a dimension. */
  readonly rotated: number;
  /** The lexical part of each sum, if whole vectors are in memory: float32 a document. */
  readonly terms: number;
  /** The query's vector, if whole vectors are in memory: float32 a dimension. */
  readonly query: number;
  /** Exact products, if whole vectors are in memory: float64 for `DOTS_AT_ONCE` documents. */
  readonly dots: number;
  /** The value of each level, if postings have levels: float64, or −1 if other values share the level. */
  readonly levelValues: number;
  /** Exact sums of terms, if postings have levels: float64 for `SUMS_AT_ONCE` documents. */
  readonly exactSums: number;
  /** Postings whose level does not say their value, if postings have levels: twice int32 for `SUMS_AT_ONCE` documents. */
  readonly notes: number;
}

/** A layout in memory. */
export interface Placement {
  readonly docs: number;
  readonly dims: number;
  readonly meta: LayoutMeta;
  /** Arrays that TypeScript reads, not kernels. */
  readonly arrays: Readonly<Record<string, LayoutArray>>;
  /** The values that the codes of postings mean. Without levels, a code is a share of the largest value of its list. */
  readonly levels: Levels | undefined;
  /** The dimensions of the whole vectors, float16, if they are in memory instead of the last plane; else 0. */
  readonly vectorDims: number;
  readonly memories: readonly {
    readonly memory: WebAssembly.Memory;
    /** By thread; the last is for the thread that starts a search. */
    readonly scratch: readonly Scratch[];
  }[];
  readonly windows: readonly {
    readonly first: number;
    readonly docs: number;
    /** The number of its memory. */
    readonly memory: number;
    /** By section: the address of this window's part. */
    readonly address: Readonly<Record<string, number>>;
  }[];
}

/** A window as one thread sees it: with the thread's kernels and scratch memory. */
export interface LoadedWindow {
  /** Which window of its segment it is. */
  readonly number: number;
  readonly first: number;
  readonly docs: number;
  readonly arena: Arena;
  readonly scratch: Scratch;
  readonly address: Readonly<Record<string, number>>;
}

export interface PlaceOptions {
  /** Bytes of one WebAssembly memory, at most 4 GiB. */
  readonly arenaBytes?: number;
  /** How many threads will work on the windows. With more than one, the memories are shared. */
  readonly threads?: number;
  /** Reserves memory for whole vectors, which then replace the last of several planes. `loadVectors` of the scanner reads them. */
  readonly reservesVectors?: boolean;
}

/** Documents per call of the kernel for exact products; a larger number takes more scratch memory. */
export const DOTS_AT_ONCE = 256;

/** Documents per call of the kernel for exact sums of terms; a larger number takes more scratch memory. */
export const SUMS_AT_ONCE = 1024;

/** The section of the whole vectors. It is not part of a layout. */
export const VECTORS = "semantic";

/** By large section: where a window's bytes begin, and how many there are. */
type Extents = Record<string, { readonly offset: number; readonly bytes: number }>;

/** Reads a layout into memories. Whole vectors are left out: `placeVectors` reads them. */
export async function placeLayout(source: LayoutSource, options: PlaceOptions = {}): Promise<Placement> {
  const { arenaBytes = LARGEST_ARENA_BYTES, threads = 1, reservesVectors = false } = options;
  const vectorDims =
    reservesVectors && (source.meta.semantic?.widths.length ?? 0) > 1 ? source.semanticDims : 0;
  const postings = await PostingsPlacer.open(source);
  const ranges = splitIntoWindows(source.docs, source.meta.windowDocs);
  const extents = measureWindows(source, vectorDims, postings?.arrays.cellStarts);
  const work = scratchSizes(source, vectorDims, padDocs(ranges[0]?.docs ?? 0));
  const workers = threads > 1 ? threads + 1 : 1; // the thread that starts a search also works, on single documents
  const workBytes = workers * work.reduce((sum, [, bytes]) => sum + alignedBytes(bytes), 0);
  const sizes = extents.map((extent) =>
    Object.values(extent).reduce((sum, { bytes }) => sum + alignedBytes(bytes), 0),
  );
  const memories: Placement["memories"][number][] = [];
  const windows: Placement["windows"][number][] = [];
  const turns = new Turns();
  for (let from = 0; from < ranges.length; ) {
    let [to, bytes] = [from + 1, workBytes + sizes[from]];
    while (to < ranges.length && bytes + sizes[to] <= arenaBytes) bytes += sizes[to++];
    const arena = new Arena(bytes, threads > 1);
    const scratch = Array.from({ length: workers }, () => allocateAll(arena, work));
    for (let w = from; w < to; w++) {
      const address = allocateAll(
        arena,
        Object.entries(extents[w]).map(([name, { bytes }]) => [name, bytes]),
      );
      for (const [name, { offset, bytes }] of Object.entries(extents[w])) {
        if (isPlacedLater(name)) continue;
        if (turns.isDue) await turns.next();
        await source.readInto(name, offset, arena.view(Uint8Array, address[name], bytes));
      }
      if (postings) {
        const lanes = arena.view(Uint16Array, address.postingDocs, extents[w].postingCodes.bytes);
        const codes = arena.view(Uint8Array, address.postingCodes, lanes.length);
        await postings.place(w, lanes, codes, turns);
      }
      windows.push({ ...ranges[w], memory: memories.length, address });
    }
    memories.push({ memory: arena.memory, scratch });
    from = to;
  }
  const { docs, dims, meta } = source;
  const arrays = { ...postings?.arrays, ...(await readSmallArrays(source)) };
  if (threads > 1) replaceByShared(arrays);
  return { docs, dims, meta, arrays, levels: postings?.levels(), vectorDims, memories, windows };
}

/** Reads whole vectors into the memory reserved for them. A query without a vector does not need them. */
export async function placeVectors(
  { readInto }: LayoutSource,
  { vectorDims }: Placement,
  windows: readonly LoadedWindow[],
) {
  const turns = new Turns();
  for (const { first, docs, arena, address } of windows) {
    if (turns.isDue) await turns.next();
    await readInto(
      VECTORS,
      first * vectorDims * 2,
      arena.view(Uint8Array, address[VECTORS], docs * vectorDims * 2),
    );
  }
}

/** The windows as thread number `thread` sees them. */
export function viewWindows({ memories, windows }: Placement, thread: number): LoadedWindow[] {
  const arenas = memories.map(({ memory }) => new Arena(memory));
  return windows.map(({ first, docs, memory, address }, number) => {
    return { number, first, docs, address, arena: arenas[memory], scratch: memories[memory].scratch[thread] };
  });
}

/** Whether `placeVectors` or `postings.place` fills an array, not the copy from the file. */
function isPlacedLater(name: string): boolean {
  return name === VECTORS || name === "postingDocs" || name === "postingCodes";
}

/** The arrays that TypeScript reads, with all windows in one. The arrays of posting lists are unpacked elsewhere. */
async function readSmallArrays({ meta, array }: LayoutSource): Promise<Record<string, LayoutArray>> {
  const names = [
    ...(meta.lexical.kind === "inverted" ? [] : GAP_DIRECTORY),
    ...(meta.semantic?.sketch ? ["sketchBooks"] : []),
    ...(meta.quantized ? ["codebooks"] : []),
  ];
  const arrays = await Promise.all(names.map((name) => array(name)));
  const found = Object.fromEntries(names.map((name, i) => [name, arrays[i]]));
  if (meta.lexical.kind === "gaps") requireGapDirectory(found as unknown as GapDirectory, meta.lexical);
  return found;
}

/** Replaces each array of `arrays`, in place, by a copy that threads can share. */
function replaceByShared(arrays: Record<string, LayoutArray>): void {
  for (const [name, array] of Object.entries(arrays)) arrays[name] = copyToShared(array);
}

function copyToShared(array: LayoutArray): LayoutArray {
  const Type = array.constructor as new (buffer: SharedArrayBuffer) => LayoutArray;
  const copy = new Type(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}

function allocateAll<Name extends string>(
  arena: Arena,
  sizes: readonly [Name, number][],
): Record<Name, number> {
  return Object.fromEntries(sizes.map(([name, bytes]) => [name, arena.allocate(bytes)])) as Record<
    Name,
    number
  >;
}

function scratchSizes({ meta }: LayoutSource, vectorDims: number, docs: number): [keyof Scratch, number][] {
  const sketch = meta.semantic?.sketch;
  const vectors = meta.semantic?.widths.reduce((sum, width) => sum + width, 0) ?? 0;
  const lists = meta.lexical.kind === "inverted" ? 1 : 0;
  return [
    ["acc", docs * 4],
    ["sums", docs * 4],
    ["lanes", docs * 4],
    ["heap", docs * 4],
    ["bits", Math.ceil(docs / 32) * 4],
    ["vector", vectors * 2],
    ["weights", MOST_LEVELS * 4],
    ["tables", Math.max(...[meta.quantized, sketch].map((shape) => (shape ? tableBytes(shape) : 0)))],
    ["estimates", sketch ? docs * 4 : 0],
    ["rotated", meta.semantic?.rotated ? 2 * vectors * 4 : 0],
    ["terms", vectorDims > 0 ? docs * 4 : 0],
    ["query", vectorDims * 4],
    ["dots", vectorDims > 0 ? DOTS_AT_ONCE * 8 : 0],
    ["codeValues", lists * MOST_LEVELS * 8],
    ["levelValues", lists * MOST_LEVELS * 8],
    ["exactSums", lists * SUMS_AT_ONCE * 8],
    ["notes", lists * SUMS_AT_ONCE * 8],
  ];
}

function measureWindows(
  { docs, meta }: LayoutSource,
  vectorDims: number,
  cellStarts: Uint32Array | undefined,
): Extents[] {
  const { lexical, semantic } = meta;
  let padded = 0;
  return splitIntoWindows(docs, meta.windowDocs).map((window, w) => {
    const extents: Extents = {};
    const width = padDocs(window.docs);
    if (lexical.kind === "inverted") {
      const [from, to] = [cellStarts![lexical.windowCells[w]], cellStarts![lexical.windowCells[w + 1]]];
      // They are unpacked from a section of their own, so they have no offset.
      extents.postingDocs = { offset: 0, bytes: (to - from) * 2 };
      extents.postingCodes = { offset: 0, bytes: to - from };
    } else {
      const [from, to] = [lexical.windowBytes[w], lexical.windowBytes[w + 1]];
      extents.gapLists = { offset: from, bytes: to - from };
    }
    if (semantic) {
      const all = semantic.widths.reduce((sum, planeWidth) => sum + planeWidth, 0);
      const planes = semantic.widths.length;
      const read = vectorDims > 0 ? all - semantic.widths[planes - 1] : all;
      extents.planes = { offset: padded * all, bytes: width * read };
      if (vectorDims > 0) {
        extents[VECTORS] = { offset: window.first * vectorDims * 2, bytes: window.docs * vectorDims * 2 };
      }
      extents.planeScales = { offset: padded * planes * 2, bytes: width * planes * 2 };
      if (semantic.sketch) {
        const bytes = codeBytes(semantic.sketch);
        extents.sketchCodes = { offset: padded * bytes, bytes: width * bytes };
        extents.sketchStretch = { offset: padded * 4, bytes: width * 4 };
        extents.sketchMissed = { offset: padded * 2, bytes: width * 2 };
      }
      // One matrix for all windows, in the memory of the first.
      if (semantic.rotated && w === 0) extents.rotation = { offset: 0, bytes: all * all * 4 };
      extents.planeTails = { offset: padded * (planes - 1) * 2, bytes: width * (planes - 1) * 2 };
    }
    if (meta.quantized) {
      const bytes = codeBytes(meta.quantized);
      extents.codes = { offset: padded * bytes, bytes: width * bytes };
    }
    padded += width;
    return extents;
  });
}
