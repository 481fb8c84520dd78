// Documents that were added and are in no segment yet. They are packed: a hundred thousand objects with texts and vectors would
// keep the garbage collector busy. Their fields are kept as JSON, and their metadata in columns, so a commit parses no document.
// The offset of a document is its serial number minus `firstSerial`.

import type { SlicingDocuments } from "../../densify/spread-slicing.ts";
import type { Fields } from "../../documents/document.ts";
import type { Metadata } from "../../documents/filter.ts";
import type { ColumnsData } from "../../segment/columns/columns-builder.ts";
import { ColumnsBuilder } from "../../segment/columns/columns-builder.ts";
import type { FieldCounts } from "../../segment/rows/field-lists.ts";
import type { Occurrences } from "../../segment/rows/position-lists.ts";
import type { DocumentJson } from "../../store/packed/group.ts";
import { BufferedVectors } from "./buffered-vectors.ts";
import type { CountedTerms } from "./lexicon.ts";
import { PackedTexts } from "./packed-texts.ts";
import type { SegmentDocument } from "./segment-document.ts";
import { TermMatrix } from "./term-matrix.ts";

/** Memory of a term: its id and its weight. */
const TERM_BYTES = 12;
/** Memory of an occurrence: the id of its term, and its position. */
const OCCURRENCE_BYTES = 8;
/** Memory of a count: how often a text field has a term. */
const COUNT_BYTES = 4;
/** Memory of a document in addition to what is counted. */
const OVERHEAD_BYTES = 64;

export class DocumentBuffer {
  /** The serial number of the first document. Those of the others follow without a gap. */
  readonly firstSerial: number;
  readonly #ids = new PackedTexts();
  readonly #json = new PackedTexts();
  readonly #columns = new ColumnsBuilder();
  readonly #matrix = new TermMatrix();
  /** By offset: how many terms the text has, repetitions included. */
  readonly #lengths: number[] = [];
  /** By offset: how many terms the vocabulary lacks. */
  readonly #unknown: number[] = [];
  /** By offset, if the index keeps the positions of terms. */
  readonly #occurrences: Occurrences[] = [];
  /** By offset, if the index has text fields. Their counts are in the order of the document's terms. */
  readonly #fieldCounts: FieldCounts[] = [];
  readonly #vectors = new BufferedVectors();
  /** Offsets of documents that were deleted before they were written. */
  readonly #dropped = new Set<number>();
  /** Offsets of documents that a call has replaced. If the call fails, they come back, so they are written all the same. */
  readonly #hidden = new Set<number>();
  #bytes = 0;

  constructor(firstSerial: number) {
    this.firstSerial = firstSerial;
  }

  /** About how much memory the documents take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many documents there are, dropped ones included. */
  get length(): number {
    return this.#lengths.length;
  }

  get docs(): number {
    return this.length - this.#dropped.size;
  }

  add(
    id: string,
    json: string,
    metadata: Metadata,
    { ids, counts, factors, length, unknown, occurrences, byField }: CountedTerms,
    vector?: Float32Array,
  ): void {
    this.#columns.addMetadata(metadata);
    this.#matrix.add(ids, counts, factors);
    this.#lengths.push(length);
    this.#unknown.push(unknown);
    const textBytes = this.#ids.add(id) + this.#json.add(json);
    this.#bytes += OVERHEAD_BYTES + textBytes + TERM_BYTES * ids.length;
    if (occurrences) {
      this.#occurrences.push(occurrences);
      this.#bytes += OCCURRENCE_BYTES * occurrences.ids.length;
    }
    if (byField) {
      this.#fieldCounts.push(byField);
      this.#bytes += COUNT_BYTES * byField.counts.length;
    }
    if (!vector) return;
    this.#vectors.add(vector);
    this.#bytes += 2 * vector.length;
  }

  /** Gives every term its new id: `renumbered[old]`. */
  renumber(renumbered: Uint32Array): void {
    this.#matrix.renumber(renumbered);
    for (const [at, { ids, positions }] of this.#occurrences.entries())
      this.#occurrences[at] = { ids: Uint32Array.from(ids, (id) => renumbered[id]), positions };
  }

  holds(serial: number): boolean {
    const at = serial - this.firstSerial;
    return at >= 0 && at < this.length && !this.#dropped.has(at) && !this.#hidden.has(at);
  }

  drop(serial: number): void {
    this.#dropped.add(serial - this.firstSerial);
  }

  /** Treats a document as dropped, until `show` or `dropHidden`. */
  hide(serial: number): void {
    this.#hidden.add(serial - this.firstSerial);
  }

  /** Returns whether the document was hidden. */
  show(serial: number): boolean {
    return this.#hidden.delete(serial - this.firstSerial);
  }

  dropHidden(): void {
    for (const at of this.#hidden) this.#dropped.add(at);
    this.#hidden.clear();
  }

  /** Serial numbers of hidden documents. */
  *hidden(): Generator<number> {
    for (const at of this.#hidden) yield this.firstSerial + at;
  }

  /** Id and serial number of each document from a serial number on. */
  *idsFrom(serial: number): Generator<[id: string, serial: number]> {
    for (const at of this.#kept(Math.max(0, serial - this.firstSerial))) {
      if (!this.#hidden.has(at)) yield [this.#ids.at(at), this.firstSerial + at];
    }
  }

  /** The fields of one document, for a change that replaces or deletes it. */
  fieldsOf(serial: number): Fields {
    return JSON.parse(this.#json.at(serial - this.firstSerial));
  }

  /** The terms and the length of each document, for a slicing to learn from. */
  slicingDocuments(): SlicingDocuments {
    const kept = [...this.#kept()];
    const at = (doc: number) => ({ terms: this.#matrix.at(kept[doc]), length: this.#lengths[kept[doc]] });
    return { docs: kept.length, at };
  }

  /** The documents that were not dropped, in order. */
  *documents(): Generator<SegmentDocument> {
    for (const at of this.#kept()) {
      const [occurrences, byField] = [this.#occurrences[at], this.#fieldCounts[at]];
      yield {
        id: this.#ids.bytesAt(at),
        serial: this.firstSerial + at,
        terms: this.#matrix.at(at),
        length: this.#lengths[at],
        unknown: this.#unknown[at],
        ...(occurrences && { occurrences }),
        ...(byField && { byField }),
      };
    }
  }

  /** The metadata of `documents()`. */
  columns(): ColumnsData {
    return (this.#dropped.size === 0 ? this.#columns : this.#columns.without(this.#dropped)).finish();
  }

  /** A copy of the vectors of `documents()`, one after another, as float16 bits. */
  vectors(semanticDims: number): Uint16Array {
    // Shared memory, so that a thread can lay them out without another copy.
    const vectors = new Uint16Array(new SharedArrayBuffer(2 * this.docs * semanticDims));
    if (semanticDims === 0) return vectors;
    if (this.#dropped.size === 0) this.#vectors.copyTo(vectors);
    else
      for (const [doc, at] of [...this.#kept()].entries())
        vectors.set(this.#vectors.at(at), semanticDims * doc);
    return vectors;
  }

  /** Bytes of JSON from an offset on, dropped documents included. */
  jsonBytesFrom(offset: number): number {
    return this.#json.bytesFrom(offset);
  }

  /** Each document from an offset on, as the database stores it. */
  *stored(from = 0): Generator<DocumentJson> {
    for (const at of this.#kept(from)) yield { serial: this.firstSerial + at, json: this.#json.bytesAt(at) };
  }

  *#kept(from = 0): Generator<number> {
    for (let at = from; at < this.length; at++) if (!this.#dropped.has(at)) yield at;
  }
}
