// Keeps the counted terms of many texts, packed, between reading a corpus and densifying it. They must wait, because the
// statistics, the vocabulary and a spread slicing are known only when all texts are read. They are kept in pages: one array would
// be copied each time that it grows.

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
import type { TermCounts } from "../../weigh/term-weights.ts";

/** Terms of a page. A text of more has a page of its own. Larger: a single text takes more memory. Smaller: more arrays. */
const PAGE_TERMS = 32_768;
/** The largest count that a byte holds. */
const MOST_IN_BYTE = 255;

interface TermPage {
  readonly ids: Uint32Array;
  /** Bytes, until a count is no whole number or too large; then float64: given weights are rounded only when they are densified. */
  counts: Uint8Array | Float64Array;
  /** If a text of the page has factors. They are float16 numbers. */
  factors?: Float32Array;
  /** How many terms it has. */
  terms: number;
}

export class TermMatrix {
  readonly #pages: TermPage[] = [];
  #docs = 0;
  #terms = 0;
  /** Three numbers for each text: its page, and where its terms begin and end there. */
  #spans: Uint32Array = new Uint32Array(1024);

  /** The terms of all texts together. */
  get terms(): number {
    return this.#terms;
  }

  add(ids: ArrayLike<number>, counts: ArrayLike<number>, factors?: ArrayLike<number>): void {
    const page = this.#pageFor(ids.length);
    const start = page.terms;
    page.terms += ids.length;
    page.ids.set(ids, start);
    if (page.counts instanceof Uint8Array && !areBytes(counts)) page.counts = Float64Array.from(page.counts);
    page.counts.set(counts, start);
    if (factors) page.factors ??= new Float32Array(page.ids.length).fill(1);
    if (factors) page.factors!.set(factors, start);
    const at = 3 * this.#docs++;
    this.#terms += ids.length;
    this.#spans = ensureCapacity(this.#spans, at + 3);
    this.#spans[at] = this.#pages.length - 1;
    this.#spans[at + 1] = start;
    this.#spans[at + 2] = page.terms;
  }

  /** A view of one text; valid until the next `add`. */
  at(doc: number): TermCounts {
    const spans = this.#spans;
    const { ids, counts, factors } = this.#pages[spans[3 * doc]];
    const [start, end] = [spans[3 * doc + 1], spans[3 * doc + 2]];
    const terms = { ids: ids.subarray(start, end), counts: counts.subarray(start, end) };
    return factors ? { ...terms, factors: factors.subarray(start, end) } : terms;
  }

  /** Replaces every id by `renumbered[id]`. */
  renumber(renumbered: Uint32Array): void {
    for (const { ids, terms } of this.#pages) for (let i = 0; i < terms; i++) ids[i] = renumbered[ids[i]];
  }

  /** The last page, or a new one if it lacks room. */
  #pageFor(terms: number): TermPage {
    const last = this.#pages.at(-1);
    if (last && last.ids.length - last.terms >= terms) return last;
    const room = Math.max(PAGE_TERMS, terms);
    const page = { ids: new Uint32Array(room), counts: new Uint8Array(room), terms: 0 };
    this.#pages.push(page);
    return page;
  }
}

function areBytes(counts: ArrayLike<number>): boolean {
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i];
    if (!(count >= 0 && count <= MOST_IN_BYTE && Math.floor(count) === count)) return false;
  }
  return true;
}
