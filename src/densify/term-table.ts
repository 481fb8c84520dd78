// Terms → ids: numbers in a table beside the list of terms, which is there anyway. A Map takes several times as much.

/** A table is doubled when this share of it is taken. */
const FULL = 0.7;

/** Another one in every process, so that nobody can choose words that fall together. */
const SEED = (Math.random() * 2 ** 32) >>> 0;

/** Holds no terms itself: whoever asks gives the list, whole or as it was before more terms came. */
export class TermTable {
  /** 1 + id, or 0; as many as a power of two. */
  #slots = new Uint32Array(64);
  #size = 0;

  /** Ids from 0 on. */
  get size(): number {
    return this.#size;
  }

  find(terms: readonly string[], term: string): number | undefined {
    const slot = this.#slots[this.#slotFor(terms, term)];
    return slot > 0 ? slot - 1 : undefined;
  }

  /** Gives the next term of the list its id; false where it has one. */
  add(terms: readonly string[]): boolean {
    if (this.#size + 1 > this.#slots.length * FULL) this.#grow(terms);
    const at = this.#slotFor(terms, terms[this.#size]);
    if (this.#slots[at] > 0) return false;
    this.#slots[at] = ++this.#size;
    return true;
  }

  /** Where a term is, or would be. */
  #slotFor(terms: readonly string[], term: string): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = hashOf(term) & mask;
    while (slots[at] > 0 && terms[slots[at] - 1] !== term) at = (at + 1) & mask;
    return at;
  }

  #grow(terms: readonly string[]): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let id = 0; id < this.#size; id++) this.#slots[this.#slotFor(terms, terms[id])] = id + 1;
  }
}

/** FNV-1a over UTF-16 units, and its bits mixed: the lowest are what counts. */
function hashOf(term: string): number {
  let hash = SEED;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
