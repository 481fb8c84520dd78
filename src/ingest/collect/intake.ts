// Documents that are added and deleted → changes that wait for a commit. Documents are collected in memory up to a limit, then
// build/segment-writer.ts writes them as a segment that no commit names yet. So memory does not grow with the number of added
// documents.

import type { Document } from "../../documents/document.ts";
import type { HalfVector } from "../../encode/contract/encoded-document.ts";
import { documentToReplace, isPassage, parsePassageId, passageIdRange } from "../../passages/passage.ts";
import { LONGEST_ID } from "../../segment/rows/ids.ts";
import { DELETED, findStoredSerial, storedIdsBetween } from "../../store/commit/uncommitted.ts";
import type { Database } from "../../store/database/database.ts";
import type { SegmentState } from "../../store/record/commit-record.ts";
import type { OnProgress } from "../../support/options/progress.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import { Turns } from "../../support/work/turns.ts";
import type { RowRules } from "../options/row-rules.ts";
import { assignCells } from "./assign-cells.ts";
import { DocumentBuffer } from "./buffer.ts";
import { checkIdLength, checkReplaced, duplicateIdError, toKeptParts } from "./checked-document.ts";
import { Lexicon } from "./lexicon.ts";
import type { Pending } from "./pending.ts";

/** The most memory that documents in no segment take, in bytes. More makes fewer and larger segments. */
const BUFFER_BYTES = 256 * 1024 * 1024;
/** The most documents that wait in memory. A document counts even after another has replaced it. */
const MOST_IDS = 200_000;

/** What changes are made to: the last commit, or a new index. */
interface IntakeBase {
  readonly database: Database;
  readonly rowRules: RowRules;
  /** Unknown until the first document. */
  readonly semanticDims: number | undefined;
  readonly nextSerial: number;
  /** False if the ids in the database belong to an index that is to be replaced. */
  readonly hasBase: boolean;
  segments(): readonly SegmentState[];
  /** Runs `work` in a transaction. */
  write(work: () => void, bytes: number): void;
}

/** Writes the documents of the buffer. `build/segment-writer.ts` is it: it comes after this room. */
interface BufferWriter {
  /** Called after each document: many are compressed while others arrive. */
  packNext(): void;
  /** Writes all documents of the buffer to a segment. */
  write(lexicon: Lexicon, semanticDims: number, options: WorkOptions): Promise<void>;
  /** Begins with a new buffer. */
  restart(): void;
  /** Releases the segments that were written, and the thread. */
  release(): Promise<void>;
}

/** What one call of `add` changed so far: enough to undo it. */
interface Call {
  /** Documents from this serial number on came with the call. */
  readonly firstSerial: number;
  readonly semanticDims: number | undefined;
  /** By id: the serial number of the document that the call replaced. */
  readonly replaced: Map<string, number>;
}

export interface IntakeOptions {
  /** How many documents spread slicing learns from. */
  readonly spreadSample?: number | undefined;
  /** The most memory that documents in no segment take, in bytes, about. */
  readonly bufferBytes?: number | undefined;
  /** The most ids that wait in memory. */
  readonly bufferIds?: number | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Intake {
  readonly lexicon: Lexicon;
  readonly pending: Pending;
  readonly #base: IntakeBase;
  readonly #options: IntakeOptions;
  readonly #writer: BufferWriter;
  #semanticDims: number | undefined;
  #isSlicingPending: boolean;
  #call: Call | undefined;

  constructor(base: IntakeBase, pending: Pending, writer: BufferWriter, options: IntakeOptions) {
    this.#base = base;
    this.pending = pending;
    this.#writer = writer;
    this.#options = options;
    const { weighting, slicing, vocabularyKind, isSlicingPending, keepsPositions } = base.rowRules;
    this.lexicon = new Lexicon(weighting, slicing, vocabularyKind, isSlicingPending, keepsPositions);
    this.#semanticDims = base.semanticDims;
    this.#isSlicingPending = isSlicingPending;
  }

  get semanticDims(): number | undefined {
    return this.#semanticDims;
  }

  /** Whether the slicing waits for the first documents. */
  get isSlicingPending(): boolean {
    return this.#isSlicingPending;
  }

  /** Whether the first documents gave a slicing, which replaces the one before. */
  get hasNewSlicing(): boolean {
    return this.#base.rowRules.isSlicingPending && !this.#isSlicingPending;
  }

  /** Begins a call of several documents. `endCall` keeps all of them, `undoCall` none. */
  beginCall(): void {
    const { nextSerial } = this.pending;
    this.#call = { firstSerial: nextSerial, semanticDims: this.#semanticDims, replaced: new Map() };
  }

  endCall(): void {
    this.#call = undefined;
    this.pending.buffer.dropHidden();
  }

  /** Undoes all that the call changed. Its serial numbers stay used, because a serial number is never given twice. */
  async undoCall(): Promise<void> {
    const { firstSerial, semanticDims, replaced } = this.#call!;
    const { pending } = this;
    this.#call = undefined;
    for (const [id, serial] of this.#idsFrom(firstSerial)) {
      await this.#remove(id, serial);
      pending.ids.set(id, replaced.get(id) ?? DELETED);
    }
    for (const [id, serial] of replaced) {
      await this.#restore(serial);
      pending.ids.set(id, serial); // the call may have deleted it without adding another
    }
    this.#semanticDims = semanticDims;
    if (pending.buffer.docs === 0) this.#startBuffer();
  }

  /**
   * Adds a document, or throws and changes nothing. `ordinal` counts the documents of a call from 1; errors name it. `encoded` is
   * the vector that an encoder gave it in float16. Returns whether it replaced the document with its id.
   */
  async add(
    document: Document,
    ordinal: number,
    options: { upsert: boolean; onProgress?: OnProgress | undefined },
    encoded?: HalfVector,
  ): Promise<boolean> {
    const { id } = document;
    checkIdLength(id, ordinal);
    const where = `document ${ordinal}, ${JSON.stringify(id)}`;
    const replacedSerial = this.#serialOf(id);
    if (replacedSerial !== undefined && !options.upsert)
      throw duplicateIdError(id, ordinal, replacedSerial < this.#base.nextSerial);
    if (replacedSerial !== undefined)
      checkReplaced(document, ordinal, () => this.pending.fieldsOf(replacedSerial));
    const { json, metadata, vector: semantic } = toKeptParts(document, where, this.#semanticDims, encoded);
    const counting = new Turns().run(this.lexicon.addInSteps(document, where));
    const terms = counting instanceof Promise ? await counting : counting; // most texts are short, and need no pause
    if (replacedSerial !== undefined) await this.#remove(id, replacedSerial);
    const { pending } = this;
    pending.hasChanges = true;
    pending.ids.set(id, pending.nextSerial++);
    pending.buffer.add(id, json, metadata, terms, semantic);
    this.#semanticDims ??= semantic?.length ?? 0;
    this.#writer.packNext();
    if (this.#isFull) await this.#spill(options.onProgress);
    return replacedSerial !== undefined;
  }

  /** Deletes a document. Returns whether it was there. */
  async delete(id: string): Promise<boolean> {
    if (typeof id !== "string" || id === "") return false;
    const serial = this.#serialOf(id);
    if (serial === undefined) return false;
    await this.#remove(id, serial);
    this.pending.hasChanges = true;
    this.pending.ids.set(id, DELETED);
    if (this.#isFull) await this.#spill();
    return true;
  }

  /** Deletes a document and its passages, whatever numbers are missing. Returns how many there were. */
  async deleteWithPassages(documentId: string): Promise<number> {
    let deleted = Number(await this.delete(documentId));
    for (const id of this.#passagesOf(documentId)) deleted += Number(await this.delete(id));
    return deleted;
  }

  /** Deletes what a document that is upserted replaces, besides the document with its id. Returns how many there were. */
  async deleteReplaced(document: Document): Promise<number> {
    const documentId = documentToReplace(document);
    return documentId === undefined ? 0 : this.deleteEarlier(documentId, document.id);
  }

  /**
   * Deletes the earlier version of a document or a file: its passages, and itself if it was not cut. The document with the id
   * `kept` stays. Returns how many there were.
   */
  async deleteEarlier(documentId: string, kept?: string): Promise<number> {
    let deleted = 0;
    for (const id of this.#passagesOf(documentId)) deleted += Number(await this.delete(id));
    // A document with this id may be a passage of a third one: it stays.
    if (documentId !== kept && !this.#isPassage(documentId)) deleted += Number(await this.delete(documentId));
    return deleted;
  }

  /** The ids of the passages of a document, pending changes included. */
  #passagesOf(documentId: string): string[] {
    const range = passageIdRange(documentId);
    const [start, end] = [encoder.encode(range.start), encoder.encode(range.end)];
    if (start.length > LONGEST_ID) return [];
    const ids = new Set(this.pending.ids.findPassageLikeIds(documentId));
    for (const key of storedIdsBetween(this.#base, { start, end })) ids.add(decoder.decode(key));
    return [...ids].filter((id) => parsePassageId(id)?.of === documentId && this.#isPassage(id));
  }

  /** Whether there is a document with this id that is a passage. */
  #isPassage(id: string): boolean {
    if (!parsePassageId(id)) return false;
    const serial = this.#serialOf(id);
    return serial !== undefined && isPassage(id, this.pending.fieldsOf(serial));
  }

  setLambda(lambda: number): void {
    this.pending.lambda = lambda;
    this.pending.hasChanges = true;
  }

  /** Writes the rest of the documents to a segment, and gives all terms a cell. */
  async finish(options: WorkOptions): Promise<void> {
    await this.#flush(options);
    this.#updateSlicing();
  }

  /** Releases the segments that were written, and the thread. */
  async release(): Promise<void> {
    await this.#writer.release();
  }

  /** The segments as the next commit will have them. */
  segments(): SegmentState[] {
    const { deleted } = this.pending;
    const committed = this.#base.segments();
    return [
      ...committed.map((state) => ({ ...state, deleted: deleted.get(state.entry.name) ?? state.deleted })),
      ...this.#written(),
    ];
  }

  /** The segments written since the last commit. */
  #written(): SegmentState[] {
    return this.pending.segments.map(({ entry, source }) => ({
      entry,
      source,
      deleted: this.pending.deleted.get(entry.name),
    }));
  }

  /** The serial number of a document, pending changes included; undefined if there is no such document. */
  #serialOf(id: string): number | undefined {
    const serial = this.pending.ids.get(id) ?? this.#storedSerialOf(id);
    return serial === DELETED ? undefined : serial;
  }

  /** The serial number that the database has. A new index has none until its first documents are written ahead of the commit. */
  #storedSerialOf(id: string): number | undefined {
    if (!this.#base.hasBase && this.pending.segments.length === 0) return undefined;
    const key = encoder.encode(id);
    return key.length > LONGEST_ID ? undefined : findStoredSerial(this.#base, key);
  }

  async #remove(id: string, serial: number): Promise<void> {
    const { pending } = this;
    const call = this.#call;
    const mayComeBack = call !== undefined && serial < call.firstSerial;
    if (mayComeBack) call.replaced.set(id, serial);
    if (this.lexicon.kind === "bm25") {
      const document = pending.fieldsOf(serial) as Document;
      await new Turns().run(this.lexicon.removeInSteps(document, `document ${serial}`));
    }
    if (pending.buffer.holds(serial)) {
      if (mayComeBack) pending.buffer.hide(serial);
      else pending.buffer.drop(serial);
      return;
    }
    const { state, local } = this.#segmentOf(serial);
    pending.markDeleted(state, local);
  }

  /** Restores a document that a call replaced. */
  async #restore(serial: number): Promise<void> {
    const { pending } = this;
    if (!pending.buffer.show(serial)) {
      const { state, local } = this.#segmentOf(serial);
      pending.unmarkDeleted(state, local);
    }
    if (this.lexicon.kind === "bm25") {
      const document = pending.fieldsOf(serial) as Document;
      await new Turns().run(this.lexicon.restoreInSteps(document, `document ${serial}`));
    }
  }

  #segmentOf(serial: number): { state: SegmentState; local: number } {
    for (const state of [...this.#base.segments(), ...this.#written()]) {
      const local = state.source.localOf(serial);
      if (local !== undefined) return { state, local };
    }
    throw new Error(`no segment holds document ${serial}`);
  }

  /** Id and serial number of every pending document from a serial number on, without deleted ones. */
  #idsFrom(serial: number): [id: string, serial: number][] {
    const found = [...this.pending.buffer.idsFrom(serial)];
    for (const { source, deleted } of this.#written()) {
      for (const [local, own] of source.serials.entries()) {
        if (own >= serial && !deleted?.get(local)) found.push([source.ids.at(local), own]);
      }
    }
    return found;
  }

  /** Whether the documents that wait take as much memory as they may. */
  get #isFull(): boolean {
    const { bufferBytes = BUFFER_BYTES, bufferIds = MOST_IDS } = this.#options;
    const { pending } = this;
    // Documents that replace each other have one id, but each takes memory until the buffer is written.
    const most = Math.max(pending.ids.size, pending.buffer.length);
    return pending.buffer.bytes >= bufferBytes || most >= bufferIds;
  }

  /** Writes the documents that wait, ahead of the commit. */
  async #spill(onProgress?: OnProgress): Promise<void> {
    const { pending } = this;
    await this.#flush({ onProgress });
    this.#base.write(() => pending.writeUnsaved(), pending.unsavedBytes);
    pending.unsaved = [];
    pending.ids.clear();
  }

  /** Writes the documents of the buffer to a segment. A signal stops it; then they wait as before. */
  async #flush(options: WorkOptions): Promise<void> {
    if (this.pending.buffer.docs > 0) {
      this.#updateSlicing(options.onProgress);
      await this.#writer.write(this.lexicon, this.#semanticDims ?? 0, options);
    }
    this.#startBuffer();
  }

  #startBuffer(): void {
    this.pending.buffer = new DocumentBuffer(this.pending.nextSerial);
    this.#writer.restart();
  }

  /** Gives new terms a cell. A slicing that waits for the first documents is made from them. */
  #updateSlicing(onProgress?: OnProgress): void {
    const { spreadSample: sample } = this.#options;
    const { buffer } = this.pending;
    this.#isSlicingPending = assignCells(this.lexicon, buffer, this.#isSlicingPending, {
      sample,
      onProgress,
    });
  }
}
