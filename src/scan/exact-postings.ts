// The lexical part of single documents' scores, exactly, from inverted lists: for each word of the query the documents
// are looked up in its list. The same sums as the definition's (kernel/scalar.ts), in the same order: by slice.

import type { Row } from "../densify/rows.ts";
import { FLOAT16 } from "../support/float16.ts";
import type { LexicalWindows } from "./lexical-sums.ts";
import type { PlacedWindow, Placement } from "./memories.ts";

/** The value of a posting, float16 bits: from its code where that says it, or from its place among those of all windows. */
export type PostingValues = (posting: number, code: number) => number;

/** sums[i] = the lexical part of the score of docs[i]. Documents ascend. */
export function sumWords(
  { meta, arrays }: Placement,
  windows: readonly PlacedWindow[],
  lexical: LexicalWindows,
  row: Row,
  values: PostingValues,
  docs: Uint32Array,
  sums: Float64Array,
): void {
  if (meta.lexical.kind !== "inverted") throw new TypeError("not inverted lists");
  const { windowCells } = meta.lexical;
  sums.fill(0);
  let from = 0;
  for (const [w, { first, docs: own, arena, scratch, at }] of windows.entries()) {
    let to = from;
    while (to < docs.length && docs[to] < first + own) to++;
    const listed = to - from;
    if (listed === 0) continue;
    const places = arena.view(Uint32Array, scratch.places, listed);
    for (let i = 0; i < listed; i++) places[i] = docs[from + i] - first;
    const found = arena.view(Int32Array, scratch.heap, listed);
    const [base, end] = [w, w + 1].map((at) => arrays.cellStarts[windowCells[at]]);
    const codes = arena.view(Uint8Array, at.postingCodes, end - base);
    for (const list of lexical.lists(w, row)) {
      const postings = at.postingDocs + list.from * 2;
      arena.kernels.find(postings, list.to - list.from, scratch.places, listed, scratch.heap);
      for (let i = 0; i < listed; i++) {
        if (found[i] < 0) continue;
        const posting = list.from + found[i];
        sums[from + i] += list.weight * FLOAT16[values(base + posting, codes[posting])];
      }
    }
    from = to;
  }
}
