// Values of postings ↔ bytes, where few of them differ. BM25's follow from how often a word occurs in a text and from the
// text's length, which is rounded: some hundreds of values make up millions of postings. So a posting keeps the number
// of its value's level, which says for nearly all of them what the value is, and for none too little.

import { FLOAT16 } from "../support/float16.ts";

export interface Levels {
  /** Ascending, float16 bits. A posting's value is its level's, or less where the level is shared. */
  readonly values: Uint16Array;
  /** By level: 1 where other values share it. */
  readonly shared: Uint8Array;
  /** How much less than its level's a value can be. */
  readonly gap: number;
  /** Postings with another value than their level's, ascending, and their values. */
  readonly rare: Uint32Array;
  readonly rareValues: Uint16Array;
  /** By block of postings, and once more at the end: where those of them in `rare` begin. */
  readonly rareBlocks: Uint32Array;
}

/** Postings of a block: few of them are rare. */
const BLOCK_BITS = 10;

/** Values a byte can tell apart. */
export const MOST_LEVELS = 256;

/** Float16 bits of numbers of at least 0. */
const BITS = 0x8000;

/** Levels lie no further apart than this share of the largest value where there are others between them. */
const FINEST = 1 / 255;

/** With more postings than one in so many that have another value than their level's, levels do not pay. */
const RARE = 32;

/** Postings → levels, in two passes: all values are counted, then coded. */
export class LevelsBuilder {
  readonly #counts = new Uint32Array(BITS);
  #postings = 0;
  #values: number[] = [];
  /** By value: its level. */
  readonly #levelOf = new Uint8Array(BITS);
  readonly #rare: number[] = [];
  readonly #rareValues: number[] = [];

  count(values: Uint16Array): void {
    const counts = this.#counts;
    for (let i = 0; i < values.length; i++) counts[values[i]]++;
    this.#postings += values.length;
  }

  /** To be asked once all are counted: false where the values differ too much. */
  fit(): boolean {
    const counts = this.#counts;
    const found = [...counts.keys()].filter((value) => counts[value] > 0).reverse();
    const frequent = [...found].sort((a, b) => counts[b] - counts[a]);
    const others = frequent.slice(MOST_LEVELS).reduce((sum, value) => sum + counts[value], 0);
    if (others * RARE > this.#postings) return false;
    this.#values = chosen(found, frequent).reverse();
    let [level, rare] = [this.#values.length - 1, 0];
    for (const value of found) {
      while (level > 0 && this.#values[level - 1] >= value) level--;
      this.#levelOf[value] = level;
      if (this.#values[level] !== value) rare += counts[value];
    }
    return rare * RARE <= this.#postings;
  }

  /** Values of the postings from `first` on → their levels. Postings come in order. */
  encode(first: number, values: Uint16Array, codes: Uint8Array): void {
    const [levelOf, levels] = [this.#levelOf, this.#values];
    for (let i = 0; i < values.length; i++) {
      const level = levelOf[values[i]];
      codes[i] = level;
      if (levels[level] === values[i]) continue;
      this.#rare.push(first + i);
      this.#rareValues.push(values[i]);
    }
  }

  finish(): Levels {
    const shared = new Uint8Array(this.#values.length);
    let gap = 0;
    for (const value of this.#rareValues) {
      const level = this.#levelOf[value];
      shared[level] = 1;
      gap = Math.max(gap, FLOAT16[this.#values[level]] - FLOAT16[value]);
    }
    const rareBlocks = new Uint32Array((this.#postings >>> BLOCK_BITS) + 2);
    for (const posting of this.#rare) rareBlocks[(posting >>> BLOCK_BITS) + 1]++;
    for (let block = 1; block < rareBlocks.length; block++) rareBlocks[block] += rareBlocks[block - 1];
    return {
      values: Uint16Array.from(this.#values),
      shared,
      gap,
      rare: Uint32Array.from(this.#rare),
      rareValues: Uint16Array.from(this.#rareValues),
      rareBlocks,
    };
  }
}

/** The value of a posting, float16 bits, from its level. */
export function valueAt(levels: Levels, posting: number, level: number): number {
  if (levels.shared[level] === 0) return levels.values[level];
  const { rare, rareBlocks } = levels;
  const block = posting >>> BLOCK_BITS;
  for (let i = rareBlocks[block]; i < rareBlocks[block + 1]; i++) {
    if (rare[i] === posting) return levels.rareValues[i];
  }
  return levels.values[level];
}

/** Of values, which descend, those that are to be levels: the most frequent, as many as leave room for what they need. */
function chosen(found: readonly number[], frequent: readonly number[]): number[] {
  let [best, low, high] = [spaced(found, new Set()), 0, MOST_LEVELS + 1];
  while (high - low > 1) {
    const many = (low + high) >>> 1;
    const values = spaced(found, new Set(frequent.slice(0, many)));
    if (values.length > MOST_LEVELS) high = many;
    else [best, low] = [values, many];
  }
  return best;
}

/** Those that are wanted, and whatever lies too far below the last: without wishes there are no more of them than levels. */
function spaced(found: readonly number[], wanted: ReadonlySet<number>): number[] {
  const far = FLOAT16[found[0] ?? 0] * FINEST;
  const values: number[] = [];
  for (const value of found) {
    const last = values.at(-1);
    if (last === undefined || wanted.has(value) || FLOAT16[last] - FLOAT16[value] > far) values.push(value);
  }
  return values;
}
