// A segment: documents that were written together, and never change. A snapshot sees segments one behind the other,
// each with a set of documents that were deleted since.

import type { Counts } from "../densify/counts.ts";
import { packedBytes, type Row, type Rows, rowAt } from "../densify/rows.ts";
import type { Settings } from "../densify/slicing.ts";
import { Columns } from "../documents/columns.ts";
import type { Fields } from "../documents/document.ts";
import type { Bits } from "../support/bits.ts";
import type { Meta, SectionArray } from "./container-format.ts";
import { IdTable } from "./ids.ts";
import type { LayoutMeta } from "./layout.ts";
import { type Inverted, LIST_SECTIONS, rowIn, uninvert, wrongWith } from "./postings.ts";
import { type JsonObject, layoutSection } from "./stored-layout.ts";

/** Arrays by name, on disk or in memory. */
export interface Sections {
  /** Of the whole file, where there is one. */
  readonly bytes?: number;
  readonly names: readonly string[];
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

  /** Bytes of the rows as a kernel takes them, wherever they are kept. */
  get rowBytes(): number {
    const { docs, counts, semanticDims, settings } = this.meta;
    return packedBytes(docs, counts.kept, settings, semanticDims);
  }

  /** Bytes that exact scores need: of rows, or of what lists say of their values; and of vectors. */
  get exactBytes(): number {
    const names = this.#lists ? [layoutSection("postingValues"), "semantic"] : ROW_SECTIONS;
    return names.reduce((sum, name) => sum + this.sections.bytesOf(name), 0);
  }

  async rows(): Promise<Rows> {
    await Promise.all(this.#rowSections.map((name) => this.sections.section(name)));
    return this.rowsSync();
  }

  rowsSync(): Rows {
    this.#rows ??= {
      docs: this.docs,
      dims: this.meta.settings.dims,
      ...this.#lexicalRows(),
      semanticDims: this.meta.semanticDims,
      semantic: this.#section<Uint16Array>("semantic"),
    };
    return this.#rows;
  }

  /** The row of one document, without its vector. */
  rowSync(doc: number): Row {
    const lists = this.#lists;
    if (this.#rows || !lists) return rowAt(this.rowsSync(), doc);
    return rowIn(this.#inverted(lists), this.meta.settings.dims, doc, lists.windowDocs);
  }

  /** The vector of one document, float16 bits. */
  async vector(doc: number): Promise<Uint16Array> {
    const vector = new Uint16Array(this.meta.semanticDims);
    if (vector.length === 0) return vector;
    await this.sections.check("semantic");
    this.sections.readRange(
      "semantic",
      doc * vector.byteLength,
      vector.byteLength,
      new Uint8Array(vector.buffer),
    );
    return vector;
  }

  #lexicalRows(): Pick<Rows, "starts" | "slices" | "indices" | "values"> {
    const lists = this.#lists;
    if (!lists) {
      return {
        starts: this.#section<Uint32Array>("starts"),
        slices: this.#section<Uint16Array | Uint32Array>("slices"),
        indices: this.#section<Uint8Array | Uint16Array>("indices"),
        values: this.#section<Uint16Array>("values"),
      };
    }
    const { dims, perSlice } = this.meta.settings;
    return uninvert(this.#inverted(lists), { docs: this.docs, dims, perSlice }, lists.windowDocs);
  }

  /** What the layout says of its lists, where rows are stored as such. */
  get #lists(): { windowDocs: number; windowCells: readonly number[] } | undefined {
    if (this.sections.has("starts")) return undefined;
    const { windowDocs, lexical } = this.meta.layout as unknown as LayoutMeta;
    return lexical.kind === "inverted" ? { windowDocs, windowCells: lexical.windowCells } : undefined;
  }

  #inverted({ windowCells }: { windowCells: readonly number[] }): Inverted {
    const section = <T extends SectionArray>(name: (typeof LIST_SECTIONS)[number]) =>
      this.#section<T>(layoutSection(name));
    return {
      windowCells,
      cells: section<Uint32Array>("cells"),
      cellStarts: section<Uint32Array>("cellStarts"),
      cellTops: section<Uint16Array>("cellTops"),
      postingDocs: section<Uint16Array>("postingDocs"),
      postingValues: section<Uint16Array>("postingValues"),
    };
  }

  /** What is wrong with its lists, where it has them instead of rows. */
  async wrongWithLists(): Promise<string | undefined> {
    const lists = this.#lists;
    if (!lists) return undefined;
    await Promise.all(this.#rowSections.map((name) => this.sections.section(name)));
    return wrongWith(this.#inverted(lists), this.docs, lists.windowDocs);
  }

  get #rowSections(): readonly string[] {
    return this.#lists ? [...LIST_SECTIONS.map(layoutSection), "semantic"] : ROW_SECTIONS;
  }

  #section<T extends SectionArray>(name: string): T {
    return this.sections.sectionSync(name) as T;
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
    for (const name of this.#rowSections) this.sections.forget(name);
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

/** Where rows are stored as such. Where the layout has lists, these are all there is of the first four. */
const ROW_SECTIONS = ["starts", "slices", "indices", "values", "semantic"] as const;

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
