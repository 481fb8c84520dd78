// Scored documents in any order → the k best so far. Of equal scores the lower document number is better.
// Definitions have all scores in one array, and use the heap of support/numbers/topk.ts, which says why there are two.

export interface ScoredDoc {
  readonly doc: number;
  readonly score: number;
  /** The parts of the exact score, λ included. They add up to `score`, unless the plan has `rescore: false`. */
  readonly lexical: number;
  readonly semantic: number;
  /** What boosts and preferred phrases add, all together. Absent without either. */
  readonly boost?: number;
}

/** A heap with the worst document on top: a better document replaces it. */
export class BestDocuments {
  readonly #k: number;
  readonly #heap: ScoredDoc[] = [];

  constructor(k: number) {
    this.#k = k;
  }

  /** The score of the k-th best, which another document must reach; −∞ while there are fewer than k. */
  get threshold(): number {
    return this.#heap.length < this.#k ? Number.NEGATIVE_INFINITY : this.#heap[0].score;
  }

  /** How many documents can be added before there is a threshold. */
  get spareCapacity(): number {
    return this.#k - this.#heap.length;
  }

  add(entry: ScoredDoc): void {
    const heap = this.#heap;
    if (heap.length < this.#k) {
      let node = heap.push(entry) - 1;
      while (node > 0) {
        const parent = (node - 1) >> 1;
        if (!isWorse(entry, heap[parent])) break;
        heap[node] = heap[parent];
        node = parent;
      }
      heap[node] = entry;
    } else if (this.#k > 0 && isWorse(heap[0], entry)) {
      replaceWorst(heap, entry);
    }
  }

  /** All documents, the best first. */
  ranked(): ScoredDoc[] {
    const heap = this.#heap.slice();
    const ranked: ScoredDoc[] = new Array(heap.length);
    while (heap.length > 0) {
      ranked[heap.length - 1] = heap[0];
      const last = heap.pop()!;
      if (heap.length > 0) replaceWorst(heap, last);
    }
    return ranked;
  }
}

function replaceWorst(heap: ScoredDoc[], entry: ScoredDoc): void {
  let node = 0;
  for (;;) {
    let child = 2 * node + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isWorse(heap[child + 1], heap[child])) child++;
    if (!isWorse(heap[child], entry)) break;
    heap[node] = heap[child];
    node = child;
  }
  heap[node] = entry;
}

function isWorse(a: ScoredDoc, b: ScoredDoc): boolean {
  return a.score < b.score || (a.score === b.score && a.doc > b.doc);
}
