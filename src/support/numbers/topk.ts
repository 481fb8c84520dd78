// All scores, by document → the k best documents, best first. Of equal scores the lower document number comes first, so that
// every kernel ranks alike.
//
// This is for definitions and experiments, which score every document first. A search has a heap of its own, in
// rank/best-documents.ts: its documents come in any order and bring the parts of their scores. The two share no code on
// purpose, because the search is tested against this one.

/** The k best of the documents that `eligible` accepts; of all documents when it is left out. May be fewer than k. */
export function topK(scores: Float64Array, k: number, eligible?: (doc: number) => boolean): Uint32Array {
  const heap = new WorstFirst(scores, Math.min(k, scores.length));
  for (let doc = 0; doc < scores.length; doc++) {
    if (heap.admits(doc) && (!eligible || eligible(doc))) heap.add(doc);
  }
  return heap.ranked();
}

/** A heap of at most `k` documents. The worst is on top: a better document replaces it. Add documents in ascending order. */
class WorstFirst {
  readonly #scores: Float64Array;
  readonly #k: number;
  readonly #docs: Uint32Array;
  #size = 0;

  constructor(scores: Float64Array, k: number) {
    this.#scores = scores;
    this.#k = k;
    this.#docs = new Uint32Array(k);
  }

  /** Whether a document belongs in the heap: it must be better than the worst. Ties keep the earlier document. */
  admits(doc: number): boolean {
    return this.#size < this.#k || (this.#k > 0 && this.#scores[doc] > this.#scores[this.#docs[0]]);
  }

  add(doc: number): void {
    if (this.#size < this.#k) this.#rise(this.#size++, doc);
    else this.#sink(doc);
  }

  ranked(): Uint32Array {
    return this.#docs.slice(0, this.#size).sort((a, b) => (this.#isWorse(a, b) ? 1 : -1));
  }

  #isWorse(a: number, b: number): boolean {
    const difference = this.#scores[a] - this.#scores[b];
    return difference < 0 || (difference === 0 && a > b);
  }

  #rise(at: number, doc: number): void {
    let node = at;
    while (node > 0) {
      const parent = (node - 1) >> 1;
      if (!this.#isWorse(doc, this.#docs[parent])) break;
      this.#docs[node] = this.#docs[parent];
      node = parent;
    }
    this.#docs[node] = doc;
  }

  #sink(doc: number): void {
    let node = 0;
    for (;;) {
      let child = 2 * node + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#isWorse(this.#docs[child + 1], this.#docs[child])) child++;
      if (!this.#isWorse(this.#docs[child], doc)) break;
      this.#docs[node] = this.#docs[child];
      node = child;
    }
    this.#docs[node] = doc;
  }
}
