// The metadata of a segment's documents, by field, so that a filter is answered for all of them in one pass over small
// numbers. What a field is and what a filter means is said in ../filter.ts.
//
// A column has a dictionary: its distinct values in order (false, true, numbers, texts by code unit), then its distinct
// lists. A document has the code of an entry, counted from 1; 0 is no value. A test is decided once per entry, for
// values by binary search, since they are in order; documents then look up their code. Entries are parsed when they are
// looked at, so that opening an index with a million addresses parses none of them.
//
//   columns     := HEAD "\n" DICTIONARY*      HEAD is JSON, { docs, columns: [ColumnHead] }
//   DICTIONARY  := JSON of each value, end to end; JSON keeps half of a surrogate pair, which UTF-8 alone would not
//   columnCodes := for each column, from a multiple of 4 bytes:
//     starts:u32 × (values + 1)               where each value begins in its dictionary
//     listStarts:u32 × (lists + 1), elements:u32 × listStarts[lists]      codes of the elements of lists, 0 for null
//     sparse: docs:u32 × present, codes × present        ascending documents that have a value
//     dense:  codes × docs
//
// Codes are one, two or four bytes wide. A column is sparse where that is smaller: objects whose keys are data, such as
// counts by word, make as many columns as there are words, each of a few documents.

import { Bits } from "../bits.ts";
import { UsageError } from "../errors.ts";
import { type Condition, eachField, type FieldValue, type Scalar } from "../filter.ts";
import { grown } from "../kernel/rows.ts";

/** Metadata as two sections of an index file. */
export interface ColumnsData {
  readonly columns: Uint8Array;
  readonly columnCodes: Uint8Array;
}

interface ColumnHead {
  readonly name: string;
  /** Of the dictionary, counted from behind the head; and of the arrays. */
  readonly at: { readonly dictionary: number; readonly codes: number };
  readonly booleans: number;
  readonly numbers: number;
  readonly texts: number;
  readonly lists: number;
  /** Documents with a value. */
  readonly present: number;
  readonly sparse: boolean;
}

interface Head {
  readonly docs: number;
  readonly columns: readonly ColumnHead[];
}

/** What a field of some documents holds, as far as one can choose from it. */
export interface FieldSummary {
  /** Documents with a value. */
  readonly docs: number;
  /** Between which bounds its numbers lie, where it has any. */
  readonly range?: { readonly least: number; readonly greatest: number };
  /** How many documents have each text, false and true; undefined where there are too many to count them out. */
  readonly choices?: ReadonlyMap<string | boolean, number>;
}

type Codes = Uint8Array | Uint16Array | Uint32Array;
type FieldTest = Exclude<Condition, { of: unknown }>;

const NEWLINE = 10;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Collects the metadata of documents, in document order. */
export class ColumnsBuilder {
  readonly #columns = new Map<string, ColumnBuilder>();
  #docs = 0;

  /** The next document; all of its fields may be given, those that are no metadata are left out. */
  add(fields: Readonly<Record<string, unknown>>): void {
    eachField(fields, (name, value) => this.#column(name).add(this.#docs, value));
    this.#docs++;
  }

  /** The next document is one of another segment. */
  addFrom(columns: Columns, doc: number): void {
    columns.eachValue(doc, (name, value) => this.#column(name).add(this.#docs, value));
    this.#docs++;
  }

  finish(): ColumnsData {
    const dictionary = new Bytes();
    const codes = new Bytes();
    // By name, so that the same documents make the same bytes, whether they were added or merged.
    const columns = [...this.#columns.keys()]
      .sort()
      .map((name) => this.#columns.get(name)!.write(dictionary, codes, this.#docs));
    const head: Head = { docs: this.#docs, columns };
    const line = encoder.encode(`${JSON.stringify(head)}\n`);
    const whole = new Uint8Array(line.length + dictionary.length);
    whole.set(line);
    whole.set(dictionary.written, line.length);
    return { columns: whole, columnCodes: codes.written.slice() };
  }

  #column(name: string): ColumnBuilder {
    let column = this.#columns.get(name);
    if (!column) {
      column = new ColumnBuilder(name);
      this.#columns.set(name, column);
    }
    return column;
  }
}

/** One column in the making. Values and lists are numbered as they come, and put in order at the end. */
class ColumnBuilder {
  readonly #name: string;
  readonly #values = new Map<Scalar, number>();
  /** By the numbers of their elements, −1 for null. */
  readonly #lists = new Map<string, { readonly number: number; readonly elements: readonly number[] }>();
  /** Plain arrays: there may be very many columns of very few documents. */
  readonly #docs: number[] = [];
  /** The number of a value, or ~ that of a list. */
  readonly #entries: number[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  add(doc: number, value: FieldValue): void {
    this.#docs.push(doc);
    this.#entries.push(typeof value === "object" ? ~this.#list(value) : this.#value(value));
  }

  #value(value: Scalar): number {
    let number = this.#values.get(value);
    if (number === undefined) {
      number = this.#values.size;
      this.#values.set(value, number);
    }
    return number;
  }

  #list(list: readonly (Scalar | null)[]): number {
    const elements = list.map((element) => (element === null ? -1 : this.#value(element)));
    const key = elements.join();
    let known = this.#lists.get(key);
    if (!known) {
      known = { number: this.#lists.size, elements };
      this.#lists.set(key, known);
    }
    return known.number;
  }

  write(dictionary: Bytes, codes: Bytes, docs: number): ColumnHead {
    const head = { name: this.#name, at: { dictionary: dictionary.length, codes: codes.length } };
    const { values, ...counts } = inOrder(this.#values.keys());
    const codeOf = new Uint32Array(values.length);
    const starts = new Uint32Array(values.length + 1);
    values.forEach((value, i) => {
      codeOf[this.#values.get(value)!] = i + 1;
      dictionary.writeText(JSON.stringify(value));
      const end = dictionary.length - head.at.dictionary;
      if (end > 0xffff_ffff) {
        throw new UsageError(
          `the values of the field "${this.#name}" take more than 4 GiB`,
          "split the collection",
        );
      }
      starts[i + 1] = end;
    });
    codes.write(starts);

    const lists = [...this.#lists.values()];
    const listStarts = new Uint32Array(lists.length + 1);
    lists.forEach(({ elements }, i) => {
      listStarts[i + 1] = listStarts[i] + elements.length;
    });
    const elements = new Uint32Array(listStarts[lists.length]);
    lists.forEach((list, i) => {
      const numbers = list.elements;
      for (let j = 0; j < numbers.length; j++) {
        elements[listStarts[i] + j] = numbers[j] === -1 ? 0 : codeOf[numbers[j]];
      }
    });
    codes.write(listStarts);
    codes.write(elements);

    const present = this.#docs.length;
    const CodeArray = arrayOfCodes(values.length + lists.length);
    const width = CodeArray.BYTES_PER_ELEMENT;
    const sparse = present * (4 + width) < docs * width;
    const array = new CodeArray(sparse ? present : docs);
    for (let i = 0; i < present; i++) {
      const entry = this.#entries[i];
      array[sparse ? i : this.#docs[i]] = entry >= 0 ? codeOf[entry] : values.length + 1 + ~entry;
    }
    if (sparse) codes.write(Uint32Array.from(this.#docs));
    codes.write(array);
    codes.align();
    return { ...head, ...counts, lists: lists.length, present, sparse };
  }
}

/** The metadata of a segment's documents. */
export class Columns {
  readonly docs: number;
  readonly #heads: ReadonlyMap<string, ColumnHead>;
  readonly #dictionaries: Uint8Array;
  readonly #codes: Uint8Array;
  /** Columns are opened when they are asked for: most searches ask for one or two. */
  readonly #opened = new Map<string, Column>();
  #byDocument: ByDocument | undefined;

  private constructor({ columns, columnCodes }: ColumnsData) {
    const headBytes = columns.indexOf(NEWLINE);
    const head: Head = JSON.parse(decoder.decode(columns.subarray(0, headBytes)));
    this.docs = head.docs;
    this.#heads = new Map(head.columns.map((column) => [column.name, column]));
    this.#dictionaries = columns.subarray(headBytes + 1);
    this.#codes = columnCodes.byteOffset % 4 === 0 ? columnCodes : columnCodes.slice();
  }

  /** From what a builder gave out. */
  static from(data: ColumnsData): Columns {
    return new Columns(data);
  }

  /** The names of the fields that at least one document has, dotted where they are nested. */
  fieldNames(): string[] {
    return [...this.#heads.keys()];
  }

  /** How many documents have a value in each field, deleted ones included. */
  *presence(): Generator<readonly [name: string, docs: number]> {
    for (const [name, { present }] of this.#heads) yield [name, present];
  }

  /** What the documents that are there have in a field; choices are counted up to `most` of them. */
  summary(field: string, deleted: Bits | undefined, most: number): FieldSummary | undefined {
    return this.#column(field)?.summary(deleted, most);
  }

  /** What a document has in a field, if anything. */
  valueOf(doc: number, field: string): FieldValue | undefined {
    const column = this.#column(field);
    const code = column?.codeOf(doc) ?? 0;
    return code === 0 ? undefined : column!.entry(code);
  }

  /** Every field of a document that has a value. */
  eachValue(doc: number, found: (name: string, value: FieldValue) => void): void {
    if (!(doc >= 0 && doc < this.docs)) throw new RangeError(`document ${doc} is not below ${this.docs}`);
    this.#byDocument ??= new ByDocument(
      this.docs,
      this.fieldNames().map((name) => this.#column(name)!),
    );
    this.#byDocument.each(doc, (column, code) => found(column.name, column.entry(code)));
  }

  /** The documents that a condition accepts. */
  matching(condition: Condition): Bits {
    switch (condition.kind) {
      case "and":
        return condition.of.reduce((bits, part) => bits.and(this.matching(part)), Bits.all(this.docs));
      case "or":
        return condition.of.reduce((bits, part) => bits.or(this.matching(part)), new Bits(this.docs));
      case "not":
        return this.matching(condition.of).not();
      default:
        // No test of a field holds where the field has no value, so a field nobody has is nobody's.
        return this.#column(condition.field)?.matching(condition) ?? new Bits(this.docs);
    }
  }

  #column(name: string): Column | undefined {
    const head = this.#heads.get(name);
    let column = this.#opened.get(name);
    if (head && !column) {
      column = new Column(head, this.docs, this.#dictionaries, this.#codes);
      this.#opened.set(name, column);
    }
    return column;
  }
}

/**
 * What each document has, over all columns. Looking every sparse column up for every document would take documents ×
 * columns steps when segments are merged; with their values put in the order of documents, it takes a step per value.
 */
class ByDocument {
  readonly #dense: readonly Column[];
  readonly #sparse: readonly Column[];
  readonly #starts: Uint32Array;
  /** Per value of a sparse column: the column, and the code. */
  readonly #columns: Uint32Array;
  readonly #codes: Uint32Array;

  constructor(docs: number, columns: readonly Column[]) {
    this.#dense = columns.filter((column) => !column.docs);
    this.#sparse = columns.filter((column) => column.docs);
    // Counts stand two places on, so that sums make starts[doc + 1] the place where doc begins; filling moves it on to
    // where doc ends, which is where doc + 1 begins.
    const starts = new Uint32Array(docs + 2);
    for (const column of this.#sparse) for (const doc of column.docs!) starts[doc + 2]++;
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    this.#columns = new Uint32Array(starts[docs + 1]);
    this.#codes = new Uint32Array(starts[docs + 1]);
    this.#sparse.forEach((column, c) => {
      column.docs!.forEach((doc, i) => {
        const at = starts[doc + 1]++;
        this.#columns[at] = c;
        this.#codes[at] = column.codes[i];
      });
    });
    this.#starts = starts;
  }

  each(doc: number, found: (column: Column, code: number) => void): void {
    for (const column of this.#dense) if (column.codes[doc] !== 0) found(column, column.codes[doc]);
    for (let i = this.#starts[doc]; i < this.#starts[doc + 1]; i++) {
      found(this.#sparse[this.#columns[i]], this.#codes[i]);
    }
  }
}

class Column {
  readonly name: string;
  /** Per document; or, where the column is sparse, per entry of `docs`. */
  readonly codes: Codes;
  readonly docs: Uint32Array | undefined;
  readonly #segmentDocs: number;
  readonly #head: ColumnHead;
  readonly #values: number;
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #listStarts: Uint32Array;
  readonly #elements: Uint32Array;
  /** Values that were parsed already. */
  readonly #parsed: Scalar[];

  constructor(head: ColumnHead, docs: number, dictionaries: Uint8Array, bytes: Uint8Array) {
    this.name = head.name;
    this.#head = head;
    this.#segmentDocs = docs;
    this.#values = head.booleans + head.numbers + head.texts;
    this.#parsed = new Array(this.#values);
    let at = bytes.byteOffset + head.at.codes;
    const take = <T extends Codes>(
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
    this.codes = take<Codes>(arrayOfCodes(this.#values + head.lists), head.sparse ? head.present : docs);
    this.#bytes = dictionaries.subarray(head.at.dictionary, head.at.dictionary + this.#starts[this.#values]);
  }

  codeOf(doc: number): number {
    if (!this.docs) return this.codes[doc] ?? 0;
    const i = firstIndex(0, this.docs.length, (i) => this.docs![i] >= doc);
    return this.docs[i] === doc ? this.codes[i] : 0;
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
    const [least, greatest] = [present[0], present.at(-1)!];
    const range = present.length > 0 && {
      least: this.#value(least) as number,
      greatest: this.#value(greatest) as number,
    };
    if (booleans + texts > most) return { docs, ...(range && { range }) };
    const choices = new Map<string | boolean, number>();
    for (let i = 0; i < this.#values; i++) {
      const isNumber = i >= booleans && i < booleans + numbers;
      if (!isNumber && counts[i + 1] > 0) choices.set(this.#value(i) as string | boolean, counts[i + 1]);
    }
    return { docs, choices, ...(range && { range }) };
  }

  /** Per code, how many documents have it; 0 for no value is not counted. */
  #countByCode(deleted: Bits | undefined): Uint32Array {
    const counts = new Uint32Array(1 + this.#values + this.#head.lists);
    for (let i = 0; i < this.codes.length; i++) {
      if (!deleted?.get(this.docs ? this.docs[i] : i)) counts[this.codes[i]]++;
    }
    counts[0] = 0;
    return counts;
  }

  /** Documents with a list count for each of its values, once. */
  #countElements(counts: Uint32Array): void {
    for (let list = 0; list < this.#head.lists; list++) {
      const elements = this.#elements.subarray(this.#listStarts[list], this.#listStarts[list + 1]);
      for (const code of new Set(elements)) counts[code] += counts[1 + this.#values + list];
    }
  }

  matching(test: FieldTest): Bits {
    const bits = new Bits(this.#segmentDocs);
    const accepted = this.#acceptedCodes(test);
    if (this.docs) markSparse(this.docs, this.codes, accepted, bits);
    else mark(this.codes, accepted, bits.words);
    return bits;
  }

  /** Per code, 1 where the test holds for its entry. */
  #acceptedCodes(test: FieldTest): Uint8Array {
    const values = this.#values;
    const accepted = new Uint8Array(1 + values + this.#head.lists);
    if (test.kind === "exists") return accepted.fill(1, 1);
    if (test.kind === "in") {
      for (const value of test.values) {
        const [start, end] = this.#within(value);
        const i = firstIndex(start, end, (i) => this.#value(i) >= value);
        if (i < end && this.#value(i) === value) accepted[i + 1] = 1;
      }
    } else {
      const { kind, bound } = test;
      const [start, end] = this.#within(bound);
      const cut = firstIndex(
        start,
        end,
        kind === "lt" || kind === "gte" ? (i) => this.#value(i) >= bound : (i) => this.#value(i) > bound,
      );
      if (kind === "lt" || kind === "lte") accepted.fill(1, start + 1, cut + 1);
      else accepted.fill(1, cut + 1, end + 1);
    }
    for (let list = 0; list < this.#head.lists; list++) {
      const end = this.#listStarts[list + 1];
      let any = 0;
      for (let i = this.#listStarts[list]; i < end; i++) any |= accepted[this.#elements[i]];
      accepted[1 + values + list] = any;
    }
    return accepted;
  }

  /** Where the values of the same type stand. */
  #within(value: Scalar): readonly [start: number, end: number] {
    const { booleans, numbers } = this.#head;
    if (typeof value === "boolean") return [0, booleans];
    return typeof value === "number" ? [booleans, booleans + numbers] : [booleans + numbers, this.#values];
  }
}

/** Sets the bits of documents whose code is accepted. Eight at a time take half as long as one by one. */
function mark(codes: Codes, accepted: Uint8Array, words: Uint32Array): void {
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

function markSparse(docs: Uint32Array, codes: Codes, accepted: Uint8Array, bits: Bits): void {
  const { words } = bits;
  for (let i = 0; i < docs.length; i++) words[docs[i] >>> 5] |= accepted[codes[i]] << (docs[i] & 31);
}

/** The first number from start to end − 1 for which `is` holds, given that it goes on holding; else end. */
function firstIndex(start: number, end: number, is: (i: number) => boolean): number {
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (is(middle)) end = middle;
    else start = middle + 1;
  }
  return start;
}

/** Values by type, each type in order. */
function inOrder(values: Iterable<Scalar>) {
  const booleans: boolean[] = [];
  const numbers: number[] = [];
  const texts: string[] = [];
  for (const value of values) {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number") numbers.push(value);
    else booleans.push(value);
  }
  // Without a comparison of its own, sort compares as texts: right for texts, and for true and false.
  const sorted: Scalar[] = [...booleans.sort(), ...Float64Array.from(numbers).sort()];
  for (const text of texts.sort()) sorted.push(text);
  return { values: sorted, booleans: booleans.length, numbers: numbers.length, texts: texts.length };
}

/** The narrowest array that holds the codes of so many entries, and 0. */
function arrayOfCodes(entries: number) {
  return entries < 256 ? Uint8Array : entries < 65_536 ? Uint16Array : Uint32Array;
}

/** Bytes that are written one piece behind the other. */
class Bytes {
  length = 0;
  #bytes = new Uint8Array(0);

  write({ buffer, byteOffset, byteLength }: Codes): void {
    const end = this.length + byteLength;
    this.#bytes = grown(this.#bytes, end);
    this.#bytes.set(new Uint8Array(buffer, byteOffset, byteLength), this.length);
    this.length = end;
  }

  writeText(text: string): void {
    this.#bytes = grown(this.#bytes, this.length + text.length * 3);
    this.length += encoder.encodeInto(text, this.#bytes.subarray(this.length)).written;
  }

  /** Goes on at a multiple of 4. */
  align(): void {
    this.length += -this.length & 3;
  }

  get written(): Uint8Array {
    return grown(this.#bytes, this.length).subarray(0, this.length);
  }
}
