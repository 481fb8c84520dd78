// The ids of a segment's documents, as UTF-8 bytes one after another. A hit gets its id from here, without reading the
// database.

import { packVarints, unpackVarints } from "../../support/bytes/varints.ts";
import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The length up to which an id is built character by character, in bytes. Strings this short are built flat, without
 * later joining.
 */
const SHORT = 12;

/** Local → id. */
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

  /** `lengths`: the bytes of each id, varints. */
  static unpack(lengths: Uint8Array, bytes: Uint8Array, docs: number): IdTable {
    const starts = new Uint32Array(docs + 1);
    unpackVarints(lengths, starts.subarray(1));
    for (let local = 0; local < docs; local++) starts[local + 1] += starts[local];
    return new IdTable(starts, bytes);
  }

  packedLengths(): Uint8Array {
    return packVarints(this.starts.subarray(1).map((end, local) => end - this.starts[local]));
  }

  get docs(): number {
    return this.starts.length - 1;
  }

  at(local: number): string {
    const { starts, bytes } = this;
    const [start, end] = [starts[local], starts[local + 1]];
    if (end - start > SHORT) return decoder.decode(this.bytesAt(local));
    // Three times as fast as the decoder, which matters for a thousand hits.
    let id = "";
    for (let at = start; at < end; at++) {
      if (bytes[at] >= 0x80) return decoder.decode(this.bytesAt(local));
      id += String.fromCharCode(bytes[at]);
    }
    return id;
  }

  bytesAt(local: number): Uint8Array {
    return this.bytes.subarray(this.starts[local], this.starts[local + 1]);
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
    this.#bytes = ensureCapacity(this.#bytes, end);
    this.#bytes.set(id, start);
    this.#docs++;
    this.#starts = ensureCapacity(this.#starts, this.#docs + 1);
    this.#starts[this.#docs] = end;
  }

  finish(): IdTable {
    return new IdTable(this.#starts.slice(0, this.#docs + 1), this.#bytes.slice(0, this.#starts[this.#docs]));
  }
}
