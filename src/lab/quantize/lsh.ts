// Locality-sensitive hashing by the signs of random projections, in the manner of Faiss's IndexLSH (Charikar 2002): a
// bit says on which side of a random hyperplane a vector lies. Two vectors at an angle α agree in a share 1 − α / π of
// their bits, so the score of a document is the number of bits in which it agrees with the query. Lengths are lost.
//
// Directions are Gaussian and made from a hash of (column, bit) when needed: all 30,000 × 6,144 would take 1.5 GB.
// Encoding goes through the bits in blocks and holds a block's directions for the columns that occur.

import { type SparseVector, sparseVectors, type Vectors } from "../../segment/code-vectors.ts";
import { combined } from "../../segment/matrix.ts";
import { mulberry32 } from "../../support/random.ts";
import type { Codes, Compressor } from "./compressor.ts";

/** Bits whose directions are held at a time: 61 MB for 30,000 columns. A multiple of 32. */
const BLOCK = 256;

/** Nothing is learned: the seed decides the hyperplanes. */
export function trainLsh(dims: number, bits: number, seed = 0): SignProjection {
  return new SignProjection(dims, bits, seed);
}

export class SignProjection implements Compressor {
  readonly name: string;
  readonly bytesPerVector: number;
  readonly dims: number;
  readonly bits: number;
  readonly #key: number;
  /** In memory a code is padded to whole 32-bit words, and the padding is zero. */
  readonly #words: number;

  constructor(dims: number, bits: number, seed: number) {
    // A number per direction entry, hashed one to one: no two entries are alike.
    if (!(Number.isInteger(bits) && bits >= 1 && dims * directionsFor(bits) <= 2 ** 32)) {
      throw new RangeError(`${dims} dims × ${bits} bits, expected whole numbers and at most 2^32 entries`);
    }
    this.name = `LSH${bits}`;
    this.bytesPerVector = Math.ceil(bits / 8);
    this.dims = dims;
    this.bits = bits;
    this.#key = Math.floor(mulberry32(seed)() * 2 ** 32);
    this.#words = Math.ceil(bits / 32);
  }

  encode(vectors: Vectors): Codes {
    if (vectors.dims !== this.dims) throw new RangeError(`${vectors.dims} dims, expected ${this.dims}`);
    const { places, occurring } = placesOf(vectors);
    const directions = occurring.map(() => new Float64Array(BLOCK));
    const codes = new Uint32Array(vectors.count * this.#words);
    for (let first = 0; first < this.bits; first += BLOCK) {
      occurring.forEach((column, place) => {
        this.#directionsInto(column, first, directions[place]);
      });
      for (let i = 0; i < vectors.count; i++) {
        const [start, end] = [vectors.starts[i], vectors.starts[i + 1]];
        const row = { columns: places.subarray(start, end), values: vectors.values.subarray(start, end) };
        const sums = combined(row, directions, BLOCK);
        const to = i * this.#words + first / 32;
        for (let bit = 0; bit < BLOCK && first + bit < this.bits; bit++) {
          if (sums[bit] > 0) codes[to + (bit >>> 5)] |= 1 << (bit & 31);
        }
      }
    }
    return new Uint8Array(codes.buffer);
  }

  /** The number of bits that agree with the query's. */
  scores(codes: Codes, query: SparseVector, out: Float64Array): void {
    if (codes.length !== out.length * this.#words * 4) {
      throw new RangeError(
        `${codes.length} bytes for ${out.length} scores, expected ${this.#words * 4} for each`,
      );
    }
    const wanted = new Uint32Array(this.encode(sparseVectors([query], this.dims)).buffer);
    const words = new Uint32Array(codes.buffer, codes.byteOffset, codes.length / 4);
    for (let i = 0, at = 0; i < out.length; i++) {
      let different = 0;
      for (let word = 0; word < wanted.length; word++) different += ones(words[at++] ^ wanted[word]);
      out[i] = this.bits - different;
    }
  }

  /** A column's entry in the directions `first` … `first + out.length`. */
  #directionsInto(column: number, first: number, out: Float64Array): void {
    const number = column * directionsFor(this.bits) + first;
    // Box–Muller: two uniform numbers make two Gaussian ones.
    for (let bit = 0; bit < out.length; bit += 2) {
      const radius = Math.sqrt(-2 * Math.log((hashed(number + bit, this.#key) + 1) / 2 ** 32));
      const angle = (hashed(number + bit + 1, this.#key) * 2 * Math.PI) / 2 ** 32;
      out[bit] = radius * Math.cos(angle);
      out[bit + 1] = radius * Math.sin(angle);
    }
  }
}

/** Directions are made in whole blocks; those beyond the bits are not used. */
const directionsFor = (bits: number) => Math.ceil(bits / BLOCK) * BLOCK;

/** The columns that occur, and for every entry the place of its column among them. */
function placesOf({ dims, columns }: Vectors): { places: Uint32Array; occurring: number[] } {
  const placeOf = new Int32Array(dims).fill(-1);
  const occurring: number[] = [];
  const places = columns.map((column) => {
    if (placeOf[column] < 0) placeOf[column] = occurring.push(column) - 1;
    return placeOf[column];
  });
  return { places, occurring };
}

/** A number of 32 bits scrambled one to one: MurmurHash3's finish. */
function hashed(number: number, key: number): number {
  let h = Math.imul(number ^ (number >>> 16), 0x85ebca6b) ^ key;
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** How many bits of a word are set. */
function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
