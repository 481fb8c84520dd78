// Binary search.

/** The position of the first entry that is not below `value`; the length if all are. Entries ascend. */
export function firstAtLeast<T extends string | number>(entries: ArrayLike<T>, value: T): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
