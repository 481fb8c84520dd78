// Varints one after another (varints.ts): a writer that grows, and a reader of a part of an array.

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";

export class ByteWriter {
  #bytes: Uint8Array = new Uint8Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a number below 2³². */
  writeNumber(value: number): void {
    this.#bytes = ensureCapacity(this.#bytes, this.#length + 5);
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  writeByte(value: number): void {
    this.#bytes = ensureCapacity(this.#bytes, this.#length + 1);
    this.#bytes[this.#length++] = value;
  }

  /** A copy of the bytes written so far. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get isDone(): boolean {
    return this.#at >= this.#end;
  }

  /** Whether everything was read, and nothing after it. */
  get isAtEnd(): boolean {
    return this.#at === this.#end;
  }

  byte(): number {
    return this.#bytes[this.#at++];
  }

  number(): number {
    const bytes = this.#bytes;
    let value = 0;
    let shift = 0;
    for (; bytes[this.#at] > 0x7f; shift += 7) value |= (bytes[this.#at++] & 0x7f) << shift;
    return (value | (bytes[this.#at++] << shift)) >>> 0;
  }
}
