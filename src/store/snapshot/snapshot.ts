// The index as of one commit: what a search runs against. Later commits and merges do not change it.

import type { DensifyCounts } from "../../densify/counts.ts";
import type { Slicing, SlicingSettings } from "../../densify/slicing.ts";
import type { Fields } from "../../documents/document.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import type { CodeOptions } from "../../segment/layout.ts";
import { type Segment, segmentAt } from "../../segment/segment.ts";
import { toFloat32s } from "../../support/numbers/float16.ts";
import { LoadOnce } from "../../support/work/load-once.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import type { VocabularyKind } from "../record/analyzer-record.ts";
import { WeakList } from "./weak-list.ts";

/** What a snapshot is made of. The functions read from the database on first use. */
interface SnapshotParts {
  readonly generation: number;
  /** Within an epoch, a serial number means the same document in every snapshot. Absent where serial numbers are not used. */
  readonly epoch?: number;
  readonly segments: readonly Segment[];
  readonly slicingSettings: SlicingSettings;
  readonly vocabularyKind: VocabularyKind;
  readonly semanticDims: number;
  readonly lambda: number;
  readonly densifyCounts: DensifyCounts;
  /** How many documents there are, if they are in no segment of this process but on a cluster. */
  readonly docsElsewhere?: number;
  readonly encoder?: EncoderRecord;
  readonly quantize?: CodeOptions;
  readonly keepsPositions: boolean;
  slicing(): Slicing;
  weighting(): Weighting;
  /** The fields of the document with a serial number. */
  documentWith(serial: number): Fields;
  /** The serial number of the document with an id. */
  serialOf(id: string): number | undefined;
  close(): void;
}

/** Unread documents of hits that a caller still references. */
interface HeldDocuments {
  /** Moves on to a later snapshot, in steps. */
  moveTo(next: Snapshot): Generator<undefined, void>;
}

export class Snapshot {
  readonly generation: number;
  /** In the order in which their documents were added. */
  readonly segments: readonly Segment[];
  readonly slicingSettings: SlicingSettings;
  readonly vocabularyKind: VocabularyKind;
  readonly semanticDims: number;
  /** Weight of the semantic part, unless a search says otherwise. */
  readonly lambda: number;
  readonly densifyCounts: DensifyCounts;
  readonly encoder: EncoderRecord | undefined;
  /** The shape of the segments' product codes. */
  readonly quantize: CodeOptions | undefined;
  /** Whether its segments have the positions of terms. */
  readonly keepsPositions: boolean;
  /** How many rows the segments have, including the rows of deleted documents: every doc is below this. */
  readonly rowCount: number;
  /** How many documents are not deleted. */
  readonly docs: number;
  /** What searches have computed of this commit, such as the threshold of meaning. Each is computed once. */
  readonly computed = new LoadOnce();
  /** Unread documents of hits that a caller still references. */
  readonly lazyDocuments = new WeakList<HeldDocuments>();
  readonly #parts: SnapshotParts;
  #slicing: Slicing | undefined;
  #weighting: Weighting | undefined;
  #ids: readonly string[] | undefined;
  #users = 1;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
    this.generation = parts.generation;
    this.segments = parts.segments;
    this.slicingSettings = parts.slicingSettings;
    this.vocabularyKind = parts.vocabularyKind;
    this.semanticDims = parts.semanticDims;
    this.lambda = parts.lambda;
    this.densifyCounts = parts.densifyCounts;
    this.encoder = parts.encoder;
    this.quantize = parts.quantize;
    this.keepsPositions = parts.keepsPositions;
    this.rowCount = parts.segments.reduce((sum, { rowCount }) => sum + rowCount, 0);
    this.docs = parts.docsElsewhere ?? parts.segments.reduce((sum, { docs }) => sum + docs, 0);
  }

  /** Whether documents came with their own vectors, so that no encoder turns the text of a query into one. */
  get hasOwnVectors(): boolean {
    return this.semanticDims > 0 && this.encoder === undefined;
  }

  get slicing(): Slicing {
    this.#slicing ??= this.#parts.slicing();
    return this.#slicing;
  }

  get weighting(): Weighting {
    this.#weighting ??= this.#parts.weighting();
    return this.#weighting;
  }

  /** The ids of all documents that are not deleted, in the order of their docs. */
  get ids(): readonly string[] {
    this.#ids ??= Array.from(this.#undeleted(), ([segment, local]) => segment.idAt(local));
    return this.#ids;
  }

  /** The segment that holds a doc. */
  segmentOf(doc: number): Segment {
    return segmentAt(this.segments, doc);
  }

  idAt(doc: number): string {
    const segment = this.segmentOf(doc);
    return segment.idAt(doc - segment.first);
  }

  document(doc: number): Fields {
    const segment = this.segmentOf(doc);
    return segment.document(doc - segment.first);
  }

  /** The stored vector of a document: it is rounded to float16. Undefined if the index has no vectors. */
  async readVector(doc: number): Promise<Float32Array | undefined> {
    if (this.semanticDims === 0) return undefined;
    const { source, first } = this.segmentOf(doc);
    return toFloat32s(await source.readVector(doc - first));
  }

  /** The doc of the document with an id; undefined if no document has this id. */
  docOf(id: string): number | undefined {
    const serial = this.#parts.serialOf(id);
    if (serial === undefined) return undefined;
    for (const { source, first } of this.segments) {
      const local = source.localOf(serial);
      if (local !== undefined) return first + local;
    }
    return undefined;
  }

  /** The doc that a document of this snapshot has in a later one; undefined if it was deleted or replaced. */
  docIn(later: Snapshot, doc: number): number | undefined {
    if (this.#parts.epoch === undefined || this.#parts.epoch !== later.#parts.epoch) return undefined;
    const { source, first } = this.segmentOf(doc);
    const serial = source.serials[doc - first];
    for (const segment of later.segments) {
      const local = segment.source.localOf(serial);
      if (local !== undefined) return segment.deleted?.get(local) ? undefined : segment.first + local;
    }
    return undefined;
  }

  /** The fields of the document with a serial number, even if it was deleted since. */
  documentWith(serial: number): Fields {
    return this.#parts.documentWith(serial);
  }

  /** The doc of every document that is not deleted, ascending. */
  *eachDoc(): Generator<number> {
    for (const [segment, local] of this.#undeleted()) yield segment.first + local;
  }

  /** Whether more than one user keeps it open. */
  get isShared(): boolean {
    return this.#users > 1;
  }

  /** Keeps the snapshot open until a `release` for this call. The last release closes it. */
  retain(): this {
    this.#users++;
    return this;
  }

  release(): void {
    this.#users--;
    if (this.#users === 0) this.#parts.close();
  }

  *#undeleted(): Generator<[segment: Segment, local: number]> {
    for (const segment of this.segments) {
      for (let local = 0; local < segment.rowCount; local++) {
        if (!segment.deleted?.get(local)) yield [segment, local];
      }
    }
  }
}
