// Documents as they were given, to show with a hit: JSON texts end to end, parsed one at a time when asked for.

import { UsageError } from "../errors.ts";
import { grown } from "../support/grown.ts";

export type Fields = Readonly<Record<string, unknown>>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class DocumentTable {
  #count: number;
  #starts: Uint32Array;
  #bytes: Uint8Array;

  /** From the two arrays an earlier table gave out, or empty. */
  constructor(starts: Uint32Array = new Uint32Array(1), bytes: Uint8Array = new Uint8Array(0)) {
    this.#count = starts.length - 1;
    this.#starts = starts;
    this.#bytes = bytes;
  }

  add(fields: Fields): void {
    const json = encoder.encode(JSON.stringify(fields));
    const start = this.#starts[this.#count];
    const end = start + json.length;
    if (end > 0xffff_ffff) throw new UsageError("the documents take more than 4 GiB", "split the collection");
    this.#bytes = grown(this.#bytes, end);
    this.#bytes.set(json, start);
    this.#count++;
    this.#starts = grown(this.#starts, this.#count + 1);
    this.#starts[this.#count] = end;
  }

  at(doc: number): Fields {
    return JSON.parse(decoder.decode(this.bytesAt(doc)));
  }

  bytesAt(doc: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[doc], this.#starts[doc + 1]);
  }

  get starts(): Uint32Array {
    return this.#starts.subarray(0, this.#count + 1);
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#starts[this.#count]);
  }
}
