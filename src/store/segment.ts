// A segment: documents that were written together, and never change. A snapshot sees segments one behind the other,
// each with a set of documents that were deleted since.

import type { Bits } from "../bits.ts";
import type { Counts } from "../densify/counts.ts";
import type { Settings } from "../densify/slicing.ts";
import type { Rows } from "../kernel/rows.ts";
import { Columns } from "./columns.ts";
import type { Meta, SectionArray } from "./container-format.ts";
import type { Fields } from "./documents.ts";
import { IdTable } from "./ids.ts";
import type { JsonObject } from "./layout.ts";

/** Arrays by name, on disk or in memory. */
export interface Sections {
  /** Of the whole file, where there is one. */
  readonly bytes?: number;
  has(name: string): boolean;
  bytesOf(name: string): number;
  /** A whole section, read and checked at first use, and kept. */
  section(name: string): Promise<SectionArray>;
  sectionSync(name: string): SectionArray;
  /** Lets go of a section that was read; it is read again when it is asked for again. */
  forget(name: string): void;
  /** Reads a section into memory of the caller's and checks it; nothing is kept. */
  readInto(name: string, into: Uint8Array): Promise<void>;
  /** Checks a section that will be read in parts. */
  check(name: string): Promise<void>;
  /** Some bytes of a section that was checked before. */
  readRange(name: string, offset: number, length: number, into: Uint8Array): void;
  close(): void;
}

/** The header of a segment. */
export interface SegmentMeta extends Meta {
  readonly kind: "segment";
  readonly docs: number;
  /** How the rows were densified. The vocabulary may have grown since. */
  readonly settings: Settings;
  readonly semanticDims: number;
  readonly counts: Counts;
  /** With BM25: the average lengths the rows were weighed with, the least and the largest. */
  readonly averages?: Averages;
  readonly layout?: JsonObject;
}

export interface Averages {
  readonly low: number;
  readonly high: number;
}

/** What a segment holds. The same object serves every snapshot that names the segment: caches may hang on it. */
export class SegmentSource {
  readonly name: string;
  readonly meta: SegmentMeta;
  readonly sections: Sections;
  #ids: IdTable | undefined;
  #rows: Rows | undefined;
  #columns: Promise<Columns> | undefined;
  readonly #closing: (() => void)[] = [];

  constructor(name: string, meta: SegmentMeta, sections: Sections) {
    this.name = name;
    this.meta = meta;
    this.sections = sections;
  }

  get docs(): number {
    return this.meta.docs;
  }

  get ids(): IdTable {
    this.#ids ??= new IdTable(
      this.sections.sectionSync("idStarts") as Uint32Array,
      this.sections.sectionSync("ids") as Uint8Array,
    );
    return this.#ids;
  }

  /** The serial number of each document, ascending. */
  get serials(): Float64Array {
    return this.sections.sectionSync("serials") as Float64Array;
  }

  /** The document with a serial number; undefined when it is not here. */
  docOf(serial: number): number | undefined {
    const { serials } = this;
    let [low, high] = [0, serials.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (serials[middle] < serial) low = middle + 1;
      else high = middle;
    }
    return serials[low] === serial ? low : undefined;
  }

  /** Bytes of the rows: starts, slices, indices, values, semantic part. */
  get rowBytes(): number {
    return ROW_SECTIONS.reduce((sum, name) => sum + this.sections.bytesOf(name), 0);
  }

  async rows(): Promise<Rows> {
    await Promise.all(ROW_SECTIONS.map((name) => this.sections.section(name)));
    return this.rowsSync();
  }

  rowsSync(): Rows {
    if (!this.#rows) {
      const section = <T extends SectionArray>(name: (typeof ROW_SECTIONS)[number]) =>
        this.sections.sectionSync(name) as T;
      this.#rows = {
        docs: this.docs,
        dims: this.meta.settings.dims,
        starts: section<Uint32Array>("starts"),
        slices: section<Uint16Array | Uint32Array>("slices"),
        indices: section<Uint8Array | Uint16Array>("indices"),
        values: section<Uint16Array>("values"),
        semanticDims: this.meta.semanticDims,
        semantic: section<Uint16Array>("semantic"),
      };
    }
    return this.#rows;
  }

  /** Calls back when nobody uses the segment any more: what was made of it elsewhere can go. */
  onClose(callback: () => void): void {
    this.#closing.push(callback);
  }

  close(): void {
    for (const callback of this.#closing.splice(0)) callback();
    this.sections.close();
  }

  /** Lets go of the rows: a merge reads those of many segments once. */
  forgetRows(): void {
    this.#rows = undefined;
    for (const name of ROW_SECTIONS) this.sections.forget(name);
  }

  columns(): Promise<Columns> {
    this.#columns ??= this.#loadColumns();
    return this.#columns;
  }

  async #loadColumns(): Promise<Columns> {
    const [columns, columnCodes] = await Promise.all([
      this.sections.section("columns"),
      this.sections.section("columnCodes"),
    ]);
    return Columns.from({ columns: columns as Uint8Array, columnCodes: columnCodes as Uint8Array });
  }
}

export const ROW_SECTIONS = ["starts", "slices", "indices", "values", "semantic"] as const;

/** A segment as one snapshot sees it. */
export class Segment {
  readonly source: SegmentSource;
  /** The number of its first document in the snapshot. */
  readonly first: number;
  /** Documents that are no longer there, by number within the segment. */
  readonly deleted: Bits | undefined;
  /** How many are still there. */
  readonly live: number;
  readonly #documentOf: (source: SegmentSource, doc: number) => Fields;

  constructor(
    source: SegmentSource,
    first: number,
    deleted: Bits | undefined,
    documentOf: (source: SegmentSource, doc: number) => Fields,
  ) {
    this.source = source;
    this.first = first;
    this.deleted = deleted;
    this.live = source.docs - (deleted?.count() ?? 0);
    this.#documentOf = documentOf;
  }

  /** Documents, deleted ones included. */
  get docs(): number {
    return this.source.docs;
  }

  get layoutMeta(): JsonObject | undefined {
    return this.source.meta.layout;
  }

  idAt(doc: number): string {
    return this.source.ids.at(doc);
  }

  rows(): Promise<Rows> {
    return this.source.rows();
  }

  columns(): Promise<Columns> {
    return this.source.columns();
  }

  section(name: string): Promise<SectionArray> {
    return this.source.sections.section(name);
  }

  readRange(name: string, offset: number, length: number, into: Uint8Array): void {
    this.source.sections.readRange(name, offset, length, into);
  }

  /** The fields of a document, from the database. */
  document(doc: number): Fields {
    return this.#documentOf(this.source, doc);
  }
}
