// All fields of a segment's documents: which documents a filter accepts, and what one document has.

import { Bits } from "../support/bits.ts";
import { Column, type FieldSummary } from "./column.ts";
import type { ColumnHead, ColumnsData, ColumnsHead } from "./columns-format.ts";
import type { Condition, FieldValue } from "./filter.ts";

const NEWLINE = 10;
const decoder = new TextDecoder();

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
    const head: ColumnsHead = JSON.parse(decoder.decode(columns.subarray(0, headBytes)));
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
