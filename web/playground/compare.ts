// Two rankings → their overlap, and the rank of each hit in the other ranking.

export interface Placed<Hit> {
  readonly hit: Hit;
  /** Starts at 1. */
  readonly rank: number;
  /** Its rank in the other ranking, if it is there. */
  readonly other: number | undefined;
}

interface Compared<Hit> {
  readonly left: readonly Placed<Hit>[];
  readonly right: readonly Placed<Hit>[];
  /** The share of the left ranking that is also in the right one; 1 when the left one is empty. */
  readonly overlap: number;
}

export function compare<Hit extends { readonly id: string }>(
  left: readonly Hit[],
  right: readonly Hit[],
): Compared<Hit> {
  const placed = (hits: readonly Hit[], others: readonly Hit[]): Placed<Hit>[] => {
    const ranks = new Map(others.map(({ id }, i) => [id, i + 1]));
    return hits.map((hit, i) => ({ hit, rank: i + 1, other: ranks.get(hit.id) }));
  };
  const [before, after] = [placed(left, right), placed(right, left)];
  return { left: before, right: after, overlap: overlapOf(left, right) };
}

export function overlapOf(
  left: readonly { readonly id: string }[],
  right: readonly { readonly id: string }[],
) {
  if (left.length === 0) return 1;
  const ids = new Set(right.map(({ id }) => id));
  return left.filter(({ id }) => ids.has(id)).length / left.length;
}
