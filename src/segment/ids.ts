// The ids of a segment's documents: UTF-8 end to end, so that a hit gets its id without asking the database.

import { grown } from "../support/grown.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** As long as ids are mostly: strings of so many characters are made whole, without parts that are joined later. */
const SHORT = 12;

/** Document number → id. */
export class IdTable {
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;

  constructor(starts: Uint32Array, bytes: Uint8Array) {
    this.starts = starts;
    this.bytes = bytes;
  }

  static of(ids: Iterable<string>): IdTable {
    const builder = new IdsBuilder();
    for (const id of ids) builder.add(encoder.encode(id));
    return builder.finish();
  }

  get docs(): number {
    return this.starts.length - 1;
  }

  at(doc: number): string {
    const { starts, bytes } = this;
    const [start, end] = [starts[doc], starts[doc + 1]];
    if (end - start > SHORT) return decoder.decode(this.bytesAt(doc));
    // Three times as fast as asking the decoder, which a thousand hits notice.
    let id = "";
    for (let at = start; at < end; at++) {
      if (bytes[at] >= 0x80) return decoder.decode(this.bytesAt(doc));
      id += String.fromCharCode(bytes[at]);
    }
    return id;
  }

  bytesAt(doc: number): Uint8Array {
    return this.bytes.subarray(this.starts[doc], this.starts[doc + 1]);
  }
}

/** Collects ids one at a time. */
export class IdsBuilder {
  #docs = 0;
  #starts: Uint32Array = new Uint32Array(1024);
  #bytes: Uint8Array = new Uint8Array(8192);

  add(id: Uint8Array): void {
    const start = this.#starts[this.#docs];
    const end = start + id.length;
    this.#bytes = grown(this.#bytes, end);
    this.#bytes.set(id, start);
    this.#docs++;
    this.#starts = grown(this.#starts, this.#docs + 1);
    this.#starts[this.#docs] = end;
  }

  finish(): IdTable {
    return new IdTable(this.#starts.slice(0, this.#docs + 1), this.#bytes.slice(0, this.#starts[this.#docs]));
  }
}
