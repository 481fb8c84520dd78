// A query and a few documents → the exact lexical part of their scores. Each document is looked up in the posting list of
// each query term. The sums equal the definition's (rank/definition.ts), which adds in the same order: by slice.

import type { Row } from "../../densify/rows.ts";
import { type Levels, valueAt } from "../../segment/lexical/levels.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import type { PostingValues } from "../contract/exact-memory.ts";
import type { LexicalWindows, PostingList } from "./lexical-sums.ts";
import { type LoadedWindow, type Placement, SUMS_AT_ONCE } from "./memories.ts";
import { isLookUpCheaper } from "./split-lists.ts";

/** Writes the values of levels to scratch memory, where kernels read them. */
export function placeLevels({ values, shared }: Levels, { arena, scratch }: LoadedWindow): void {
  const table = arena.view(Float64Array, scratch.levelValues, values.length);
  for (let level = 0; level < table.length; level++) {
    table[level] = shared[level] === 1 ? -1 : FLOAT16[values[level]];
  }
}

/**
 * sums[i] = the lexical part of the score of locals[i]. Locals ascend. `values` is needed if the codes of postings have no
 * levels.
 */
export function sumTerms(
  { meta, arrays, levels }: Placement,
  windows: readonly LoadedWindow[],
  lexical: LexicalWindows,
  row: Row,
  values: PostingValues | undefined,
  locals: Uint32Array,
  sums: Float64Array,
): void {
  if (meta.lexical.kind !== "inverted") throw new TypeError("the layout has no posting lists");
  const { windowCells } = meta.lexical;
  let from = 0;
  for (let w = 0; w < windows.length && from < locals.length; w++) {
    const window = windows[w];
    const { first, docs, arena, scratch } = window;
    if (locals[from] >= first + docs) continue;
    const base = arrays.cellStarts[windowCells[w]];
    const lists = lexical.findLists(w, row);
    while (from < locals.length && locals[from] < first + docs) {
      const lanes = arena.view(Uint32Array, scratch.lanes, Math.min(SUMS_AT_ONCE, docs));
      let listed = 0;
      for (; listed < lanes.length && locals[from + listed] < first + docs; listed++)
        lanes[listed] = locals[from + listed] - first;
      const exact = arena.view(Float64Array, scratch.exactSums, listed).fill(0);
      if (levels) addLevels(window, levels, lists, base, lanes.subarray(0, listed), exact);
      else addValues(window, values!, lists, base, listed, exact);
      sums.set(exact, from);
      from += listed;
    }
  }
}

/** Adds what the codes of postings say. Codes with several values are left to TypeScript. */
function addLevels(
  { arena, scratch, address }: LoadedWindow,
  levels: Levels,
  lists: readonly PostingList[],
  base: number,
  lanes: Uint32Array,
  sums: Float64Array,
): void {
  const { kernels } = arena;
  const notes = arena.view(Int32Array, scratch.notes, 2 * lanes.length);
  const isRead = lists.map((list) => !isLookUpCheaper(list, lanes.length));
  const marks = scratch.acc;
  if (isRead.includes(true)) kernels.mark(scratch.lanes, lanes.length, marks, 1);
  for (let l = 0; l < lists.length; l++) {
    const { weight, from, to } = lists[l];
    const [docs, codes] = [address.postingDocs + from * 2, address.postingCodes + from];
    const { levelValues: values, exactSums: into } = scratch;
    const noted = isRead[l]
      ? kernels.addExactMarked(docs, codes, to - from, weight, values, marks, into, scratch.notes)
      : kernels.addExact(
          docs,
          codes,
          to - from,
          weight,
          values,
          scratch.lanes,
          lanes.length,
          into,
          scratch.notes,
        );
    for (let n = 0; n < noted; n++) {
      const posting = from + notes[2 * n + 1];
      const code = arena.bytes[address.postingCodes + posting];
      sums[notes[2 * n]] += weight * FLOAT16[valueAt(levels, base + posting, code)];
    }
  }
  if (isRead.includes(true)) kernels.mark(scratch.lanes, lanes.length, marks, 0);
}

/** Adds values that are kept elsewhere. */
function addValues(
  { arena, scratch, address }: LoadedWindow,
  values: PostingValues,
  lists: readonly PostingList[],
  base: number,
  listed: number,
  sums: Float64Array,
): void {
  const found = arena.view(Int32Array, scratch.heap, listed);
  for (const { weight, from, to } of lists) {
    arena.kernels.find(address.postingDocs + from * 2, to - from, scratch.lanes, listed, scratch.heap);
    for (let i = 0; i < listed; i++) {
      if (found[i] >= 0) sums[i] += weight * FLOAT16[values(base + from + found[i])];
    }
  }
}
