// Many texts in UTF-8, one behind the other in large pieces of memory.

import { grown } from "./grown.ts";

/** A piece; a longer text has one of its own. */
const PIECE_BYTES = 1024 * 1024;

export class Texts {
  readonly #pieces: Buffer[] = [];
  #used = 0;
  #count = 0;
  /** By text: its piece, and where it starts and ends there. */
  #places: Uint32Array = new Uint32Array(1024);
  /** By text: the bytes of those before. */
  #before: Float64Array = new Float64Array(1024);

  get length(): number {
    return this.#count;
  }

  /** Puts a text behind the others; how many bytes it takes. */
  add(text: string): number {
    const most = 3 * text.length; // of UTF-8, for a unit of UTF-16
    const piece = this.#pieceFor(most, text);
    const start = this.#used;
    const bytes = piece.write(text, start);
    this.#used = start + bytes;
    const at = 3 * this.#count;
    this.#places = grown(this.#places, at + 3);
    this.#places[at] = this.#pieces.length - 1;
    this.#places[at + 1] = start;
    this.#places[at + 2] = this.#used;
    this.#before = grown(this.#before, this.#count + 2);
    this.#before[this.#count + 1] = this.#before[this.#count] + bytes;
    this.#count++;
    return bytes;
  }

  at(position: number): string {
    return this.bytesAt(position).toString("utf8");
  }

  /** A view. */
  bytesAt(position: number): Buffer {
    const [piece, start, end] = this.#places.subarray(3 * position, 3 * position + 3);
    return this.#pieces[piece].subarray(start, end);
  }

  /** Bytes of the texts from a position on. */
  bytesFrom(position: number): number {
    return this.#before[this.#count] - this.#before[position];
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
