// One field of a segment's documents, read from the sections of columns-format.ts. It answers what a document has in the
// field, which documents a test accepts, and which values there are.

import type { FieldTest, FieldValue, Scalar } from "../../documents/filter.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { type ColumnCodes, type ColumnHead, codeArrayType } from "./columns-format.ts";

/** A summary of the values of a field, for choosing a filter. */
export interface FieldSummary {
  /** Documents with a value. */
  readonly docs: number;
  /** The smallest and the largest number, if the field has numbers. */
  readonly range?: { readonly min: number; readonly max: number };
  /** How many documents have each text, false and true; undefined if there are too many different ones. */
  readonly choices?: ReadonlyMap<string | boolean, number>;
}

const decoder = new TextDecoder();

/** How many values of a test are looked up in one step. More: others wait longer for their turn. */
const VALUES_AT_ONCE = 1024;

export class Column {
  readonly name: string;
  /** The code of each document; in a sparse column, of each entry of `docs`. */
  readonly codes: ColumnCodes;
  readonly docs: Uint32Array | undefined;
  readonly #segmentDocs: number;
  readonly #head: ColumnHead;
  readonly #values: number;
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #listStarts: Uint32Array;
  readonly #elements: Uint32Array;
  /** Values that are parsed already, by code − 1. */
  readonly #parsed: Scalar[];

  constructor(head: ColumnHead, docs: number, dictionaries: Uint8Array, bytes: Uint8Array) {
    this.name = head.name;
    this.#head = head;
    this.#segmentDocs = docs;
    this.#values = head.booleans + head.numbers + head.texts;
    this.#parsed = new Array(this.#values);
    let at = bytes.byteOffset + head.at.codes;
    const take = <T extends ColumnCodes>(
      Type: { new (b: ArrayBufferLike, at: number, n: number): T; BYTES_PER_ELEMENT: number },
      length: number,
    ) => {
      const array = new Type(bytes.buffer, at, length);
      at += length * Type.BYTES_PER_ELEMENT;
      return array;
    };
    this.#starts = take(Uint32Array, this.#values + 1);
    this.#listStarts = take(Uint32Array, head.lists + 1);
    this.#elements = take(Uint32Array, this.#listStarts[head.lists]);
    this.docs = head.sparse ? take(Uint32Array, head.present) : undefined;
    this.codes = take<ColumnCodes>(
      codeArrayType(this.#values + head.lists),
      head.sparse ? head.present : docs,
    );
    this.#bytes = dictionaries.subarray(head.at.dictionary, head.at.dictionary + this.#starts[this.#values]);
  }

  codeOf(local: number): number {
    if (!this.docs) return this.codes[local] ?? 0;
    const i = firstIndex(0, this.docs.length, (i) => this.docs![i] >= local);
    return this.docs[i] === local ? this.codes[i] : 0;
  }

  entry(code: number): FieldValue {
    if (code <= this.#values) return this.#value(code - 1);
    const list = code - 1 - this.#values;
    const elements = this.#elements.subarray(this.#listStarts[list], this.#listStarts[list + 1]);
    return Array.from(elements, (element) => (element === 0 ? null : this.#value(element - 1)));
  }

  #value(i: number): Scalar {
    this.#parsed[i] ??= JSON.parse(
      decoder.decode(this.#bytes.subarray(this.#starts[i], this.#starts[i + 1])),
    );
    return this.#parsed[i];
  }

  summary(deleted: Bits | undefined, most: number): FieldSummary {
    const { booleans, numbers, texts } = this.#head;
    const counts = this.#countByCode(deleted);
    const docs = counts.reduce((sum, count) => sum + count, 0);
    this.#countElements(counts);
    const present = Array.from({ length: numbers }, (_, i) => booleans + i).filter((i) => counts[i + 1] > 0);
    const range = present.length > 0 && {
      min: this.#value(present[0]) as number,
      max: this.#value(present.at(-1)!) as number,
    };
    if (booleans + texts > most) return { docs, ...(range && { range }) };
    const choices = new Map<string | boolean, number>();
    for (let i = 0; i < this.#values; i++) {
      const isNumber = i >= booleans && i < booleans + numbers;
      if (!isNumber && counts[i + 1] > 0) choices.set(this.#value(i) as string | boolean, counts[i + 1]);
    }
    return { docs, choices, ...(range && { range }) };
  }

  /** The number of codes, that for no value included. */
  get codeCount(): number {
    return 1 + this.#values + this.#head.lists;
  }

  /** How many of these documents have each value, and how many have any. A list counts once for each different value in it. */
  countValues(within: Bits): { docs: number; values: Map<Scalar, number> } {
    const counts = new Uint32Array(this.codeCount);
    if (this.docs) {
      for (let i = 0; i < this.docs.length; i++) if (within.get(this.docs[i])) counts[this.codes[i]]++;
    } else {
      for (const local of within) counts[this.codes[local]]++;
    }
    counts[0] = 0;
    const docs = counts.reduce((sum, count) => sum + count, 0);
    this.#countElements(counts);
    const values = new Map<Scalar, number>();
    for (let i = 0; i < this.#values; i++) if (counts[i + 1] > 0) values.set(this.#value(i), counts[i + 1]);
    return { docs, values };
  }

  /** All values, in the order of their codes: false, true, numbers, texts. */
  values(): Scalar[] {
    return Array.from({ length: this.#values }, (_, i) => this.#value(i));
  }

  /** For each code, how many documents have it. Code 0, no value, is not counted. */
  #countByCode(deleted: Bits | undefined): Uint32Array {
    const counts = new Uint32Array(this.codeCount);
    for (let i = 0; i < this.codes.length; i++) {
      if (!deleted?.get(this.docs ? this.docs[i] : i)) counts[this.codes[i]]++;
    }
    counts[0] = 0;
    return counts;
  }

  /** Counts a document with a list once for each different value in it. */
  #countElements(counts: Uint32Array): void {
    for (let list = 0; list < this.#head.lists; list++) {
      const elements = this.#elements.subarray(this.#listStarts[list], this.#listStarts[list + 1]);
      for (const code of new Set(elements)) counts[code] += counts[1 + this.#values + list];
    }
  }

  /** The documents that a test accepts. It yields each time it has looked up a number of values. */
  *findMatchingInSteps(test: FieldTest): Generator<undefined, Bits> {
    const bits = new Bits(this.#segmentDocs);
    const accepted = yield* this.#findAcceptedCodes(test);
    if (this.docs) markSparse(this.docs, this.codes, accepted, bits);
    else mark(this.codes, accepted, bits.words);
    return bits;
  }

  /** For each code, 1 if the test holds for its entry. */
  *#findAcceptedCodes(test: FieldTest): Generator<undefined, Uint8Array> {
    const values = this.#values;
    const accepted = new Uint8Array(this.codeCount);
    if (test.kind === "exists") return accepted.fill(1, 1);
    if (test.kind === "in") {
      let found = 0;
      for (const value of test.values) {
        if (++found % VALUES_AT_ONCE === 0) yield;
        const [start, end] = this.#within(value);
        const i = firstIndex(start, end, (i) => this.#value(i) >= value);
        if (i < end && this.#value(i) === value) accepted[i + 1] = 1;
      }
    } else {
      const bounds = test.kind === "range" ? [test.lower, test.upper] : [test];
      const ranges = bounds.map(({ kind, bound }) => this.#acceptedRange(kind, bound));
      const [start, end] = [
        Math.max(...ranges.map(([from]) => from)),
        Math.min(...ranges.map(([, to]) => to)),
      ];
      accepted.fill(1, start + 1, Math.max(start, end) + 1);
    }
    for (let list = 0; list < this.#head.lists; list++) {
      const end = this.#listStarts[list + 1];
      let any = 0;
      for (let i = this.#listStarts[list]; i < end; i++) any |= accepted[this.#elements[i]];
      accepted[1 + values + list] = any;
    }
    return accepted;
  }

  /** The range of the values for which an order holds. */
  #acceptedRange(
    kind: "lt" | "lte" | "gt" | "gte",
    bound: string | number,
  ): readonly [start: number, end: number] {
    const [start, end] = this.#within(bound);
    const cut = firstIndex(
      start,
      end,
      kind === "lt" || kind === "gte" ? (i) => this.#value(i) >= bound : (i) => this.#value(i) > bound,
    );
    return kind === "lt" || kind === "lte" ? [start, cut] : [cut, end];
  }

  /** The range of the values that have the same type as `value`. */
  #within(value: Scalar): readonly [start: number, end: number] {
    const { booleans, numbers } = this.#head;
    if (typeof value === "boolean") return [0, booleans];
    return typeof value === "number" ? [booleans, booleans + numbers] : [booleans + numbers, this.#values];
  }
}

/** Sets the bits of documents whose code is accepted. Eight at a time takes half as long as one by one. */
function mark(codes: ColumnCodes, accepted: Uint8Array, words: Uint32Array): void {
  const whole = codes.length >>> 5;
  for (let w = 0, d = 0; w < whole; w++) {
    let word = 0;
    for (let bit = 0; bit < 32; bit += 8, d += 8) {
      const byte =
        accepted[codes[d]] |
        (accepted[codes[d + 1]] << 1) |
        (accepted[codes[d + 2]] << 2) |
        (accepted[codes[d + 3]] << 3) |
        (accepted[codes[d + 4]] << 4) |
        (accepted[codes[d + 5]] << 5) |
        (accepted[codes[d + 6]] << 6) |
        (accepted[codes[d + 7]] << 7);
      word |= byte << bit;
    }
    words[w] = word;
  }
  for (let d = whole * 32; d < codes.length; d++) words[whole] |= accepted[codes[d]] << (d & 31);
}

function markSparse(docs: Uint32Array, codes: ColumnCodes, accepted: Uint8Array, bits: Bits): void {
  const { words } = bits;
  for (let i = 0; i < docs.length; i++) words[docs[i] >>> 5] |= accepted[codes[i]] << (docs[i] & 31);
}

/** The first i in [start, end) for which `is` holds; `end` if it holds for none. If it holds for one i, it does for all later. */
function firstIndex(start: number, end: number, is: (i: number) => boolean): number {
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (is(middle)) end = middle;
    else start = middle + 1;
  }
  return start;
}
