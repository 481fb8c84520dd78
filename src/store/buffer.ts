// Documents that were added and are not in a segment yet, packed: an object for each of a hundred thousand, with its
// text and its vector, would keep the garbage collector busy.

import type { TaughtBy } from "../densify/teach.ts";
import { TermMatrix } from "../densify/term-matrix.ts";
import type { Fields } from "../documents/document.ts";
import type { SegmentDocument } from "../segment/segment-builder.ts";
import { toFloat16s } from "../support/float16.ts";
import { grown } from "../support/grown.ts";
import { Texts } from "../support/texts.ts";
import type { StoredDocument } from "./group.ts";
import type { CountedTerms } from "./lexicon.ts";

/** Of a term that waits: its id and its weight. */
const TERM_BYTES = 12;
/** Of a document that waits, beside what is counted. */
const OVERHEAD_BYTES = 64;

export class DocumentBuffer {
  /** Serial numbers go on from here without a gap. */
  readonly firstSerial: number;
  readonly #ids = new Texts();
  readonly #json = new Texts();
  readonly #matrix = new TermMatrix();
  /** Terms of each text, repetitions included. */
  readonly #lengths: number[] = [];
  /** Terms of each text that the vocabulary lacks. */
  readonly #unknown: number[] = [];
  /** float16 bits. */
  #vectors: Uint16Array = new Uint16Array(0);
  #vectorsEnd = 0;
  /** By position: those that were deleted before they were ever written. */
  readonly #dropped = new Set<number>();
  /** By position: those that a call which may yet fail has replaced. They are written, so that they can come back. */
  readonly #hidden = new Set<number>();
  #bytes = 0;

  constructor(firstSerial: number) {
    this.firstSerial = firstSerial;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Documents, dropped ones included. */
  get length(): number {
    return this.#lengths.length;
  }

  get docs(): number {
    return this.length - this.#dropped.size;
  }

  add(
    id: string,
    json: string,
    { ids, weights, length, unknown }: CountedTerms,
    vector?: Float32Array,
  ): void {
    this.#matrix.add(ids, weights);
    this.#lengths.push(length);
    this.#unknown.push(unknown);
    const textBytes = this.#ids.add(id) + this.#json.add(json);
    this.#bytes += OVERHEAD_BYTES + textBytes + TERM_BYTES * ids.length;
    if (!vector) return;
    const end = this.#vectorsEnd + vector.length;
    this.#vectors = grown(this.#vectors, end);
    toFloat16s(vector, this.#vectors, this.#vectorsEnd);
    this.#vectorsEnd = end;
    this.#bytes += 2 * vector.length;
  }

  /** Gives every term its new id: `renumbered[old]`. */
  renumber(renumbered: Uint32Array): void {
    this.#matrix.renumber(renumbered);
  }

  holds(serial: number): boolean {
    const at = serial - this.firstSerial;
    return at >= 0 && at < this.length && !this.#dropped.has(at) && !this.#hidden.has(at);
  }

  drop(serial: number): void {
    this.#dropped.add(serial - this.firstSerial);
  }

  /** As if dropped, until `unhide` or `dropHidden`. */
  hide(serial: number): void {
    this.#hidden.add(serial - this.firstSerial);
  }

  /** Whether it was hidden, and now is not. */
  unhide(serial: number): boolean {
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

  fieldsOf(serial: number): Fields {
    return JSON.parse(this.#json.at(serial - this.firstSerial));
  }

  /** Terms and length of each document, for a slicing to learn from. */
  taught(): TaughtBy {
    const kept = [...this.#kept()];
    const at = (doc: number) => ({ terms: this.#matrix.at(kept[doc]), length: this.#lengths[kept[doc]] });
    return { docs: kept.length, at };
  }

  *documents(): Generator<SegmentDocument> {
    for (const at of this.#kept()) {
      yield {
        id: this.#ids.bytesAt(at),
        serial: this.firstSerial + at,
        fields: JSON.parse(this.#json.at(at)),
        terms: this.#matrix.at(at),
        length: this.#lengths[at],
        unknown: this.#unknown[at],
      };
    }
  }

  /** The vectors of `documents`, one behind the other, as float16 bits: for them to keep. */
  vectors(semanticDims: number): Uint16Array {
    // Shared, so that they need not be copied for a thread that lays them out.
    const vectors = new Uint16Array(new SharedArrayBuffer(2 * this.docs * semanticDims));
    let doc = 0;
    for (const at of this.#kept()) {
      vectors.set(this.#vectors.subarray(at * semanticDims, (at + 1) * semanticDims), semanticDims * doc++);
    }
    return vectors;
  }

  /** JSON of documents from a position on, dropped ones included. */
  jsonBytesFrom(position: number): number {
    return this.#json.bytesFrom(position);
  }

  /** What the database keeps of each document, from a position on. */
  *stored(from = 0): Generator<StoredDocument> {
    for (const at of this.#kept(from)) yield { serial: this.firstSerial + at, json: this.#json.bytesAt(at) };
  }

  *#kept(from = 0): Generator<number> {
    for (let at = from; at < this.length; at++) if (!this.#dropped.has(at)) yield at;
  }
}
