// A segment: documents that were written together and never change. A snapshot is a sequence of segments, each with the
// set of documents that were deleted since.

import type { DensifyCounts } from "../densify/counts.ts";
import { packedBytes, type Row, type Rows, rowAt } from "../densify/rows.ts";
import type { StoredSlicing } from "../densify/slicing.ts";
import type { Fields } from "../documents/document.ts";
import type { Bits } from "../support/numbers/bits.ts";
import { firstAtLeast } from "../support/numbers/sorted.ts";
import { LoadOnce } from "../support/work/load-once.ts";
import { Columns } from "./columns/columns.ts";
import type { Meta, SectionArray, TypeName } from "./container/container-format.ts";
import { type LayoutMeta, layoutSection } from "./layout.ts";
import { findGapProblem, GAP_SECTIONS, type GapLists } from "./lexical/gap-lists.ts";
import type { WindowStarts } from "./lexical/packed-cells.ts";
import { LIST_SECTIONS, type PackedLists, unpackLists } from "./lexical/packed-postings.ts";
import { findProblem, type PostingLists, rowFromLists, rowsFromLists } from "./lexical/postings.ts";
import { FactorLists } from "./rows/factor-lists.ts";
import { FieldLists } from "./rows/field-lists.ts";
import { IdTable } from "./rows/ids.ts";
import { PositionLists } from "./rows/position-lists.ts";
import { unpackSerials } from "./rows/serials.ts";

/** Arrays by name, on disk or in memory. */
export interface Sections {
  /** Bytes of the whole file; undefined in memory. */
  readonly bytes?: number;
  readonly names: readonly string[];
  has(name: string): boolean;
  bytesOf(name: string): number;
  typeOf(name: string): TypeName;
  /** A whole section. It is read and verified on first use, and kept. */
  loadSection(name: string): Promise<SectionArray>;
  sectionSync(name: string): SectionArray;
  /** Drops a section from memory. The next use reads it again. */
  forget(name: string): void;
  /** Reads a section into the caller's memory and verifies it. Nothing is kept. */
  readInto(name: string, into: Uint8Array): Promise<void>;
  /** Verifies a section, before parts of it are read. */
  verifySection(name: string): Promise<void>;
  /** Reads a part of a section that was verified before. */
  readRange(name: string, offset: number, length: number, into: Uint8Array): void;
  close(): void;
}

/** The header of a segment. */
export interface SegmentMeta extends Meta {
  readonly kind: "segment";
  readonly docs: number;
  /** How the rows were densified. The vocabulary may have grown since. */
  readonly settings: StoredSlicing;
  readonly semanticDims: number;
  readonly counts: DensifyCounts;
  /** With BM25: the smallest and the largest average length that rows were weighted with. */
  readonly averages?: AverageLengths;
  readonly layout?: LayoutMeta;
}

export interface AverageLengths {
  readonly low: number;
  readonly high: number;
}

/** What the header says about posting lists. */
interface StoredLists extends WindowStarts {
  readonly windowDocs: number;
}

/** What a segment holds. All snapshots that name the segment share one object. */
export class SegmentSource {
  readonly name: string;
  readonly meta: SegmentMeta;
  readonly sections: Sections;
  /** What searches load of it. */
  readonly loaded = new LoadOnce();
  #ids: IdTable | undefined;
  #serials: Float64Array | undefined;
  #unpacked: PostingLists | undefined;
  #rows: Rows | undefined;
  #columns: Promise<Columns> | undefined;
  readonly #closing: (() => void)[] = [];

  constructor(name: string, meta: SegmentMeta, sections: Sections) {
    this.name = name;
    this.meta = meta;
    this.sections = sections;
  }

  /** How many rows it has: one for each document that was written. */
  get rowCount(): number {
    return this.meta.docs;
  }

  get ids(): IdTable {
    if (!this.#ids) {
      const [lengths, bytes] = ID_SECTIONS.map((name) => this.sections.sectionSync(name) as Uint8Array);
      this.#ids = IdTable.unpack({ lengths, bytes }, this.rowCount);
      for (const name of ID_SECTIONS) this.sections.forget(name);
    }
    return this.#ids;
  }

  /** The serial number of each document, ascending. */
  get serials(): Float64Array {
    this.#serials ??= unpackSerials(this.sections.sectionSync("serials") as Uint8Array, this.rowCount);
    return this.#serials;
  }

  /** The local of the document with a serial number; undefined if it is not in this segment. */
  localOf(serial: number): number | undefined {
    const { serials } = this;
    const local = firstAtLeast(serials, serial);
    return serials[local] === serial ? local : undefined;
  }

  /** Bytes of the rows in memory, however they are stored. */
  get rowBytes(): number {
    const { docs, counts, semanticDims, settings } = this.meta;
    return packedBytes(docs, counts.kept, settings, semanticDims);
  }

  /** Bytes that exact scores need: rows or the values of postings, and vectors. */
  get exactBytes(): number {
    const names = this.#lists ? (["semantic"] as const) : ROW_SECTIONS;
    const values = this.#lists ? 2 * this.meta.counts.kept : 0;
    return names.reduce((sum, name) => sum + this.sections.bytesOf(name), values);
  }

  async loadRows(): Promise<Rows> {
    await Promise.all(this.#rowSections.map((name) => this.sections.loadSection(name)));
    return this.readRows();
  }

  readRows(): Rows {
    this.#rows ??= {
      docs: this.rowCount,
      dims: this.meta.settings.dims,
      ...this.#lexicalRows(),
      semanticDims: this.meta.semanticDims,
      semantic: this.#section<Uint16Array>("semantic"),
    };
    return this.#rows;
  }

  /** The row of one document, without its vector. */
  readRow(local: number): Row {
    const lists = this.#lists;
    if (this.#rows || !lists) return rowAt(this.readRows(), local);
    return rowFromLists(this.#unpackLists(lists), this.meta.settings.dims, local, lists.windowDocs);
  }

  /** The vector of one document, float16 bits. */
  async readVector(local: number): Promise<Uint16Array> {
    const vector = new Uint16Array(this.meta.semanticDims);
    if (vector.length === 0) return vector;
    await this.sections.verifySection("semantic");
    this.sections.readRange(
      "semantic",
      local * vector.byteLength,
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
    return rowsFromLists(this.#unpackLists(lists), { docs: this.rowCount, dims, perSlice }, lists.windowDocs);
  }

  /** What the header says about posting lists; undefined if rows are stored as rows. */
  get #lists(): StoredLists | undefined {
    if (this.sections.has("starts")) return undefined;
    const { windowDocs, lexical } = this.meta.layout!;
    return lexical.kind === "inverted" ? { windowDocs, ...lexical } : undefined;
  }

  /** Unpacks the posting lists, and keeps them until `forgetRows`. */
  #unpackLists(lists: StoredLists): PostingLists {
    this.#unpacked ??= unpackLists(this.#readPackedLists(), lists, this.rowCount, lists.windowDocs);
    return this.#unpacked;
  }

  #readPackedLists(): PackedLists {
    const sections = LIST_SECTIONS.map((name) => [name, this.#section(layoutSection(name))]);
    return Object.fromEntries(sections) as PackedLists;
  }

  /** The values of all postings, float16 bits. */
  async loadPostingValues(): Promise<Uint16Array> {
    const names = LIST_SECTIONS.map(layoutSection);
    await Promise.all(names.map((name) => this.sections.loadSection(name)));
    const { postingValues } = this.#unpacked ?? this.#unpackLists(this.#lists!);
    this.#unpacked = undefined;
    for (const name of names) this.sections.forget(name);
    return postingValues;
  }

  /** Says what is wrong with its posting lists; undefined if nothing is, or if it has none. */
  async findProblemOfLists(): Promise<string | undefined> {
    const lists = this.#lists;
    if (!lists) return this.#findProblemOfGaps();
    await Promise.all(this.#rowSections.map((name) => this.sections.loadSection(name)));
    return findProblem(this.#unpackLists(lists), this.rowCount, lists.windowDocs);
  }

  async #findProblemOfGaps(): Promise<string | undefined> {
    const { layout } = this.meta;
    if (layout?.lexical.kind !== "gaps") return undefined;
    const names = GAP_SECTIONS.map(layoutSection);
    const arrays = await Promise.all(names.map((name) => this.sections.loadSection(name)));
    for (const name of names) this.sections.forget(name);
    const lists = Object.fromEntries(GAP_SECTIONS.map((name, i) => [name, arrays[i]]));
    return findGapProblem(lists as unknown as GapLists, layout.lexical, this.rowCount, layout.windowDocs);
  }

  get #rowSections(): readonly string[] {
    return this.#lists ? [...LIST_SECTIONS.map(layoutSection), "semantic"] : ROW_SECTIONS;
  }

  #section<T extends SectionArray>(name: string): T {
    return this.sections.sectionSync(name) as T;
  }

  /** Calls back when the segment is no longer used, so that data derived from it can be freed. */
  onClose(callback: () => void): void {
    this.#closing.push(callback);
  }

  close(): void {
    for (const callback of this.#closing.splice(0)) callback();
    this.loaded.clear();
    this.sections.close();
  }

  /** Drops the rows from memory: a merge reads the rows of many segments once. */
  forgetRows(): void {
    this.#rows = undefined;
    this.#unpacked = undefined;
    for (const name of this.#rowSections) this.sections.forget(name);
  }

  columns(): Promise<Columns> {
    this.#columns ??= this.#loadColumns();
    return this.#columns;
  }

  /** The factors of BM25's weights; undefined if all are 1. */
  async loadFactors(): Promise<FactorLists | undefined> {
    const [starts, values] = FACTOR_SECTIONS;
    if (!this.sections.has(starts)) return undefined;
    const arrays = await Promise.all([this.sections.loadSection(starts), this.sections.loadSection(values)]);
    return new FactorLists(arrays[0] as Uint32Array, arrays[1] as Uint16Array);
  }

  /** Where the terms of its documents stand; undefined if the index does not keep positions. */
  async loadPositions(): Promise<PositionLists | undefined> {
    const [directory, lists] = POSITION_SECTIONS;
    if (!this.sections.has(directory)) return undefined;
    return this.loaded.get("positions", async () => {
      const arrays = await Promise.all([
        this.sections.loadSection(directory),
        this.sections.loadSection(lists),
      ]);
      return new PositionLists(arrays[0] as Uint8Array, arrays[1] as Uint8Array);
    });
  }

  /** How often each text field has each term; undefined if the index has no text fields. */
  async loadFieldLists(): Promise<FieldLists | undefined> {
    if (!this.sections.has(FIELD_SECTIONS[0])) return undefined;
    return this.loaded.get("fields", async () => {
      const arrays = await Promise.all(FIELD_SECTIONS.map((name) => this.sections.loadSection(name)));
      const [directory, lists, lengths] = arrays as Uint8Array[];
      return FieldLists.unpack(directory, lists, lengths, this.rowCount);
    });
  }

  async #loadColumns(): Promise<Columns> {
    const [columns, columnCodes] = await Promise.all([
      this.sections.loadSection("columns"),
      this.sections.loadSection("columnCodes"),
    ]);
    return Columns.from({ columns: columns as Uint8Array, columnCodes: columnCodes as Uint8Array });
  }
}

/** The sections of ids, which are packed. */
const ID_SECTIONS = ["idLengths", "ids"] as const;

/** The sections of factors that multiply BM25's weights. Segments without such factors lack them. */
export const FACTOR_SECTIONS = ["factorStarts", "factors"] as const;

/** The sections of positions. Only an index that keeps them has them. */
export const POSITION_SECTIONS = ["positionDirectory", "positions"] as const;

/** The sections of counts by text field. Only an index with text fields has them. */
export const FIELD_SECTIONS = ["fieldDirectory", "fieldCounts", "fieldLengths"] as const;

/** The sections of rows. A segment with posting lists does not have the first four. */
const ROW_SECTIONS = ["starts", "slices", "indices", "values", "semantic"] as const;

/** A segment as one snapshot sees it. */
export class Segment {
  readonly source: SegmentSource;
  /** The `doc` of its first document. */
  readonly first: number;
  /** By local: the deleted documents. */
  readonly deleted: Bits | undefined;
  /** How many documents are not deleted. */
  readonly docs: number;
  readonly #documentOf: (source: SegmentSource, local: number) => Fields;

  constructor(
    source: SegmentSource,
    first: number,
    deleted: Bits | undefined,
    documentOf: (source: SegmentSource, local: number) => Fields,
  ) {
    this.source = source;
    this.first = first;
    this.deleted = deleted;
    this.docs = source.rowCount - (deleted?.count() ?? 0);
    this.#documentOf = documentOf;
  }

  /** How many rows, including the rows of deleted documents. */
  get rowCount(): number {
    return this.source.rowCount;
  }

  idAt(local: number): string {
    return this.source.ids.at(local);
  }

  loadRows(): Promise<Rows> {
    return this.source.loadRows();
  }

  columns(): Promise<Columns> {
    return this.source.columns();
  }

  /** The fields of a document, from the database. */
  document(local: number): Fields {
    return this.#documentOf(this.source, local);
  }
}

/** The segment that holds a doc. Segments are in the order of their docs. */
export function segmentAt<T extends { readonly first: number }>(segments: readonly T[], doc: number): T {
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (segments[middle].first <= doc) low = middle;
    else high = middle - 1;
  }
  return segments[low];
}
