// A phrase and the positions of a segment → the documents that have the phrase, each with its gap (phrase-gap.ts).

import type { PositionLists, TermPositions } from "../../segment/rows/position-lists.ts";
import { firstAtLeast } from "../../support/numbers/sorted.ts";
import type { ClauseTerm } from "../demands/clause-terms.ts";
import { findPhraseGap } from "./phrase-gap.ts";

/** How many documents are read before other work may run. Less than a millisecond passes. */
const DOCS_PER_STEP = 256;

/** Calls `visit` for each document whose gap is at most `slop`, in ascending order. It yields now and then. */
export function* eachPhraseMatch(
  lists: Pick<PositionLists, "of">,
  terms: readonly ClauseTerm[],
  slop: number,
  visit: (local: number, gap: number) => void,
): Generator<undefined, void> {
  const entries = new Map<number, ListEntry>();
  for (const { id } of terms) {
    if (entries.has(id)) continue;
    const list = lists.of(id);
    if (!list) return;
    entries.set(id, { list, at: 0, positions: list.positions });
    yield;
  }
  // Objects are made once, not for each document. Equal terms get the same array: findPhraseGap knows them by it.
  const all = [...entries.values()];
  const here = terms.map(({ id, offset }) => ({ offset, entry: entries.get(id)!, positions: NOWHERE }));
  const shortest = all.reduce((best, each) =>
    each.list.locals.length < best.list.locals.length ? each : best,
  );
  const isIn = (local: number) => all.every((entry) => moveTo(entry, local));
  let read = 0;
  for (const local of shortest.list.locals) {
    if (++read % DOCS_PER_STEP === 0) yield;
    if (!isIn(local)) continue;
    for (const entry of all) {
      const { starts, positions } = entry.list;
      entry.positions = positions.subarray(starts[entry.at], starts[entry.at + 1]);
    }
    for (const term of here) term.positions = term.entry.positions;
    const gap = findPhraseGap(here, slop);
    if (gap !== undefined) visit(local, gap);
  }
}

/** The list of a term, how far it is read, and its positions in the current document. */
interface ListEntry {
  readonly list: TermPositions;
  at: number;
  positions: Uint32Array;
}

const NOWHERE: Uint32Array = new Uint32Array(0);

/** Moves to a document. Returns whether the list has it. Documents come in ascending order. */
function moveTo(entry: ListEntry, local: number): boolean {
  const { locals } = entry.list;
  if (locals[entry.at] !== local) entry.at = firstAtLeast(locals, local, entry.at);
  return locals[entry.at] === local;
}
