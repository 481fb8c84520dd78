// A query and a few documents → the exact lexical part of their scores. Each document is looked up in the posting list of
// each query term. The sums are those of the definition (rank/definition.ts), added in the same order: by slice.

import type { Row } from "../../densify/rows.ts";
import { FLOAT16 } from "../../support/float16.ts";
import type { LexicalWindows } from "./lexical-sums.ts";
import type { PlacedWindow, Placement } from "./memories.ts";

/**
 * The value of a posting, float16 bits. `posting` is its position among the postings of all windows; its code may be
 * enough to know the value.
 */
export type PostingValues = (posting: number, code: number) => number;

/** sums[i] = the lexical part of the score of locals[i]. Locals ascend. */
export function sumTerms(
  { meta, arrays }: Placement,
  windows: readonly PlacedWindow[],
  lexical: LexicalWindows,
  row: Row,
  values: PostingValues,
  locals: Uint32Array,
  sums: Float64Array,
): void {
  if (meta.lexical.kind !== "inverted") throw new TypeError("the layout has no posting lists");
  const { windowCells } = meta.lexical;
  sums.fill(0);
  let from = 0;
  for (const [w, { first, docs, arena, scratch, address }] of windows.entries()) {
    let to = from;
    while (to < locals.length && locals[to] < first + docs) to++;
    const listed = to - from;
    if (listed === 0) continue;
    const lanes = arena.view(Uint32Array, scratch.lanes, listed);
    for (let i = 0; i < listed; i++) lanes[i] = locals[from + i] - first;
    const found = arena.view(Int32Array, scratch.heap, listed);
    const [base, end] = [w, w + 1].map((window) => arrays.cellStarts[windowCells[window]]);
    const codes = arena.view(Uint8Array, address.postingCodes, end - base);
    for (const list of lexical.findLists(w, row)) {
      const postings = address.postingDocs + list.from * 2;
      arena.kernels.find(postings, list.to - list.from, scratch.lanes, listed, scratch.heap);
      for (let i = 0; i < listed; i++) {
        if (found[i] < 0) continue;
        const posting = list.from + found[i];
        sums[from + i] += list.weight * FLOAT16[values(base + posting, codes[posting])];
      }
    }
    from = to;
  }
}
