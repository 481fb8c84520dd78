// The arrays of a layout → WebAssembly memories, with scratch memory for each thread. A memory ends at 4 GiB, so there may
// be several; each window lies in one of them.

import { codeBytes } from "../../segment/code-shape.ts";
import type { LayoutArray, LayoutMeta } from "../../segment/layout.ts";
import { type Levels, LevelsBuilder, MOST_LEVELS } from "../../segment/levels.ts";
import { valueCodes } from "../../segment/postings.ts";
import { tableBytes } from "../../segment/product-codes.ts";
import { slicesBytes } from "../../segment/slices.ts";
import { paddedDocs, windowsOf } from "../../segment/windows.ts";
import { Turns } from "../../support/turns.ts";
import { Arena, alignedBytes, LARGEST_ARENA_BYTES } from "../../wasm/arena.ts";

/** What a layout is read from: a file, or memory. */
export interface LayoutSource {
  readonly docs: number;
  readonly dims: number;
  readonly semanticDims: number;
  readonly meta: LayoutMeta;
  /** A whole section. */
  array(name: string): Promise<LayoutArray>;
  /** Fills the target with bytes of a section, from `offset` on. */
  readInto(name: string, offset: number, target: Uint8Array): Promise<void>;
}

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
  /** The query's slots: 16 bytes a slice. */
  readonly slots: number;
  /** What each code of a posting adds: four bytes a code. */
  readonly weights: number;
  /** The query's look-up tables for product codes or sketches. */
  readonly tables: number;
  /** Estimates by sketches, if the vectors have them: float32 a document. */
  readonly estimates: number;
  /** The query's vector before and after rotation, if vectors are rotated: twice float32 a dimension. */
  readonly rotated: number;
  /** If whole vectors are in memory: the lexical part of each sum, float32 a document; */
  readonly terms: number;
  /** the query's vector, float32 a dimension; */
  readonly query: number;
  /** exact products, float64 for `DOTS_AT_ONCE` documents. */
  readonly dots: number;
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
export interface PlacedWindow {
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
  /** Reserves memory for whole vectors, which then replace the last of several planes. `withVectors` of the scanner reads them. */
  readonly vectors?: boolean;
}

/** Documents per call of the kernel for exact products; a larger number takes more scratch memory. */
export const DOTS_AT_ONCE = 256;

/** The section of the whole vectors. It is not part of a layout. */
export const VECTORS = "semantic";

/** Postings read at a time; a longer list is read whole. A larger number takes more memory while an index is opened. */
const BLOCK_POSTINGS = 65_536;

/** By large section: where a window's bytes begin, and how many there are. */
type Extents = Record<string, { readonly offset: number; readonly bytes: number }>;

/** Reads a layout into memories. Whole vectors are left out: `placeVectors` reads them. */
export async function placeLayout(source: LayoutSource, options: PlaceOptions = {}): Promise<Placement> {
  const { arenaBytes = LARGEST_ARENA_BYTES, threads = 1, vectors = false } = options;
  const vectorDims = vectors && (source.meta.semantic?.widths.length ?? 0) > 1 ? source.semanticDims : 0;
  const arrays = await readSmallArrays(source, threads > 1);
  const ranges = windowsOf(source.docs, source.meta.windowDocs);
  const extents = extentsOf(source, vectorDims, arrays.cellStarts as Uint32Array | undefined);
  const work = scratchSizes(source, vectorDims, paddedDocs(ranges[0]?.docs ?? 0));
  const workers = threads > 1 ? threads + 1 : 1; // the thread that starts a search also works, on single documents
  const workBytes = workers * work.reduce((sum, [, bytes]) => sum + alignedBytes(bytes), 0);
  const sizes = extents.map((extent) =>
    Object.values(extent).reduce((sum, { bytes }) => sum + alignedBytes(bytes), 0),
  );
  const builder = source.meta.lexical.kind === "inverted" ? await countLevels(source, arrays) : undefined;
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
        if (name === VECTORS) continue;
        if (turns.isDue) await turns.next();
        const target = arena.view(Uint8Array, address[name], bytes);
        if (name === "postingCodes") await readCodes(source, arrays, builder, w, target);
        else await source.readInto(name, offset, target);
      }
      windows.push({ ...ranges[w], memory: memories.length, address });
    }
    memories.push({ memory: arena.memory, scratch });
    from = to;
  }
  const { docs, dims, meta } = source;
  return { docs, dims, meta, arrays, levels: builder?.finish(), vectorDims, memories, windows };
}

/** Reads whole vectors into the memory reserved for them. A query without a vector does not need them. */
export async function placeVectors(
  { readInto }: LayoutSource,
  { vectorDims }: Placement,
  windows: readonly PlacedWindow[],
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

/** Counts the values of all postings. Undefined if they differ too much to be coded as levels. */
async function countLevels(
  source: LayoutSource,
  { cellStarts }: Record<string, LayoutArray>,
): Promise<LevelsBuilder | undefined> {
  const builder = new LevelsBuilder();
  const room = new Uint16Array(BLOCK_POSTINGS);
  const postings = cellStarts[cellStarts.length - 1];
  for (let from = 0; from < postings; from += BLOCK_POSTINGS) {
    builder.count(await readValues(source, from, Math.min(BLOCK_POSTINGS, postings - from), room));
  }
  return builder.fit() ? builder : undefined;
}

/** Reads `count` values of postings into a buffer of the caller. */
async function readValues(
  { readInto }: LayoutSource,
  from: number,
  count: number,
  { buffer }: Uint16Array,
): Promise<Uint16Array> {
  await readInto("postingValues", from * 2, new Uint8Array(buffer, 0, count * 2));
  return new Uint16Array(buffer, 0, count);
}

/**
 * Reads a window's values and codes them as bytes, which is all a scan needs. Works in blocks, to keep no values in
 * memory.
 */
async function readCodes(
  source: LayoutSource,
  arrays: Record<string, LayoutArray>,
  levels: LevelsBuilder | undefined,
  w: number,
  codes: Uint8Array,
): Promise<void> {
  const { meta } = source;
  if (meta.lexical.kind !== "inverted") throw new TypeError("the layout has no posting lists");
  const lists = { cellStarts: arrays.cellStarts as Uint32Array, cellTops: arrays.cellTops as Uint16Array };
  const [first, last] = meta.lexical.windowCells.slice(w, w + 2);
  let room = new Uint16Array(BLOCK_POSTINGS);
  for (let from = first; from < last; ) {
    const start = lists.cellStarts[from];
    let to = from + 1;
    while (to < last && lists.cellStarts[to + 1] - start <= BLOCK_POSTINGS) to++;
    const count = lists.cellStarts[to] - start;
    if (count > room.length) room = new Uint16Array(count);
    const values = await readValues(source, start, count, room);
    const target = codes.subarray(start - lists.cellStarts[first]);
    if (levels) levels.encode(start, values, target);
    else valueCodes(lists, from, to, values, target);
    from = to;
  }
}

/** The windows as thread number `thread` sees them. */
export function windowsFor({ memories, windows }: Placement, thread: number): PlacedWindow[] {
  const arenas = memories.map(({ memory }) => new Arena(memory));
  return windows.map(({ first, docs, memory, address }) => {
    return { first, docs, address, arena: arenas[memory], scratch: memories[memory].scratch[thread] };
  });
}

/** The arrays that TypeScript reads, with all windows in one. */
async function readSmallArrays(
  { meta, array }: LayoutSource,
  shared: boolean,
): Promise<Record<string, LayoutArray>> {
  const names = [
    ...(meta.lexical.kind === "inverted" ? ["cells", "cellStarts", "cellTops"] : ["sliceTops", "cellCodes"]),
    ...(meta.semantic?.sketch ? ["sketchBooks"] : []),
    ...(meta.quantized ? ["codebooks"] : []),
  ];
  const arrays = await Promise.all(names.map((name) => array(name)));
  return Object.fromEntries(names.map((name, i) => [name, shared ? copyToShared(arrays[i]) : arrays[i]]));
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

function scratchSizes(
  { dims, meta }: LayoutSource,
  vectorDims: number,
  docs: number,
): [keyof Scratch, number][] {
  const sketch = meta.semantic?.sketch;
  const vectors = meta.semantic?.widths.reduce((sum, width) => sum + width, 0) ?? 0;
  return [
    ["acc", docs * 4],
    ["sums", docs * 4],
    ["lanes", docs * 4],
    ["heap", docs * 4],
    ["bits", Math.ceil(docs / 32) * 4],
    ["vector", vectors * 2],
    ["slots", meta.lexical.kind === "slices" ? (dims + 1) * 16 : 0],
    ["weights", MOST_LEVELS * 4],
    ["tables", Math.max(...[meta.quantized, sketch].map((shape) => (shape ? tableBytes(shape) : 0)))],
    ["estimates", sketch ? docs * 4 : 0],
    ["rotated", meta.semantic?.rotated ? 2 * vectors * 4 : 0],
    ["terms", vectorDims > 0 ? docs * 4 : 0],
    ["query", vectorDims * 4],
    ["dots", vectorDims > 0 ? DOTS_AT_ONCE * 8 : 0],
  ];
}

function extentsOf(
  { docs, dims, meta }: LayoutSource,
  vectorDims: number,
  cellStarts: Uint32Array | undefined,
): Extents[] {
  const { lexical, semantic } = meta;
  let [slices, padded] = [0, 0];
  return windowsOf(docs, meta.windowDocs).map((window, w) => {
    const extents: Extents = {};
    const width = paddedDocs(window.docs);
    if (lexical.kind === "inverted") {
      const [from, to] = [cellStarts![lexical.windowCells[w]], cellStarts![lexical.windowCells[w + 1]]];
      extents.postingDocs = { offset: from * 2, bytes: (to - from) * 2 };
      extents.postingCodes = { offset: from, bytes: to - from };
    } else {
      extents.slices = { offset: slices, bytes: slicesBytes(window.docs, dims) };
      slices += slicesBytes(window.docs, dims);
    }
    if (semantic) {
      const all = semantic.widths.reduce((sum, planeWidth) => sum + planeWidth, 0);
      const planes = semantic.widths.length;
      const read = vectorDims > 0 ? all - semantic.widths[planes - 1] : all;
      extents.planes = { offset: padded * all, bytes: width * read };
      if (vectorDims > 0) {
        extents[VECTORS] = { offset: window.first * vectorDims * 2, bytes: window.docs * vectorDims * 2 };
      }
      extents.planeScales = { offset: padded * planes * 4, bytes: width * planes * 4 };
      if (semantic.sketch) {
        const bytes = codeBytes(semantic.sketch);
        extents.sketchCodes = { offset: padded * bytes, bytes: width * bytes };
        extents.sketchStretch = { offset: padded * 4, bytes: width * 4 };
        extents.sketchMissed = { offset: padded * 4, bytes: width * 4 };
      }
      // One matrix for all windows, in the memory of the first.
      if (semantic.rotated && w === 0) extents.rotation = { offset: 0, bytes: all * all * 4 };
      extents.planeTails = { offset: padded * (planes - 1) * 4, bytes: width * (planes - 1) * 4 };
    }
    if (meta.quantized) {
      const bytes = codeBytes(meta.quantized);
      extents.codes = { offset: padded * bytes, bytes: width * bytes };
    }
    padded += width;
    return extents;
  });
}
