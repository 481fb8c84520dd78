// An index as it was at one moment: what a search runs against. Commits and merges that come later do not change it.

import type { Counts } from "../densify/counts.ts";
import type { Settings, Slicing } from "../densify/slicing.ts";
import type { Fields } from "../documents/document.ts";
import type { Segment } from "../segment/segment.ts";
import type { Quantize } from "../segment/stored-layout.ts";
import { LoadOnce } from "../support/load-once.ts";
import type { LexicalModel } from "../weigh/weighting.ts";
import type { EncoderRecord, VocabularyKind } from "./model-record.ts";

/** Where the parts of a snapshot come from; those behind functions are read when they are needed first. */
interface SnapshotParts {
  readonly generation: number;
  readonly segments: readonly Segment[];
  readonly settings: Settings;
  readonly vocabulary: VocabularyKind;
  readonly semanticDims: number;
  readonly lambda: number;
  readonly counts: Counts;
  readonly encoder?: EncoderRecord;
  readonly quantize?: Quantize;
  slicing(): Slicing;
  lexical(): LexicalModel;
  /** The fields of the document with a serial number. */
  documentWith(serial: number): Fields;
  /** The serial number of the document with an id. */
  serialOf(id: string): number | undefined;
  close(): void;
}

export class Snapshot {
  readonly generation: number;
  /** One behind the other, in the order in which documents came. */
  readonly segments: readonly Segment[];
  readonly settings: Settings;
  readonly vocabulary: VocabularyKind;
  readonly semanticDims: number;
  /** Weight of the semantic part, unless a search says otherwise. */
  readonly lambda: number;
  readonly counts: Counts;
  readonly encoder: EncoderRecord | undefined;
  /** Product codes that the segments have. */
  readonly quantize: Quantize | undefined;
  /** Document numbers are below this; deleted documents have numbers, too. */
  readonly docs: number;
  /** Documents that are there. */
  readonly size: number;
  /** What searches measured of it. */
  readonly loaded = new LoadOnce();
  readonly #parts: SnapshotParts;
  #slicing: Slicing | undefined;
  #lexical: LexicalModel | undefined;
  #ids: readonly string[] | undefined;
  #users = 1;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
    this.generation = parts.generation;
    this.segments = parts.segments;
    this.settings = parts.settings;
    this.vocabulary = parts.vocabulary;
    this.semanticDims = parts.semanticDims;
    this.lambda = parts.lambda;
    this.counts = parts.counts;
    this.encoder = parts.encoder;
    this.quantize = parts.quantize;
    this.docs = parts.segments.reduce((sum, { docs }) => sum + docs, 0);
    this.size = parts.segments.reduce((sum, { live }) => sum + live, 0);
  }

  get slicing(): Slicing {
    this.#slicing ??= this.#parts.slicing();
    return this.#slicing;
  }

  get lexical(): LexicalModel {
    this.#lexical ??= this.#parts.lexical();
    return this.#lexical;
  }

  /** The ids of all documents that are there, in document order. */
  get ids(): readonly string[] {
    this.#ids ??= Array.from(this.#live(), ([segment, doc]) => segment.idAt(doc));
    return this.#ids;
  }

  /** The segment a document number belongs to. */
  segmentOf(number: number): Segment {
    let [low, high] = [0, this.segments.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.segments[middle].first <= number) low = middle;
      else high = middle - 1;
    }
    return this.segments[low];
  }

  idAt(number: number): string {
    const segment = this.segmentOf(number);
    return segment.idAt(number - segment.first);
  }

  document(number: number): Fields {
    const segment = this.segmentOf(number);
    return segment.document(number - segment.first);
  }

  /** The number of the document with an id. */
  numberOf(id: string): number | undefined {
    const serial = this.#parts.serialOf(id);
    if (serial === undefined) return undefined;
    for (const { source, first } of this.segments) {
      const doc = source.docOf(serial);
      if (doc !== undefined) return first + doc;
    }
    return undefined;
  }

  documentOf(id: string): Fields | undefined {
    const serial = this.#parts.serialOf(id);
    return serial === undefined ? undefined : this.#parts.documentWith(serial);
  }

  documentWith(serial: number): Fields {
    return this.#parts.documentWith(serial);
  }

  /** The numbers of the documents that are there, in order. */
  *numbers(): Generator<number> {
    for (const [segment, doc] of this.#live()) yield segment.first + doc;
  }

  /** Whoever uses a snapshot beyond the moment says so; it is closed when the last one is done. */
  retain(): this {
    this.#users++;
    return this;
  }

  release(): void {
    this.#users--;
    if (this.#users === 0) this.#parts.close();
  }

  *#live(): Generator<[Segment, number]> {
    for (const segment of this.segments) {
      for (let doc = 0; doc < segment.docs; doc++) if (!segment.deleted?.get(doc)) yield [segment, doc];
    }
  }
}
