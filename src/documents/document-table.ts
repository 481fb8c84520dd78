// Keeps documents as they were given, to show with hits. They are JSON texts, end to end; one is parsed when it is
// asked for.

import { UsageError } from "../errors.ts";
import { grown } from "../support/grown.ts";

export type Fields = Readonly<Record<string, unknown>>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class DocumentTable {
  #count: number;
  #starts: Uint32Array;
  #bytes: Uint8Array;

  /** Empty, or from the `starts` and `bytes` of an earlier table. */
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

  at(local: number): Fields {
    return JSON.parse(decoder.decode(this.bytesAt(local)));
  }

  bytesAt(local: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[local], this.#starts[local + 1]);
  }

  get starts(): Uint32Array {
    return this.#starts.subarray(0, this.#count + 1);
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#starts[this.#count]);
  }
}
