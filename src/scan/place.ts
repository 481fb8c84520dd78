// The arrays of a layout → WebAssembly memories: each window whole in one of them, with room to work in.

import { Arena, alignedBytes, LARGEST_ARENA_BYTES } from "../kernel/wasm/arena.ts";
import type { LayoutArray, LayoutMeta } from "../layout/layout.ts";
import { slicesBytes } from "../layout/slices.ts";
import { paddedDocs, windowsOf } from "../layout/windows.ts";

/** Where a layout comes from: a file, or memory. */
export interface LayoutSource {
  readonly docs: number;
  readonly dims: number;
  readonly semanticDims: number;
  readonly meta: LayoutMeta;
  /** A whole section. */
  array(name: string): Promise<LayoutArray>;
  /** Bytes of a section from `offset` on, as many as fit the target. */
  readInto(name: string, offset: number, target: Uint8Array): Promise<void>;
}

/** What a query's work on a window needs, once a memory. */
export interface Scratch {
  /** int32 a document, always left cleared. */
  readonly acc: number;
  /** float32 a document. */
  readonly sums: number;
  /** uint32 a document. */
  readonly places: number;
  /** float32 a document. */
  readonly heap: number;
  /** A bit a document. */
  readonly bits: number;
  /** int16 a semantic dimension. */
  readonly vector: number;
  /** 16 bytes a slice. */
  readonly slots: number;
}

export interface PlacedWindow {
  readonly first: number;
  readonly docs: number;
  readonly arena: Arena;
  readonly scratch: Scratch;
  /** The arrays by name: the address of what belongs to this window. */
  readonly at: Readonly<Record<string, number>>;
}

/** The bytes of a window in each big section, and where they begin. */
type Extents = Record<string, { readonly offset: number; readonly bytes: number }>;

export async function placeWindows(
  source: LayoutSource,
  cellStarts: Uint32Array | undefined,
  { arenaBytes = LARGEST_ARENA_BYTES, shared = false }: { arenaBytes?: number; shared?: boolean } = {},
): Promise<PlacedWindow[]> {
  const windows = windowsOf(source.docs, source.meta.windowDocs);
  const extents = extentsOf(source, cellStarts);
  const widest = paddedDocs(windows[0]?.docs ?? 0);
  const scratchBytes = scratchSizes(source, widest).reduce((sum, [, bytes]) => sum + alignedBytes(bytes), 0);
  const sizes = extents.map((extent) =>
    Object.values(extent).reduce((sum, { bytes }) => sum + alignedBytes(bytes), 0),
  );
  const placed: PlacedWindow[] = [];
  for (let from = 0; from < windows.length; ) {
    let [to, bytes] = [from + 1, scratchBytes + sizes[from]];
    while (to < windows.length && bytes + sizes[to] <= arenaBytes) bytes += sizes[to++];
    const arena = new Arena(bytes, shared);
    const scratch = Object.fromEntries(
      scratchSizes(source, widest).map(([name, size]) => [name, arena.allocate(size)]),
    ) as unknown as Scratch;
    for (let w = from; w < to; w++) {
      const at: Record<string, number> = {};
      for (const [name, { offset, bytes }] of Object.entries(extents[w])) {
        at[name] = arena.allocate(bytes);
        await source.readInto(name, offset, arena.view(Uint8Array, at[name], bytes));
      }
      placed.push({ ...windows[w], arena, scratch, at });
    }
    from = to;
  }
  return placed;
}

function scratchSizes({ dims, meta }: LayoutSource, docs: number): [keyof Scratch, number][] {
  const vectors = meta.semantic?.widths.reduce((sum, width) => sum + width, 0) ?? 0;
  return [
    ["acc", docs * 4],
    ["sums", docs * 4],
    ["places", docs * 4],
    ["heap", docs * 4],
    ["bits", Math.ceil(docs / 32) * 4],
    ["vector", vectors * 2],
    ["slots", meta.lexical.kind === "slices" ? (dims + 1) * 16 : 0],
  ];
}

function extentsOf({ docs, dims, meta }: LayoutSource, cellStarts: Uint32Array | undefined): Extents[] {
  const { lexical, semantic } = meta;
  let [slices, padded] = [0, 0];
  return windowsOf(docs, meta.windowDocs).map((window, w) => {
    const extents: Extents = {};
    const width = paddedDocs(window.docs);
    if (lexical.kind === "inverted") {
      const [from, to] = [cellStarts![lexical.windowCells[w]], cellStarts![lexical.windowCells[w + 1]]];
      extents.postingDocs = { offset: from * 2, bytes: (to - from) * 2 };
      extents.postingValues = { offset: from, bytes: to - from };
    } else {
      extents.slices = { offset: slices, bytes: slicesBytes(window.docs, dims) };
      slices += slicesBytes(window.docs, dims);
    }
    if (semantic) {
      const all = semantic.widths.reduce((sum, planeWidth) => sum + planeWidth, 0);
      const planes = semantic.widths.length;
      extents.planes = { offset: padded * all, bytes: width * all };
      extents.planeScales = { offset: padded * planes * 4, bytes: width * planes * 4 };
      extents.planeTails = { offset: padded * (planes - 1) * 4, bytes: width * (planes - 1) * 4 };
    }
    padded += width;
    return extents;
  });
}
