// The k best documents among those scored so far. Equal scores go to the lower document number, whatever the order
// they came in.

export interface Scored {
  readonly doc: number;
  readonly score: number;
  /** The parts of the exact score, λ in the semantic one. They add up to `score` unless rescoring was left out. */
  readonly lexical: number;
  readonly semantic: number;
}

/** A heap with the worst on top, where it is replaced. */
export class Best {
  readonly #k: number;
  readonly #heap: Scored[] = [];

  constructor(k: number) {
    this.#k = k;
  }

  /** The score of the k-th best: what another must reach; −∞ while there are fewer. */
  get floor(): number {
    return this.#heap.length < this.#k ? Number.NEGATIVE_INFINITY : this.#heap[0].score;
  }

  /** How many may be added before there is a floor. */
  get room(): number {
    return this.#k - this.#heap.length;
  }

  add(entry: Scored): void {
    const heap = this.#heap;
    if (heap.length < this.#k) {
      let place = heap.push(entry) - 1;
      while (place > 0) {
        const parent = (place - 1) >> 1;
        if (!isWorse(entry, heap[parent])) break;
        heap[place] = heap[parent];
        place = parent;
      }
      heap[place] = entry;
    } else if (this.#k > 0 && isWorse(heap[0], entry)) {
      replaceWorst(heap, entry);
    }
  }

  /** All of them, the best first. */
  ranked(): Scored[] {
    const heap = this.#heap.slice();
    const ranked: Scored[] = new Array(heap.length);
    while (heap.length > 0) {
      ranked[heap.length - 1] = heap[0];
      const last = heap.pop()!;
      if (heap.length > 0) replaceWorst(heap, last);
    }
    return ranked;
  }
}

function replaceWorst(heap: Scored[], entry: Scored): void {
  let place = 0;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isWorse(heap[child + 1], heap[child])) child++;
    if (!isWorse(heap[child], entry)) break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = entry;
}

function isWorse(a: Scored, b: Scored): boolean {
  return a.score < b.score || (a.score === b.score && a.doc > b.doc);
}
