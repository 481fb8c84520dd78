// Which versions of documents a reader sees. OpenSearch makes documents visible one shard at a time, and after a node died, some
// before others. So every version carries the generation in which it was born and, once it is replaced or deleted, the one in
// which it died, and a search asks for the versions that were alive in its own generation. A commit is then one small write: the
// commit record with the new generation. (An alias over copies of the whole index would be as safe, and copy it for each commit.)
//
// A writer takes a new generation for itself before it writes. If it is killed, nobody ever commits that generation, and what it
// wrote must stay invisible when a later one is committed. The record lists such generations as gaps.
//
// Several writers may replace the same version, and nobody knows yet which of them will commit. Each adds its generation to
// those in which the version died, and takes none away. The version is dead as soon as one of them is committed.

import type { ClusterQuery } from "../rows/field-tokens.ts";

/** Generations that were taken and never committed: the first and the last of each run. */
export type Gaps = readonly (readonly [first: number, last: number])[];

/** The parts of a commit that decide what is visible. */
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
        ...committedRuns({ generation, gaps }).map((died) => ({ range: { died } })),
      ],
    },
  };
}

/** The versions that were written in a gap, and belong to no commit. */
export function leftBehindFilter(gaps: Gaps): ClusterQuery {
  return { bool: { should: inGaps("born", gaps), minimum_should_match: 1 } };
}

/** Whether a version is visible: the definition that the filter follows. */
export function isVisible(
  { born, died }: { readonly born: number; readonly died: readonly number[] },
  { generation, gaps }: Visible,
): boolean {
  const isCommitted = (of: number) =>
    of <= generation && !gaps.some(([first, last]) => of >= first && of <= last);
  return isCommitted(born) && !died.some(isCommitted);
}

/** The gaps after a commit of `generation`, which follows `before`. */
export function gapsAfter(before: Visible, generation: number): Gaps {
  const first = before.generation + 1;
  if (first === generation) return before.gaps;
  return [...before.gaps, [first, generation - 1]];
}

/** The generations that were committed, as runs between the gaps. */
function committedRuns({ generation, gaps }: Visible): { readonly gte?: number; readonly lte: number }[] {
  const ends = [...gaps.map(([first]) => first - 1), generation];
  return ends.map((lte, i) => (i === 0 ? { lte } : { gte: gaps[i - 1][1] + 1, lte }));
}

function inGaps(field: string, gaps: Gaps): ClusterQuery[] {
  return gaps.map(([gte, lte]) => ({ range: { [field]: { gte, lte } } }));
}
