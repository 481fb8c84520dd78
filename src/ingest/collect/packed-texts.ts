// Keeps many texts as UTF-8, one after another in large pieces of memory. The offset of a text is how many texts were added
// before it. A string object for each text would take more memory.

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";

/** The size of a piece. A longer text gets a piece of its own. Larger pieces: fewer allocations, more unused memory. */
const PIECE_BYTES = 1024 * 1024;

export class PackedTexts {
  readonly #pieces: Buffer[] = [];
  #used = 0;
  #count = 0;
  /** Three numbers for each text: its piece, and where it starts and ends in the piece. */
  #spans: Uint32Array = new Uint32Array(1024);
  /** For each text, how many bytes the texts before it take. */
  #before: Float64Array = new Float64Array(1024);

  get length(): number {
    return this.#count;
  }

  /** Appends a text, and returns how many bytes it takes. */
  add(text: string): number {
    const most = 3 * text.length; // a unit of UTF-16 takes at most three bytes of UTF-8
    const piece = this.#pieceFor(most, text);
    const start = this.#used;
    const bytes = piece.write(text, start);
    this.#used = start + bytes;
    const at = 3 * this.#count;
    this.#spans = ensureCapacity(this.#spans, at + 3);
    this.#spans[at] = this.#pieces.length - 1;
    this.#spans[at + 1] = start;
    this.#spans[at + 2] = this.#used;
    this.#before = ensureCapacity(this.#before, this.#count + 2);
    this.#before[this.#count + 1] = this.#before[this.#count] + bytes;
    this.#count++;
    return bytes;
  }

  at(offset: number): string {
    return this.bytesAt(offset).toString("utf8");
  }

  /** The bytes of a text: a view, not a copy. */
  bytesAt(offset: number): Buffer {
    const [spans, at] = [this.#spans, 3 * offset];
    return this.#pieces[spans[at]].subarray(spans[at + 1], spans[at + 2]);
  }

  /** How many bytes the texts from an offset on take. */
  bytesFrom(offset: number): number {
    return this.#before[this.#count] - this.#before[offset];
  }

  #pieceFor(most: number, text: string): Buffer {
    const last = this.#pieces.at(-1);
    if (last && last.length - this.#used >= most) return last;
    const piece = Buffer.allocUnsafeSlow(most <= PIECE_BYTES ? PIECE_BYTES : Buffer.byteLength(text));
    this.#pieces.push(piece);
    this.#used = 0;
    return piece;
  }
}
