// The k-th best of the scores seen so far: what another document must reach to matter.

/** A heap of the k largest numbers with the smallest on top. */
export class Threshold {
  readonly #k: number;
  readonly #heap: Float64Array;
  #size = 0;
  #least: number;

  constructor(k: number, least = Number.NEGATIVE_INFINITY) {
    this.#k = k;
    this.#heap = new Float64Array(k);
    this.#least = least;
  }

  get k(): number {
    return this.#k;
  }

  /** Whether k numbers came: only then does the floor say anything about them. */
  get full(): boolean {
    return this.#size === this.#k;
  }

  /** What is known to be reached by k documents: −∞ at first. */
  get floor(): number {
    return this.#size === this.#k && this.#k > 0 ? Math.max(this.#least, this.#heap[0]) : this.#least;
  }

  /** Something else showed that k documents reach this. */
  raise(floor: number): void {
    if (floor > this.#least) this.#least = floor;
  }

  push(score: number): void {
    if (this.#size < this.#k) this.#rise(this.#size++, score);
    else if (this.#k > 0 && score > this.#heap[0]) this.#sink(score);
  }

  #rise(at: number, score: number): void {
    const heap = this.#heap;
    let place = at;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent] <= score) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = score;
  }

  #sink(score: number): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#k) break;
      if (child + 1 < this.#k && heap[child + 1] < heap[child]) child++;
      if (heap[child] >= score) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = score;
  }
}
