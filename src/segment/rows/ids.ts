// The ids of a segment's documents, as UTF-8 bytes one after another. A hit gets its id from here, without reading the
// database. In files an id has only the bytes in which it differs from the one before: "doc-17" after "doc-16" is 7.
//
//   LENGTHS := for each id head:u8, shared − 15:varint if shared ≥ 15, rest − 15:varint if rest ≥ 15
//   head    := 16 · min(shared, 15) + min(rest, 15)     shared: bytes of the id before; rest: bytes that follow them

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
import { damagedSegmentError } from "../container/segment-error.ts";
import { ByteReader, ByteWriter } from "./byte-stream.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The length up to which an id is built character by character, in bytes. Strings this short are built flat, without
 * later joining.
 */
const SHORT = 12;

/** The longest id, in bytes of UTF-8: ids are keys of LMDB. */
export const LONGEST_ID = 1024;

/** The largest number that half a byte holds: more follows. */
const MOST_NIBBLE = 15;

/** The most bytes of an id's lengths: a head and two varints of numbers below 1,024. */
export const MOST_LENGTH_BYTES = 1 + 2 + 2;

/** Ids as files hold them. */
interface PackedIds {
  readonly lengths: Uint8Array;
  readonly bytes: Uint8Array;
}

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

  /** Restores ids. Throws if their bytes are damaged. */
  static unpack({ lengths, bytes: rests }: PackedIds, docs: number): IdTable {
    const reader = new ByteReader(lengths);
    const starts = new Uint32Array(docs + 1);
    const shares = new Uint16Array(docs);
    let [restEnd, last, total] = [0, 0, 0];
    for (let local = 0; local < docs; local++) {
      const head = reader.byte();
      let [shared, rest] = [head >>> 4, head & MOST_NIBBLE];
      if (shared === MOST_NIBBLE) shared += reader.number();
      if (rest === MOST_NIBBLE) rest += reader.number();
      // Few bytes could ask for much memory if ids were not bounded.
      if (shared > last || shared + rest > LONGEST_ID)
        throw damagedSegmentError("its ids cannot be unpacked");
      shares[local] = shared;
      restEnd += rest;
      last = shared + rest;
      total += last;
      starts[local + 1] = total;
    }
    if (restEnd !== rests.length || !reader.isAtEnd || total > 0xffff_ffff)
      throw damagedSegmentError("its ids cannot be unpacked");
    const bytes = new Uint8Array(total);
    let from = 0;
    for (let local = 0; local < docs; local++) {
      const [start, end, shared] = [starts[local], starts[local + 1], shares[local]];
      // Byte by byte: most ids are short.
      const before = start - (local > 0 ? starts[local] - starts[local - 1] : 0);
      for (let i = 0; i < shared; i++) bytes[start + i] = bytes[before + i];
      for (let at = start + shared; at < end; at++) bytes[at] = rests[from++];
    }
    return new IdTable(starts, bytes);
  }

  pack(): PackedIds {
    const { starts, bytes, docs } = this;
    const lengths = new ByteWriter();
    const rests = new Uint8Array(bytes.length);
    let to = 0;
    for (let local = 0; local < docs; local++) {
      const [start, end] = [starts[local], starts[local + 1]];
      const before = local > 0 ? starts[local - 1] : start;
      const most = Math.min(end - start, start - before);
      let shared = 0;
      while (shared < most && bytes[start + shared] === bytes[before + shared]) shared++;
      const rest = end - start - shared;
      lengths.writeByte(16 * Math.min(shared, MOST_NIBBLE) + Math.min(rest, MOST_NIBBLE));
      if (shared >= MOST_NIBBLE) lengths.writeNumber(shared - MOST_NIBBLE);
      if (rest >= MOST_NIBBLE) lengths.writeNumber(rest - MOST_NIBBLE);
      for (let at = start + shared; at < end; at++) rests[to++] = bytes[at];
    }
    return { lengths: lengths.bytes(), bytes: rests.slice(0, to) };
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
