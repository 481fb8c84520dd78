// The metadata of documents, one after another → the two sections of columns-format.ts.

import { collectMetadata, type FieldValue, type Metadata, type Scalar } from "../../documents/filter.ts";
import { flatCopy } from "../../support/bytes/flat.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
import type { Columns } from "./columns.ts";
import {
  type ColumnCodes,
  type ColumnHead,
  type ColumnsData,
  type ColumnsHead,
  codeArrayType,
} from "./columns-format.ts";
import { sortInSteps } from "./sort-in-steps.ts";

export type { ColumnsData };

const encoder = new TextEncoder();

/** Values that are written between two pauses, if one is due. They take less than a millisecond. */
const STEP_VALUES = 256;

/** Collects the metadata of documents, in document order. */
export class ColumnsBuilder {
  readonly #columns = new Map<string, ColumnBuilder>();
  #docs = 0;

  /** Adds the next document. Pass all its fields; those that are not metadata are skipped. */
  add(fields: Readonly<Record<string, unknown>>): void {
    this.addMetadata(collectMetadata(fields));
  }

  /** Adds the metadata of the next document. */
  addMetadata(metadata: Metadata): void {
    // A text may be cut from a file. A copy does not keep the file in memory.
    for (const [name, value] of metadata) this.#column(name).add(this.#docs, value, flatCopy);
    this.#docs++;
  }

  /** Adds a document of another segment as the next one. */
  addFrom(columns: Columns, local: number): void {
    columns.eachValue(local, (name, value) => this.#column(name).add(this.#docs, value));
    this.#docs++;
  }

  /** A copy without some documents, as if these had never been added. */
  without(dropped: ReadonlySet<number>): ColumnsBuilder {
    const others = new ColumnsBuilder();
    const localOf = new Uint32Array(this.#docs);
    for (let doc = 0; doc < this.#docs; doc++) {
      localOf[doc] = others.#docs;
      if (!dropped.has(doc)) others.#docs++;
    }
    for (const [name, column] of this.#columns) {
      for (const [doc, value] of column.values())
        if (!dropped.has(doc)) others.#column(name).add(localOf[doc], value);
    }
    return others;
  }

  finish(): ColumnsData {
    const steps = this.finishInSteps();
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** `finish` in steps: it yields wherever other work may run. */
  *finishInSteps(): Generator<undefined, ColumnsData> {
    const dictionary = new GrowingBytes();
    const codes = new GrowingBytes();
    const columns: ColumnHead[] = [];
    // Sorted by name, so that the same documents give the same bytes, whether they were added or merged.
    for (const name of [...this.#columns.keys()].sort())
      columns.push(yield* this.#columns.get(name)!.write(dictionary, codes, this.#docs));
    const head: ColumnsHead = { docs: this.#docs, columns };
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

type CopyText = (text: string) => string;

const itself: CopyText = (text) => text;

/** Builds one column. Values and lists are numbered as they come, and sorted at the end. */
class ColumnBuilder {
  readonly #name: string;
  readonly #values = new Map<Scalar, number>();
  /** The key is the numbers of a list's elements, joined; −1 for null. */
  readonly #lists = new Map<string, { readonly number: number; readonly elements: readonly number[] }>();
  /** Plain arrays: there may be very many columns of very few documents. */
  readonly #docs: number[] = [];
  /** For each document, the number of its value; or ~number of its list. */
  readonly #entries: number[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** `copyText` makes the copy of a new text that the column keeps. */
  add(local: number, value: FieldValue, copyText = itself): void {
    this.#docs.push(local);
    this.#entries.push(
      typeof value === "object" ? ~this.#list(value, copyText) : this.#value(value, copyText),
    );
  }

  /** Documents and their values, in the order in which they were added. */
  *values(): Generator<[doc: number, value: FieldValue]> {
    const values = [...this.#values.keys()];
    const lists = Array.from(this.#lists.values(), ({ elements }) =>
      elements.map((number) => (number === -1 ? null : values[number])),
    );
    for (const [i, entry] of this.#entries.entries()) {
      yield [this.#docs[i], entry >= 0 ? values[entry] : lists[~entry]];
    }
  }

  #value(value: Scalar, copyText: CopyText): number {
    let number = this.#values.get(value);
    if (number === undefined) {
      number = this.#values.size;
      this.#values.set(typeof value === "string" ? copyText(value) : value, number);
    }
    return number;
  }

  #list(list: readonly (Scalar | null)[], copyText: CopyText): number {
    const elements = list.map((element) => (element === null ? -1 : this.#value(element, copyText)));
    const key = elements.join();
    let known = this.#lists.get(key);
    if (!known) {
      known = { number: this.#lists.size, elements };
      this.#lists.set(key, known);
    }
    return known.number;
  }

  *write(dictionary: GrowingBytes, codes: GrowingBytes, docs: number): Generator<undefined, ColumnHead> {
    const head = { name: this.#name, at: { dictionary: dictionary.length, codes: codes.length } };
    const { values, ...counts } = yield* inOrder(this.#values.keys());
    const codeOf = new Uint32Array(values.length);
    const starts = new Uint32Array(values.length + 1);
    for (const [i, value] of values.entries()) {
      if (i % STEP_VALUES === 0) yield;
      codeOf[this.#values.get(value)!] = i + 1;
      dictionary.writeText(JSON.stringify(value));
      const end = dictionary.length - head.at.dictionary;
      if (end > 0xffff_ffff) {
        throw new SluiceError(
          `the values of the field "${this.#name}" take more than 4 GiB`,
          "split the collection",
        );
      }
      starts[i + 1] = end;
    }
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
    const CodeArray = codeArrayType(values.length + lists.length);
    const width = CodeArray.BYTES_PER_ELEMENT;
    const isSparse = present * (4 + width) < docs * width;
    const array = new CodeArray(isSparse ? present : docs);
    for (let i = 0; i < present; i++) {
      const entry = this.#entries[i];
      array[isSparse ? i : this.#docs[i]] = entry >= 0 ? codeOf[entry] : values.length + 1 + ~entry;
    }
    if (isSparse) codes.write(Uint32Array.from(this.#docs));
    codes.write(array);
    codes.align();
    return { ...head, ...counts, lists: lists.length, present, sparse: isSparse };
  }
}

/** Sorts values: booleans, then numbers, then texts. Yields wherever it may be interrupted. */
function* inOrder(values: Iterable<Scalar>) {
  const booleans: boolean[] = [];
  const numbers: number[] = [];
  const texts: string[] = [];
  for (const value of values) {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number") numbers.push(value);
    else booleans.push(value);
  }
  // Without a comparison function, sort compares as texts. That is right for texts, and for false and true.
  const sorted: Scalar[] = [...booleans.sort(), ...Float64Array.from(numbers).sort()];
  for (const text of yield* sortInSteps(texts)) sorted.push(text);
  return { values: sorted, booleans: booleans.length, numbers: numbers.length, texts: texts.length };
}

/** A byte array that grows as pieces are appended. */
class GrowingBytes {
  length = 0;
  #bytes = new Uint8Array(0);

  write({ buffer, byteOffset, byteLength }: ColumnCodes): void {
    const end = this.length + byteLength;
    this.#bytes = ensureCapacity(this.#bytes, end);
    this.#bytes.set(new Uint8Array(buffer, byteOffset, byteLength), this.length);
    this.length = end;
  }

  writeText(text: string): void {
    this.#bytes = ensureCapacity(this.#bytes, this.length + text.length * 3);
    this.length += encoder.encodeInto(text, this.#bytes.subarray(this.length)).written;
  }

  /** Moves the end on to a multiple of 4. */
  align(): void {
    this.length += -this.length & 3;
  }

  get written(): Uint8Array {
    return ensureCapacity(this.#bytes, this.length).subarray(0, this.length);
  }
}
