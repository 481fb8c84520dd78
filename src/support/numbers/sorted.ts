// Binary search.

/** The position of the first entry from `from` on that is not below `value`; `to` if there is none before. Entries ascend. */
export function firstAtLeast<T extends string | number>(
  entries: ArrayLike<T>,
  value: T,
  from = 0,
  to = entries.length,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
