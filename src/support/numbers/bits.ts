// A set of document numbers, one bit each. It holds the documents that a filter accepts, or those that were deleted.

/**
 * Bit d & 31 of word d >>> 5 says whether d is in the set. Bits beyond the length are always 0, so the words can be
 * counted, compared and copied into another memory as they are.
 */
export class Bits {
  readonly length: number;
  readonly words: Uint32Array;

  /** An empty set of numbers below `length`; or the set that `words` holds. `words` is used as it is, not copied. */
  constructor(length: number, words: Uint32Array = new Uint32Array(Math.ceil(length / 32))) {
    if (words.length !== Math.ceil(length / 32) || (words.at(-1) ?? 0) & ~lastMask(length)) {
      throw new RangeError(`${words.length} words hold more or fewer than ${length} bits`);
    }
    this.length = length;
    this.words = words;
  }

  /** All numbers below `length`. */
  static all(length: number): Bits {
    return new Bits(length).not();
  }

  copy(): Bits {
    return new Bits(this.length, this.words.slice());
  }

  get(doc: number): boolean {
    return ((this.words[doc >>> 5] >>> (doc & 31)) & 1) === 1;
  }

  set(doc: number): void {
    this.#requireInRange(doc);
    this.words[doc >>> 5] |= 1 << (doc & 31);
  }

  clear(doc: number): void {
    this.#requireInRange(doc);
    this.words[doc >>> 5] &= ~(1 << (doc & 31));
  }

  /** How many numbers are in the set. */
  count(): number {
    let count = 0;
    for (let i = 0; i < this.words.length; i++) count += ones(this.words[i]);
    return count;
  }

  /** Keeps the numbers that are in both sets. Changes this set, like the next three methods. */
  and(other: Bits): this {
    this.#requireLike(other);
    for (let i = 0; i < this.words.length; i++) this.words[i] &= other.words[i];
    return this;
  }

  /** Adds the numbers of the other set. */
  or(other: Bits): this {
    this.#requireLike(other);
    for (let i = 0; i < this.words.length; i++) this.words[i] |= other.words[i];
    return this;
  }

  /** Removes the numbers of the other set. Used to drop deleted documents from those a filter found. */
  andNot(other: Bits): this {
    this.#requireLike(other);
    for (let i = 0; i < this.words.length; i++) this.words[i] &= ~other.words[i];
    return this;
  }

  /** Turns the set into its complement. */
  not(): this {
    const last = this.words.length - 1;
    for (let i = 0; i <= last; i++) this.words[i] = ~this.words[i];
    if (last >= 0) this.words[last] &= lastMask(this.length);
    return this;
  }

  /** The numbers in the set, ascending. */
  *[Symbol.iterator](): Generator<number, void, undefined> {
    for (let i = 0; i < this.words.length; i++) {
      for (let word = this.words[i]; word !== 0; word &= word - 1) {
        yield i * 32 + 31 - Math.clz32(word & -word);
      }
    }
  }

  /** Only writes are checked: a bit set beyond the length would make every count wrong. */
  #requireInRange(doc: number): void {
    if (!(doc >= 0 && doc < this.length)) throw new RangeError(`${doc} is not below ${this.length}`);
  }

  #requireLike(other: Bits): void {
    if (other.length !== this.length) throw new RangeError(`${other.length} bits, expected ${this.length}`);
  }
}

/** A mask of the bits in the last word that are within the length. */
function lastMask(length: number): number {
  return length % 32 === 0 ? -1 : (1 << (length % 32)) - 1;
}

/** Counts the bits that are set: adds neighboring bits, then pairs, then fours. The product adds the four bytes. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
