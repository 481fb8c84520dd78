// Vectors of documents that are in no segment yet → float16 bits, by the document's offset. They are kept in pages: one array
// would be copied each time that it grows.

import { toFloat16s } from "../../support/numbers/float16.ts";

/** Vectors of a page. Larger: a single document takes more memory. Smaller: more arrays. */
const PAGE = 256;

export class BufferedVectors {
  readonly #pages: Uint16Array[] = [];
  #dims = 0;
  #count = 0;

  /** Adds a vector. All have the same number of dims. */
  add(vector: Float32Array): void {
    const at = this.#count++ % PAGE;
    if (at === 0) {
      this.#dims = vector.length;
      this.#pages.push(new Uint16Array(PAGE * this.#dims));
    }
    toFloat16s(vector, this.#pages.at(-1)!, at * this.#dims);
  }

  /** Copies all vectors, one after another. */
  copyTo(to: Uint16Array): void {
    const all = this.#count * this.#dims;
    for (const [i, page] of this.#pages.entries())
      to.set(page.subarray(0, all - i * page.length), i * PAGE * this.#dims);
  }

  at(offset: number): Uint16Array {
    const start = (offset % PAGE) * this.#dims;
    return this.#pages[Math.floor(offset / PAGE)].subarray(start, start + this.#dims);
  }
}
