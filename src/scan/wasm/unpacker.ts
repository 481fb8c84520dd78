// Packed posting lists of a window → lanes and values, by a kernel. It has a memory of its own, which is free again when the
// layout is loaded.

import { unreadableListError } from "../../segment/lexical/posting-blocks.ts";
import { requireClasses, type ValueClasses } from "../../segment/lexical/value-classes.ts";
import { Arena, alignedBytes } from "../../wasm/arena.ts";

/** Bytes after a list that the kernel looks at. */
const SPARE_BYTES = 8;

/** The most that is unpacked at a time. */
interface UnpackerSizes {
  /** Packed bytes of a window. */
  readonly bytes: number;
  /** Documents of a window. */
  readonly docs: number;
  readonly postings: number;
}

export class Unpacker {
  /** By posting, valid until the next call of `next`. */
  readonly lanes: Uint16Array;
  readonly values: Uint16Array;
  readonly #arena: Arena;
  readonly #classes: ValueClasses;
  readonly #address: Record<
    "list" | "classes" | "starts" | "classValues" | "lanes" | "values" | "top",
    number
  >;
  readonly #top: Uint16Array;
  /** The addresses of the next list, and after the last one. */
  #at = 0;
  #end = 0;
  /** Documents of the window. */
  #docs = 0;

  constructor(classes: ValueClasses, { bytes, docs, postings }: UnpackerSizes) {
    requireClasses(classes);
    const { valueClasses, classStarts, classValues } = classes;
    const sizes = {
      list: bytes + SPARE_BYTES,
      classes: valueClasses.length > 0 ? docs : 0,
      starts: classStarts.byteLength,
      classValues: classValues.byteLength,
      lanes: 2 * postings,
      values: 2 * postings,
      top: 2,
    };
    const total = Object.values(sizes).reduce((sum, size) => sum + alignedBytes(size), 0);
    const arena = new Arena(total);
    const addresses = Object.entries(sizes).map(([name, size]) => [name, arena.allocate(size)]);
    this.#address = Object.fromEntries(addresses);
    this.#arena = arena;
    this.#classes = classes;
    this.lanes = arena.view(Uint16Array, this.#address.lanes, postings);
    this.values = arena.view(Uint16Array, this.#address.values, postings);
    this.#top = arena.view(Uint16Array, this.#address.top, 1);
    arena.view(Uint32Array, this.#address.starts, classStarts.length).set(classStarts);
    arena.view(Uint16Array, this.#address.classValues, classValues.length).set(classValues);
  }

  /** Begins a window of documents. Returns the memory for its packed lists, which the caller fills. */
  begin(bytes: number, first: number, docs: number): Uint8Array {
    const { valueClasses } = this.#classes;
    if (valueClasses.length > 0) {
      const own = valueClasses.subarray(first, first + docs);
      this.#arena.view(Uint8Array, this.#address.classes, docs).set(own);
    }
    this.#at = this.#address.list;
    this.#end = this.#at + bytes;
    this.#docs = docs;
    return this.#arena.view(Uint8Array, this.#address.list, bytes);
  }

  /** Unpacks the next list to position `to` of lanes and values. Returns its largest value. Throws if the list is damaged. */
  next(count: number, to: number): number {
    const { classes, starts, classValues, lanes, values, top } = this.#address;
    this.#at = this.#arena.kernels.unpackList(
      this.#at,
      this.#end,
      count,
      this.#docs,
      this.#classes.valueClasses.length > 0 ? classes : 0,
      starts,
      classValues,
      lanes + 2 * to,
      values + 2 * to,
      top,
    );
    if (this.#at === 0) throw unreadableListError();
    return this.#top[0];
  }

  /** Ends a window. Throws if there is more behind its lists. */
  end(): void {
    if (this.#at !== this.#end) throw unreadableListError();
  }
}
