// Two rankings → what they share, and where each hit of one stands in the other.

export interface Placed<Hit> {
  readonly hit: Hit;
  /** From 1. */
  readonly rank: number;
  /** Its rank in the other ranking, where it has one. */
  readonly other: number | undefined;
}

export interface Compared<Hit> {
  readonly left: readonly Placed<Hit>[];
  readonly right: readonly Placed<Hit>[];
  /** The share of the left that the right has too; 1 where there is nothing to find. */
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
