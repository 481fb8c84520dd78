// Which versions of documents a reader sees. OpenSearch makes documents visible one shard at a time, and after a node died, some
// before others. So every version carries the generation in which it was born and, once it is replaced or deleted, the one in
// which it died, and a search asks for the versions that were alive in its own generation. A commit is then one small write: the
// commit record with the new generation. (An alias over copies of the whole index would be as safe, and copy it for each commit.)
//
// A writer takes a new generation for itself before it writes. If it is killed, nobody ever commits that generation, and what it
// wrote must stay invisible when a later one is committed. The record lists such generations as gaps.

import type { ClusterQuery } from "../rows/field-tokens.ts";

/** Generations that were taken and never committed: the first and the last of each run. */
export type Gaps = readonly (readonly [first: number, last: number])[];

/** A commit as far as visibility goes. */
export interface Visible {
  readonly generation: number;
  readonly gaps: Gaps;
}

/** The filter for the versions that a commit shows. */
export function visibleFilter({ generation, gaps }: Visible): ClusterQuery {
  return {
    bool: {
      filter: [{ range: { born: { lte: generation } } }],
      must_not: [
        ...inGaps("born", gaps),
        { bool: { filter: [{ range: { died: { lte: generation } } }], must_not: inGaps("died", gaps) } },
      ],
    },
  };
}

/** The versions that were written in a gap, and belong to no commit. */
export function leftBehindFilter(gaps: Gaps): ClusterQuery {
  return { bool: { should: inGaps("born", gaps), minimum_should_match: 1 } };
}

/** Whether a version is visible: what the filter means. */
export function isVisible(
  { born, died }: { readonly born: number; readonly died?: number | undefined },
  { generation, gaps }: Visible,
): boolean {
  const isCommitted = (of: number) =>
    of <= generation && !gaps.some(([first, last]) => of >= first && of <= last);
  return isCommitted(born) && !(died !== undefined && isCommitted(died));
}

/** The gaps after a commit of `generation`, which follows `before`. */
export function gapsAfter(before: Visible, generation: number): Gaps {
  const first = before.generation + 1;
  if (first === generation) return before.gaps;
  return [...before.gaps, [first, generation - 1]];
}

function inGaps(field: string, gaps: Gaps): ClusterQuery[] {
  return gaps.map(([gte, lte]) => ({ range: { [field]: { gte, lte } } }));
}
