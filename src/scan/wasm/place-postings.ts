// The packed posting lists of a layout → lanes and codes in WebAssembly memory, window by window. A scan reads a byte for each
// value: a level, or a share of its list's largest value.

import { type Levels, LevelsBuilder } from "../../segment/lexical/levels.ts";
import { unpackCells, type WindowStarts } from "../../segment/lexical/packed-cells.ts";
import type { PackedLists } from "../../segment/lexical/packed-postings.ts";
import { encodeValues, type PostingLists } from "../../segment/lexical/postings.ts";
import { splitIntoWindows, type Window } from "../../segment/rows/windows.ts";
import type { Turns } from "../../support/work/turns.ts";
import type { LayoutSource } from "./layout-source.ts";
import { Unpacker } from "./unpacker.ts";

/** Postings that are unpacked at a time; a longer list is unpacked whole. A larger number takes more memory meanwhile. */
const BLOCK_POSTINGS = 65_536;
/** Lists that are unpacked at a time. A larger number takes more memory meanwhile; a smaller one more calls of the kernel. */
const BLOCK_LISTS = 4096;

export class PostingsPlacer {
  /** Cells and where their lists begin. The largest values are known once their windows were placed. */
  readonly arrays: Pick<PostingLists, "cells" | "cellStarts" | "cellTops">;
  readonly #source: LayoutSource;
  readonly #starts: WindowStarts;
  readonly #windows: readonly Window[];
  readonly #unpacker: Unpacker;
  readonly #levels: LevelsBuilder | undefined;

  private constructor(
    source: LayoutSource,
    starts: WindowStarts,
    { cells, valueClasses, classStarts, classValues, levels }: Omit<PackedLists, "postings">,
  ) {
    const lists = unpackCells(cells, starts);
    this.#source = source;
    this.#starts = starts;
    this.#windows = splitIntoWindows(source.docs, source.meta.windowDocs);
    this.arrays = { ...lists, cellTops: new Uint16Array(lists.cells.length) };
    const most = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), 0);
    const docs = most(this.#windows.map((window) => window.docs));
    const postings = lists.cellStarts[lists.cells.length];
    this.#unpacker = new Unpacker(
      { valueClasses, classStarts, classValues },
      {
        bytes: most(this.#windows.map((_, w) => starts.windowBytes[w + 1] - starts.windowBytes[w])),
        docs,
        postings: Math.min(postings, Math.max(BLOCK_POSTINGS, docs)),
        lists: Math.min(lists.cells.length, BLOCK_LISTS),
      },
    );
    this.#levels = levels.length > 0 ? new LevelsBuilder(levels) : undefined;
  }

  /** Returns undefined if the layout has no packed posting lists. */
  static async open(source: LayoutSource): Promise<PostingsPlacer | undefined> {
    const { lexical } = source.meta;
    if (lexical.kind !== "inverted") return undefined;
    return new PostingsPlacer(source, lexical, {
      cells: (await source.array("cells")) as Uint8Array,
      valueClasses: (await source.array("valueClasses")) as Uint8Array,
      classStarts: (await source.array("classStarts")) as Uint32Array,
      classValues: (await source.array("classValues")) as Uint16Array,
      levels: (await source.array("levels")) as Uint16Array,
    });
  }

  /** Unpacks the lists of window `w`. Call it in the order of the windows. */
  async place(w: number, lanes: Uint16Array, codes: Uint8Array, turns: Turns): Promise<void> {
    const { cellStarts, cellTops } = this.arrays;
    const { windowCells, windowBytes } = this.#starts;
    const unpacker = this.#unpacker;
    const { first, docs } = this.#windows[w];
    const bytes = windowBytes[w + 1] - windowBytes[w];
    await this.#source.readInto("postings", windowBytes[w], unpacker.begin(bytes, first, docs));
    const last = windowCells[w + 1];
    const base = cellStarts[windowCells[w]];
    for (let from = windowCells[w]; from < last; ) {
      const start = cellStarts[from];
      let to = from + 1;
      while (to < last && to - from < BLOCK_LISTS && cellStarts[to + 1] - start <= BLOCK_POSTINGS) to++;
      cellTops.set(unpacker.next(cellStarts.subarray(from, to + 1)), from);
      const count = cellStarts[to] - start;
      lanes.set(unpacker.lanes.subarray(0, count), start - base);
      const values = unpacker.values.subarray(0, count);
      const target = codes.subarray(start - base);
      if (this.#levels) this.#levels.encode(start, values, target);
      else encodeValues(this.arrays, from, to, values, target);
      from = to;
      if (turns.isDue) await turns.next();
    }
    unpacker.end();
  }

  /** What the codes mean, after all windows; undefined if they are shares of the largest values. */
  levels(): Levels | undefined {
    return this.#levels?.finish();
  }
}
