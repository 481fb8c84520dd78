// Small numbers ↔ bits. Numbers go in blocks. Each block has as many bits a number as nearly all of its numbers need; the few
// larger ones are exceptions, which keep their upper bits behind the block.
//
//   BLOCK     := head:u8 LOW EXCEPTION…        head: the bits a number, 0 … 16, + 32 · how many exceptions, 0 … 7
//   LOW       := the lowest bits of each number, one number after another, from the lowest bit of each byte up
//   EXCEPTION := position:u8 upper:varint      position in the block; the number's bits above LOW

/** Numbers of a block, at most. A position must fit a byte. Smaller: more heads; larger: more exceptions. */
export const BLOCK_NUMBERS = 128;

/** The most bits of a number. */
const MOST_BITS = 16;
const MOST_EXCEPTIONS = 7;
/** Bytes behind the last block. They are 0. */
export const SPARE_BYTES = 2;
/** The most bytes of a block: whole numbers, or a head, lower bits and exceptions of four bytes. */
const MOST_BYTES = 1 + 2 * BLOCK_NUMBERS + 4 * MOST_EXCEPTIONS + SPARE_BYTES;

/** Numbers, block by block → bytes. */
export class BlockWriter {
  #bytes = new Uint8Array(65_536);
  #at = 0;
  readonly #lengths = new Uint32Array(MOST_BITS + 1);

  get length(): number {
    return this.#at;
  }

  /** Writes the first `count` numbers as a block. */
  add(numbers: Uint16Array, count: number): void {
    if (this.#at + MOST_BYTES > this.#bytes.length) this.#grow();
    const bits = this.#bitsFor(numbers, count);
    const bytes = this.#bytes;
    const head = this.#at;
    let at = head + 1;
    let [room, filled, exceptions] = [0, 0, 0];
    const mask = (1 << bits) - 1;
    for (let i = 0; i < count; i++) {
      const number = numbers[i];
      if (number > mask) exceptions++;
      room |= (number & mask) << filled;
      for (filled += bits; filled >= 8; filled -= 8) {
        bytes[at++] = room;
        room >>>= 8;
      }
    }
    if (filled > 0) bytes[at++] = room;
    bytes[head] = bits | (exceptions << 5);
    for (let i = 0; exceptions > 0; i++) {
      if (numbers[i] <= mask) continue;
      exceptions--;
      let upper = numbers[i] >>> bits;
      bytes[at++] = i;
      for (; upper > 0x7f; upper >>>= 7) bytes[at++] = upper | 0x80;
      bytes[at++] = upper;
    }
    this.#at = at;
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

  /** The bits a number with which a block is shortest. */
  #bitsFor(numbers: Uint16Array, count: number): number {
    const lengths = this.#lengths.fill(0);
    for (let i = 0; i < count; i++) lengths[32 - Math.clz32(numbers[i])]++;
    let most = MOST_BITS;
    while (most > 0 && lengths[most] === 0) most--;
    let [best, least, exceptions] = [most, lowBytes(count, most), 0];
    for (let bits = most - 1; bits >= 0; bits--) {
      exceptions += lengths[bits + 1];
      if (exceptions > MOST_EXCEPTIONS) break;
      const bytes = lowBytes(count, bits) + exceptions * (1 + Math.ceil((most - bits) / 7));
      if (bytes < least) [best, least] = [bits, bytes];
    }
    return best;
  }
}

function lowBytes(count: number, bits: number): number {
  return (count * bits + 7) >>> 3;
}

/**
 * Reads a block of `count` numbers at `at` into `numbers`, from `to` on. Returns where the next block begins. It is slower at
 * the end of an array without spare bytes.
 */
export function readBlock(
  bytes: Uint8Array,
  at: number,
  count: number,
  numbers: Uint16Array,
  to: number,
): number {
  const head = bytes[at++];
  const bits = head & 31;
  const mask = (1 << bits) - 1;
  // Three bytes hold any number, wherever it begins. This has no branches, unlike reading byte by byte.
  for (let i = 0, bit = 0; i < count; i++, bit += bits) {
    const byte = at + (bit >>> 3);
    const three = bytes[byte] | (bytes[byte + 1] << 8) | (bytes[byte + 2] << 16);
    numbers[to + i] = (three >>> (bit & 7)) & mask;
  }
  at += lowBytes(count, bits);
  for (let exceptions = head >>> 5; exceptions > 0; exceptions--) {
    const position = to + bytes[at++];
    let shift = bits;
    for (; bytes[at] > 0x7f; shift += 7) numbers[position] |= (bytes[at++] & 0x7f) << shift;
    numbers[position] |= bytes[at++] << shift;
  }
  return at;
}

/** Where the block after the one at `at` begins. */
export function skipBlock(bytes: Uint8Array, at: number, count: number): number {
  const head = bytes[at];
  let next = at + 1 + lowBytes(count, head & 31);
  for (let exceptions = head >>> 5; exceptions > 0; exceptions--) {
    next++;
    while (bytes[next++] > 0x7f);
  }
  return next;
}
