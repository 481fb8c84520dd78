// All columns of a segment. They answer which documents a filter accepts, and which values one document has.

import type { Condition, FieldValue, Scalar } from "../../documents/filter.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { Column, type FieldSummary } from "./column.ts";
import type { ColumnHead, ColumnsData, ColumnsHead } from "./columns-format.ts";
import { type FieldNumbers, readFieldNumbers } from "./field-numbers.ts";

export type { Column, FieldSummary };

const NEWLINE = 10;
const decoder = new TextDecoder();

/** The metadata of a segment's documents. */
export class Columns {
  readonly docs: number;
  readonly #heads: ReadonlyMap<string, ColumnHead>;
  readonly #dictionaries: Uint8Array;
  readonly #codes: Uint8Array;
  /** A column is opened when it is first used: most searches use one or two. */
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

  /** From the sections that a `ColumnsBuilder` made. */
  static from(data: ColumnsData): Columns {
    return new Columns(data);
  }

  /** The names of the fields that at least one document has, dotted where they are nested. */
  fieldNames(): string[] {
    return [...this.#heads.keys()];
  }

  /** Whether at least one document has the field. */
  hasField(field: string): boolean {
    return this.#heads.has(field);
  }

  /** Whether at least one document has a value of the type of `example` in the field. */
  hasValuesOfTypeOf(field: string, example: Scalar): boolean {
    const head = this.#heads.get(field);
    if (!head) return false;
    return (
      (typeof example === "number"
        ? head.numbers
        : typeof example === "string"
          ? head.texts
          : head.booleans) > 0
    );
  }

  /** How many documents have a value in each field, deleted ones included. */
  *presence(): Generator<readonly [name: string, docs: number]> {
    for (const [name, { present }] of this.#heads) yield [name, present];
  }

  /** A summary of a field over the documents that are not deleted. With more than `most` different values, they are not counted. */
  summary(field: string, deleted: Bits | undefined, most: number): FieldSummary | undefined {
    return this.columnOf(field)?.summary(deleted, most);
  }

  /** The value of a document in a field, if it has one. */
  valueOf(local: number, field: string): FieldValue | undefined {
    const column = this.columnOf(field);
    const code = column?.codeOf(local) ?? 0;
    return code === 0 ? undefined : column!.entry(code);
  }

  /** The numbers of a field, for boosts; undefined if no document has it. Every call computes them again. */
  numbers(field: string): FieldNumbers | undefined {
    const column = this.columnOf(field);
    return column && readFieldNumbers(column, this.docs);
  }

  /** Calls `found` for every field in which the document has a value. */
  eachValue(local: number, found: (name: string, value: FieldValue) => void): void {
    if (!(local >= 0 && local < this.docs))
      throw new RangeError(`document ${local} is not below ${this.docs}`);
    this.#byDocument ??= new ByDocument(
      this.docs,
      this.fieldNames().map((name) => this.columnOf(name)!),
    );
    this.#byDocument.each(local, (column, code) => found(column.name, column.entry(code)));
  }

  /** The documents that a condition accepts. */
  findMatching(condition: Condition): Bits {
    const steps = this.findMatchingInSteps(condition);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }

  /** The documents that a condition accepts. It yields after each test, and within a test for very many values. */
  *findMatchingInSteps(condition: Condition): Generator<undefined, Bits> {
    switch (condition.kind) {
      case "and": {
        const bits = Bits.all(this.docs);
        for (const part of condition.of) bits.and(yield* this.findMatchingInSteps(part));
        return bits;
      }
      case "or": {
        const bits = new Bits(this.docs);
        for (const part of condition.of) bits.or(yield* this.findMatchingInSteps(part));
        return bits;
      }
      case "not":
        return (yield* this.findMatchingInSteps(condition.of)).not();
      default: {
        // A test never holds for a document without a value. If no document has the field, it accepts none.
        const column = this.columnOf(condition.field);
        const bits = column ? yield* column.findMatchingInSteps(condition) : new Bits(this.docs);
        yield;
        return bits;
      }
    }
  }

  /** The column of a field; undefined if no document has it. */
  columnOf(name: string): Column | undefined {
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
 * The values of all columns in the order of documents. A merge of segments reads them so: one step for each value.
 * Looking up every sparse column for every document would take documents × columns steps.
 */
class ByDocument {
  readonly #dense: readonly Column[];
  readonly #sparse: readonly Column[];
  readonly #starts: Uint32Array;
  /** For each value of a sparse column: the column, and the code. */
  readonly #columns: Uint32Array;
  readonly #codes: Uint32Array;

  constructor(docs: number, columns: readonly Column[]) {
    this.#dense = columns.filter((column) => !column.docs);
    this.#sparse = columns.filter((column) => column.docs);
    // Counts are written two entries on. After summing, starts[local + 1] is where local begins. Filling moves it on to where
    // local ends, which is where local + 1 begins.
    const starts = new Uint32Array(docs + 2);
    for (const column of this.#sparse) for (const local of column.docs!) starts[local + 2]++;
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    this.#columns = new Uint32Array(starts[docs + 1]);
    this.#codes = new Uint32Array(starts[docs + 1]);
    this.#sparse.forEach((column, c) => {
      column.docs!.forEach((local, i) => {
        const at = starts[local + 1]++;
        this.#columns[at] = c;
        this.#codes[at] = column.codes[i];
      });
    });
    this.#starts = starts;
  }

  each(local: number, found: (column: Column, code: number) => void): void {
    for (const column of this.#dense) if (column.codes[local] !== 0) found(column, column.codes[local]);
    for (let i = this.#starts[local]; i < this.#starts[local + 1]; i++) {
      found(this.#sparse[this.#columns[i]], this.#codes[i]);
    }
  }
}
