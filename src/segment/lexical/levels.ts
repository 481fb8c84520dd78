// Values of postings ↔ bytes, if there are few distinct values. A BM25 value depends on how often a term occurs in a text
// and on the text's length, which is rounded, so millions of postings have some hundreds of values. A posting therefore
// keeps the number of a level. For nearly all postings the level is the value; for the rest it is larger, never smaller.

import { FLOAT16 } from "../../support/numbers/float16.ts";

export interface Levels {
  /** The levels, ascending, float16 bits. A posting's value is its level's, or less if the level is shared. */
  readonly values: Uint16Array;
  /** By level: 1 where other values share it. */
  readonly shared: Uint8Array;
  /** How much smaller than its level a value can be. */
  readonly gap: number;
  /** The postings whose value differs from the value of their level, ascending. */
  readonly rare: Uint32Array;
  /** By rare posting: its value. */
  readonly rareValues: Uint16Array;
  /** By block of postings, and once more at the end: where its postings begin in `rare`. */
  readonly rareBlocks: Uint32Array;
}

/** log2 of the postings in a block. `valueAt` searches a block for a rare posting; larger blocks make that slower. */
const BLOCK_BITS = 10;

/** The most levels: the numbers of a byte. */
export const MOST_LEVELS = 256;

/** How many float16 numbers are not negative. */
const BITS = 0x8000;

/**
 * The largest gap between levels with other values between them, as a share of the largest value. Larger gaps loosen
 * bounds.
 */
const MAX_GAP = 1 / 255;

/** If more than one posting in this many is rare, levels do not pay and are not used. */
const POSTINGS_PER_RARE = 32;

/** Chooses levels. `counts` says how often each value occurs. Empty if the values differ too much. */
export function fitLevels(counts: Uint32Array): Uint16Array {
  const none = new Uint16Array(0);
  const occurring = [...counts.keys()].filter((value) => counts[value] > 0).reverse();
  const postings = occurring.reduce((sum, value) => sum + counts[value], 0);
  const frequent = [...occurring].sort((a, b) => counts[b] - counts[a]);
  const others = frequent.slice(MOST_LEVELS).reduce((sum, value) => sum + counts[value], 0);
  if (others * POSTINGS_PER_RARE > postings) return none;
  const levels = chooseLevels(occurring, frequent).reverse();
  const levelSet = new Set(levels);
  const rare = occurring.reduce((sum, value) => sum + (levelSet.has(value) ? 0 : counts[value]), 0);
  return rare * POSTINGS_PER_RARE <= postings ? Uint16Array.from(levels) : none;
}

/** Values of postings → levels. */
export class LevelsBuilder {
  readonly #values: Uint16Array;
  #postings = 0;
  /** By value: its level, the next one that is not below it. */
  readonly #levelOf = new Uint8Array(BITS);
  readonly #rare: number[] = [];
  readonly #rareValues: number[] = [];

  /** `levels` as `fitLevels` chose them. */
  constructor(levels: Uint16Array) {
    this.#values = levels;
    for (let level = levels.length - 1; level >= 0; level--) this.#levelOf.fill(level, 0, levels[level] + 1);
  }

  /** Codes the values of the postings from `first` on. Call it in the order of the postings. */
  encode(first: number, values: Uint16Array, codes: Uint8Array): void {
    const [levelOf, levels] = [this.#levelOf, this.#values];
    this.#postings += values.length;
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
      values: this.#values,
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

/**
 * Chooses levels from values in descending order: the most frequent ones, as many as leave room for the levels that fill the
 * gaps between them.
 */
function chooseLevels(found: readonly number[], frequent: readonly number[]): number[] {
  let [best, low, high] = [fillGaps(found, new Set()), 0, MOST_LEVELS + 1];
  while (high - low > 1) {
    const many = (low + high) >>> 1;
    const values = fillGaps(found, new Set(frequent.slice(0, many)));
    if (values.length > MOST_LEVELS) high = many;
    else [best, low] = [values, many];
  }
  return best;
}

/**
 * The wanted values, and each value that is too far below the last level. If none are wanted, these are at most as many as
 * there can be levels.
 */
function fillGaps(found: readonly number[], wanted: ReadonlySet<number>): number[] {
  const far = FLOAT16[found[0] ?? 0] * MAX_GAP;
  const values: number[] = [];
  for (const value of found) {
    const last = values.at(-1);
    if (last === undefined || wanted.has(value) || FLOAT16[last] - FLOAT16[value] > far) values.push(value);
  }
  return values;
}
