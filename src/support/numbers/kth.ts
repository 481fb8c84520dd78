// Numbers → the k-th largest of them, without sorting all (quickselect).

/** The most numbers the shared scratch array holds (512 KB). For more, each call allocates an array of its own. */
const KEPT = 65_536;
let kept = new Float64Array(1024);

/** Scratch space for `count` numbers. It is shared: its content is lost at the next call. */
export function scratchNumbers(count: number): Float64Array {
  if (count > KEPT) return new Float64Array(count);
  if (count > kept.length) kept = new Float64Array(Math.min(KEPT, 2 * count));
  return kept;
}

/** Moves the k largest of the first `size` numbers to the front, and returns the smallest of these k. */
export function kthLargest(numbers: Float64Array, size: number, k: number): number {
  let [low, high] = [0, size - 1];
  while (low < high) {
    const pivot = numbers[(low + high) >>> 1];
    let [left, right] = [low, high];
    while (left <= right) {
      while (numbers[left] > pivot) left++;
      while (numbers[right] < pivot) right--;
      if (left > right) break;
      const number = numbers[left];
      numbers[left++] = numbers[right];
      numbers[right--] = number;
    }
    if (k - 1 <= right) high = right;
    else if (k - 1 >= left) low = left;
    else break;
  }
  return numbers[k - 1];
}
