// Vectors of documents that are in no segment yet → float16 bits, by the document's offset. They are kept in pages: one array
// would be copied each time that it grows. Vectors that an encoder gave in float16, side by side, are a page as they are.

import type { HalfVector } from "../../encode/contract/encoded-document.ts";
import { toFloat16s } from "../../support/numbers/float16.ts";

/** Vectors of a page that is made here. Larger: a single document takes more memory. Smaller: more arrays. */
const PAGE = 256;

interface VectorPage {
  readonly halves: Uint16Array;
  /** The number of its first vector within `halves`. */
  readonly start: number;
  /** The offset of the document that has this vector. */
  readonly offset: number;
  /** How many vectors there are. */
  count: number;
  /** How many vectors may be written to it. */
  readonly room: number;
}

export class BufferedVectors {
  readonly #pages: VectorPage[] = [];
  #dims = 0;
  #count = 0;

  /** Adds a vector. All have the same number of dims. */
  add(vector: Float32Array): void {
    this.#dims = vector.length;
    let page = this.#pages.at(-1);
    if (!page || page.count >= page.room) {
      const halves = new Uint16Array(PAGE * this.#dims);
      page = { halves, start: 0, offset: this.#count, count: 0, room: PAGE };
      this.#pages.push(page);
    }
    toFloat16s(vector, page.halves, page.count * this.#dims);
    page.count++;
    this.#count++;
  }

  /** Adds a vector that is in float16 already. */
  addHalf({ halves, number, length }: HalfVector): void {
    this.#dims = length;
    const page = this.#pages.at(-1);
    if (page?.halves === halves && page.start + page.count === number) page.count++;
    else this.#pages.push({ halves, start: number, offset: this.#count, count: 1, room: 0 });
    this.#count++;
  }

  /** Copies all vectors, one after another. */
  copyTo(to: Uint16Array): void {
    const dims = this.#dims;
    for (const { halves, start, offset, count } of this.#pages)
      to.set(halves.subarray(start * dims, (start + count) * dims), offset * dims);
  }

  at(offset: number): Uint16Array {
    const page = this.#pages[this.#pageOf(offset)];
    const number = page.start + offset - page.offset;
    return page.halves.subarray(number * this.#dims, (number + 1) * this.#dims);
  }

  /** Finds the last page that does not begin after an offset. */
  #pageOf(offset: number): number {
    let [low, high] = [0, this.#pages.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#pages[middle].offset <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
