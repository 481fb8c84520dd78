// Checks the values of a Parquet page before hyparquet decodes them: texts packed by Snappy, and numbers and texts that are
// stored as differences. Lengths below 0 would send hyparquet back to bytes that it read before, without end.

/** Throws if a length in Snappy's data goes beyond its end, or has the highest bit set, which hyparquet takes for a sign. */
export function checkSnappy(packed: Uint8Array): void {
  let at = 0;
  while (at < packed.length && packed[at] >= 128) at++; // the length of the text, a varint
  at++;
  while (at < packed.length) {
    const [kind, size] = [packed[at] & 3, packed[at] >>> 2];
    at++;
    if (kind === 0) {
      // A literal: up to 60 bytes, or a length of one to four bytes.
      const lengthBytes = Math.max(0, size - 59);
      let length = size;
      if (lengthBytes > 0) {
        length = 0;
        for (let i = 0; i < lengthBytes; i++) length += (packed[at + i] ?? 0) * 2 ** (8 * i);
      }
      at += lengthBytes + length + 1;
      if (at > packed.length) throw new Error("packed bytes go beyond their page");
    } else at += [0, 1, 2, 4][kind]; // a copy of bytes before
  }
}

/** Encodings by differences: of numbers, of texts' lengths, and of texts. */
export const [DELTA_NUMBERS, DELTA_LENGTHS, DELTA_TEXTS] = [5, 6, 7];
/** The most numbers of a block. Writers use 128. */
const MOST_OF_BLOCK = 2 ** 16;

/** Throws if stored differences are impossible. `values` is their number, `most` how many bytes the texts may have together. */
export function checkDeltas(bytes: Uint8Array, encoding: number, values: number, most: number): void {
  const reader = new DeltaReader(bytes);
  if (encoding === DELTA_NUMBERS) {
    reader.head();
    return;
  }
  const prefixes = encoding === DELTA_TEXTS ? reader.numbers(values) : undefined;
  const suffixes = reader.numbers(values);
  let [before, all] = [0, 0];
  for (let i = 0; i < values; i++) {
    const prefix = prefixes?.[i] ?? 0;
    if (!(prefix >= 0 && prefix <= before && suffixes[i] >= 0))
      throw new Error(`a text has ${prefix} bytes of the text before and ${suffixes[i]} of its own`);
    before = prefix + suffixes[i];
    all += before;
    if (all > most) throw new Error(`the texts of a page have more than ${most} bytes`);
  }
}

/** A number of `width` bits that begins at the bit `from`, its lowest bit first. */
export function bitsAt(bytes: Uint8Array, from: number, width: number): number {
  let value = 0;
  for (let bit = 0; bit < width; bit++) {
    const at = Math.floor((from + bit) / 8);
    if (at >= bytes.length) throw new Error("the values of a page end in the middle");
    if ((bytes[at] >>> ((from + bit) % 8)) & 1) value += 2 ** bit;
  }
  return value;
}

/** Reads 32-bit numbers that are stored as differences (DELTA_BINARY_PACKED). */
class DeltaReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** How blocks are cut, and the first number. */
  head(): { readonly miniBlocks: number; readonly each: number; readonly first: number } {
    const [block, miniBlocks] = [this.#varint(), this.#varint()];
    const each = block / miniBlocks;
    if (!(block <= MOST_OF_BLOCK && Number.isInteger(each) && each > 0 && each % 8 === 0))
      throw new Error(`a block of ${block} differences is cut into ${miniBlocks}`);
    this.#varint(); // how many numbers there are
    return { miniBlocks, each, first: this.#zigzag() };
  }

  numbers(count: number): Int32Array {
    const { miniBlocks, each, first } = this.head();
    const numbers = new Int32Array(count);
    let value = first;
    if (count > 0) numbers[0] = value;
    for (let i = 1; i < count; ) {
      const least = this.#zigzag();
      const widths = Array.from({ length: miniBlocks }, () => this.#byte());
      for (const width of widths) {
        if (i >= count) break;
        if (width > 32) throw new Error(`differences have ${width} bits`);
        const start = this.#at;
        for (let j = 0; j < each && i < count; j++, i++) {
          value = (value + least + bitsAt(this.#bytes, start * 8 + j * width, width)) | 0;
          numbers[i] = value;
        }
        this.#at = start + (each * width) / 8;
      }
    }
    return numbers;
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw new Error("differences end in the middle");
    return this.#bytes[this.#at++];
  }

  #varint(): number {
    let [value, factor] = [0, 1];
    for (let byte = 128; byte >= 128; factor *= 128) {
      byte = this.#byte();
      value += (byte & 127) * factor;
    }
    return value;
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
