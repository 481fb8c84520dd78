// Locality-sensitive hashing by the signs of random projections, as in Faiss's IndexLSH (Charikar 2002). Each bit says on
// which side of a random hyperplane a vector lies. Two vectors at an angle α agree in a share 1 − α / π of their bits, so
// the score of a document is the number of bits in which it agrees with the query. The lengths of vectors are lost.
//
// Directions are Gaussian and made from a hash of (column, bit) when needed: all 30,000 × 6,144 would take 1.5 GB.
// Encoding goes through the bits in blocks and holds the directions of one block, for the columns that occur.

import type { CodeVectors, SparseVector } from "../../segment/codes/code-vectors.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import type { Codes, Compressor } from "./compressor.ts";
import { combined } from "./matrix.ts";
import { sparseVectors } from "./sparse-vectors.ts";

/** Bits whose directions are in memory at a time: 61 MB for 30,000 columns. Must be a multiple of 32. */
const BLOCK = 256;

/** Makes random hyperplanes from the seed. Nothing is learned. */
export function trainLsh(dims: number, bits: number, seed = 0): SignProjection {
  return new SignProjection(dims, bits, seed);
}

class SignProjection implements Compressor {
  readonly name: string;
  readonly bytesPerVector: number;
  readonly dims: number;
  readonly bits: number;
  readonly #key: number;
  /** 32-bit words of a code in memory. The last one is padded with zeros. */
  readonly #words: number;

  constructor(dims: number, bits: number, seed: number) {
    // Every entry of a direction is hashed from its own 32-bit number, and the hash maps no two numbers to the same one.
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

  encode(vectors: CodeVectors): Codes {
    if (vectors.dims !== this.dims) throw new RangeError(`${vectors.dims} dims, expected ${this.dims}`);
    const { compact, occurring } = compactColumns(vectors);
    const directions = occurring.map(() => new Float64Array(BLOCK));
    const codes = new Uint32Array(vectors.count * this.#words);
    for (let first = 0; first < this.bits; first += BLOCK) {
      occurring.forEach((column, i) => {
        this.#writeDirections(column, first, directions[i]);
      });
      for (let i = 0; i < vectors.count; i++) {
        const [start, end] = [vectors.starts[i], vectors.starts[i + 1]];
        const row = { columns: compact.subarray(start, end), values: vectors.values.subarray(start, end) };
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
  computeScores(codes: Codes, query: SparseVector, out: Float64Array): void {
    if (codes.length !== out.length * this.#words * 4) {
      throw new RangeError(
        `${codes.length} bytes for ${out.length} scores, expected ${this.#words * 4} for each`,
      );
    }
    const wanted = new Uint32Array(this.encode(sparseVectors([query], this.dims)).buffer);
    const words = new Uint32Array(codes.buffer, codes.byteOffset, codes.length / 4);
    for (let i = 0, at = 0; i < out.length; i++) {
      let different = 0;
      for (let word = 0; word < wanted.length; word++) different += countOnes(words[at++] ^ wanted[word]);
      out[i] = this.bits - different;
    }
  }

  /** Writes a column's entries of the directions `first` … `first + out.length − 1`. */
  #writeDirections(column: number, first: number, out: Float64Array): void {
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

/** The number of directions, rounded up to whole blocks. Those beyond the bits are not used. */
const directionsFor = (bits: number) => Math.ceil(bits / BLOCK) * BLOCK;

/** Renumbers the columns that occur as 0, 1, 2, …; `occurring` maps a new number back to its column. */
function compactColumns({ dims, columns }: CodeVectors): { compact: Uint32Array; occurring: number[] } {
  const numberOf = new Int32Array(dims).fill(-1);
  const occurring: number[] = [];
  const compact = columns.map((column) => {
    if (numberOf[column] < 0) numberOf[column] = occurring.push(column) - 1;
    return numberOf[column];
  });
  return { compact, occurring };
}

/** Scrambles a 32-bit number one to one, by the finalizer of MurmurHash3. */
function hashed(number: number, key: number): number {
  let h = Math.imul(number ^ (number >>> 16), 0x85ebca6b) ^ key;
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Counts the set bits of a 32-bit word. */
function countOnes(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
