// Blocks of postings ↔ bits. A posting is two numbers: the gap between its lane and the one before, and the rank of its value.
// Both are mostly small, so they are Rice codes: the lowest bits of a number as they are, and the rest in unary. A block has
// the numbers of lowest bits that make it shortest.
//
//   BLOCK := head:u8 LOW… LOW… HIGH… HIGH…    gaps, ranks, gaps, ranks; bits from the lowest of each byte up; the last byte is
//                                             filled up with 0
//   head  := gapBits + 17 · rankCode          gapBits 0 … 16; rankCode 0 … 14: 1 + rankBits, or 0 if all ranks are 0, which
//                                             are not written
//   LOW   := the lowest gapBits, or rankBits, of a number
//   HIGH  := the number's bits above LOW, as so many bits 0, at most 4,095, and then a bit 1

import { damagedSegmentError } from "../container/segment-error.ts";

/** The most postings of a block. If it is smaller, there are more heads. If it is larger, one width fits fewer of the numbers. */
export const BLOCK_LENGTH = 128;

/** How many lowest bits a head can name: at most 16 of a gap, which has 16 bits, and 13 of a rank, which has 15. */
const [GAP_BITS, RANK_BITS] = [16, 13];
const RANK_UNIT = GAP_BITS + 1;
/** The largest number in unary. In a block that is as short as it can be, none comes near. */
const MOST_HIGH = 4095;
/** Bytes behind the last block. They are 0. */
export const SPARE_BYTES = 2;
/** More bytes than a block takes: with as many lowest bits as there can be, a gap takes at most 17 bits, and so does a rank. */
const MOST_BYTES = 5 * BLOCK_LENGTH + SPARE_BYTES;

/** The error for a list that is not packed as a writer packs it. */
export const unreadableListError = (): Error => damagedSegmentError("a posting list cannot be unpacked");

/** Postings, block by block → bytes. */
export class BlockWriter {
  #bytes = new Uint8Array(65_536);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  /** Writes the first `count` gaps and ranks as a block. */
  add(gaps: Uint16Array, ranks: Uint16Array, count: number): void {
    if (this.#at + MOST_BYTES > this.#bytes.length) this.#grow();
    const bytes = this.#bytes;
    const gapBits = lowBits(gaps, count, GAP_BITS);
    let most = 0;
    for (let i = 0; i < count; i++) most |= ranks[i];
    const rankBits = most > 0 ? lowBits(ranks, count, RANK_BITS) : 0;
    bytes[this.#at] = gapBits + RANK_UNIT * (most > 0 ? 1 + rankBits : 0);
    const start = this.#at + 1;
    writeLow(bytes, start, 0, gaps, count, gapBits);
    writeLow(bytes, start, count * gapBits, ranks, count, rankBits);
    let bit = writeHigh(bytes, start, count * (gapBits + rankBits), gaps, count, gapBits);
    if (most > 0) bit = writeHigh(bytes, start, bit, ranks, count, rankBits);
    this.#at = start + bytesOfBits(bit);
  }

  /** All blocks, and two bytes more, which `readBlock` may look at. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#at + SPARE_BYTES);
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** How many lowest bits of each number make the Rice codes shortest. */
function lowBits(numbers: Uint16Array, count: number, most: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += numbers[i];
  // The best is near the logarithm of the mean. One more costs a bit for each number, and saves less each time.
  let bits = Math.min(most, Math.max(0, 31 - Math.clz32(sum / count)));
  const saved = (from: number) => {
    let saved = 0;
    for (let i = 0; i < count; i++) saved += (numbers[i] >>> from) - (numbers[i] >>> (from + 1));
    return saved;
  };
  while (bits > 0 && saved(bits - 1) <= count) bits--;
  while (bits < most && saved(bits) > count) bits++;
  return bits;
}

function bytesOfBits(bits: number): number {
  return (bits + 7) >>> 3;
}

/** Writes the lowest bits of numbers, from bit `bit` behind byte `start` on. The bytes are 0 before. */
function writeLow(
  bytes: Uint8Array,
  start: number,
  bit: number,
  numbers: Uint16Array,
  count: number,
  bits: number,
): void {
  if (bits === 0) return;
  const mask = (1 << bits) - 1;
  for (let i = 0, at = bit; i < count; i++, at += bits) {
    const byte = start + (at >>> 3);
    const three = (numbers[i] & mask) << (at & 7);
    bytes[byte] |= three;
    bytes[byte + 1] |= three >>> 8;
    bytes[byte + 2] |= three >>> 16;
  }
}

/** Writes the rest of numbers in unary. Returns the next bit. */
function writeHigh(
  bytes: Uint8Array,
  start: number,
  bit: number,
  numbers: Uint16Array,
  count: number,
  bits: number,
): number {
  let at = bit;
  for (let i = 0; i < count; i++) {
    at += numbers[i] >>> bits;
    bytes[start + (at >>> 3)] |= 1 << (at & 7);
    at++;
  }
  return at;
}

/** What the head of a block says. `rankBits` is −1 if all ranks are 0. Throws if no writer writes it. */
function readHead(bytes: Uint8Array, at: number): { gapBits: number; rankBits: number } {
  const head = bytes[at];
  if (!(head < RANK_UNIT * (RANK_BITS + 2))) throw unreadableListError();
  return { gapBits: head % RANK_UNIT, rankBits: Math.floor(head / RANK_UNIT) - 1 };
}

/**
 * Reads a block of `count` postings at `at` into two arrays, from `gapsTo` and `ranksTo` on. Returns where the next block begins.
 * It is slower at the end of an array without spare bytes.
 */
export function readBlock(
  bytes: Uint8Array,
  at: number,
  count: number,
  gaps: Uint16Array,
  gapsTo: number,
  ranks: Uint16Array,
  ranksTo: number,
): number {
  const { gapBits, rankBits } = readHead(bytes, at);
  const start = at + 1;
  const low = count * gapBits;
  const high = low + (rankBits > 0 ? count * rankBits : 0);
  readLow(bytes, start, 0, count, gapBits, gaps, gapsTo);
  let bit = readHigh(bytes, start, high, count, gapBits, gaps, gapsTo);
  if (rankBits < 0) ranks.fill(0, ranksTo, ranksTo + count);
  else {
    readLow(bytes, start, low, count, rankBits, ranks, ranksTo);
    bit = readHigh(bytes, start, bit, count, rankBits, ranks, ranksTo);
  }
  return start + bytesOfBits(bit);
}

function readLow(
  bytes: Uint8Array,
  start: number,
  bit: number,
  count: number,
  bits: number,
  numbers: Uint16Array,
  to: number,
): void {
  const mask = (1 << bits) - 1;
  // Three bytes hold any number, wherever it begins. This has no branches, unlike reading byte by byte.
  for (let i = 0, at = bit; i < count; i++, at += bits) {
    const byte = start + (at >>> 3);
    const three = bytes[byte] | (bytes[byte + 1] << 8) | (bytes[byte + 2] << 16);
    numbers[to + i] = (three >>> (at & 7)) & mask;
  }
}

/** Adds the upper bits to numbers. Returns the next bit. */
function readHigh(
  bytes: Uint8Array,
  start: number,
  bit: number,
  count: number,
  bits: number,
  numbers: Uint16Array,
  to: number,
): number {
  const most = Math.min(MOST_HIGH, 0xffff >>> bits);
  let at = start + (bit >>> 3);
  let base = bit & ~7; // the lowest bit of the four bytes at `at`
  let ones = fourBytes(bytes, at) & (-1 << (bit & 7)); // their bits 1 that were not read yet
  let next = bit; // where the next number begins
  for (let i = 0; i < count; i++) {
    while (ones === 0) {
      at += 4;
      if (at >= bytes.length) throw unreadableListError();
      ones = fourBytes(bytes, at);
      base += 32;
    }
    const one = base + 31 - Math.clz32(ones & -ones);
    const high = one - next;
    if (high > most) throw unreadableListError();
    numbers[to + i] |= high << bits;
    ones &= ones - 1;
    next = one + 1;
  }
  return next;
}

function fourBytes(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}

/** Where the block after the one at `at` begins. */
export function skipBlock(bytes: Uint8Array, at: number, count: number): number {
  const { gapBits, rankBits } = readHead(bytes, at);
  // Each number ends with a bit 1.
  let left = rankBits < 0 ? count : 2 * count;
  const bit = count * (gapBits + Math.max(0, rankBits));
  let byte = at + 1 + (bit >>> 3);
  let ones = bytes[byte] & (0xff << (bit & 7));
  for (;;) {
    for (; ones > 0 && left > 0; left--) ones &= ones - 1;
    if (left === 0) return byte + 1;
    if (++byte >= bytes.length) throw unreadableListError();
    ones = bytes[byte];
  }
}
