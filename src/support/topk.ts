// Scores → the best documents. Best first; equal scores go to the lower document number, so every kernel ranks alike.

/** The k best documents among those `eligible` lets through (all, when it is left out), fewer when there are fewer. */
export function topK(scores: Float64Array, k: number, eligible?: (doc: number) => boolean): Uint32Array {
  const heap = new WorstFirst(scores, Math.min(k, scores.length));
  for (let doc = 0; doc < scores.length; doc++) {
    if (heap.admits(doc) && (!eligible || eligible(doc))) heap.add(doc);
  }
  return heap.ranked();
}

/** A heap of at most `k` documents with the worst on top, where it is replaced. Documents come in ascending order. */
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

  /** A later document must be better than the worst: of two equal ones the earlier stays. */
  admits(doc: number): boolean {
    return this.#size < this.#k || (this.#k > 0 && this.#scores[doc] > this.#scores[this.#docs[0]]);
  }

  add(doc: number): void {
    if (this.#size < this.#k) this.#rise(this.#size++, doc);
    else this.#sink(doc);
  }

  ranked(): Uint32Array {
    return this.#docs.slice(0, this.#size).sort((a, b) => (this.#worse(a, b) ? 1 : -1));
  }

  #worse(a: number, b: number): boolean {
    const difference = this.#scores[a] - this.#scores[b];
    return difference < 0 || (difference === 0 && a > b);
  }

  #rise(at: number, doc: number): void {
    let place = at;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#worse(doc, this.#docs[parent])) break;
      this.#docs[place] = this.#docs[parent];
      place = parent;
    }
    this.#docs[place] = doc;
  }

  #sink(doc: number): void {
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#worse(this.#docs[child + 1], this.#docs[child])) child++;
      if (!this.#worse(this.#docs[child], doc)) break;
      this.#docs[place] = this.#docs[child];
      place = child;
    }
    this.#docs[place] = doc;
  }
}
