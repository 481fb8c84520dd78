// A writer of an index on a cluster. Changes wait in memory, or on the cluster where no commit shows them. A commit sends the rest,
// writes terms and statistics, and then replaces the commit record, which shows all of it at once. A writer that is killed at any
// moment leaves the last commit as it was: what it sent belongs to a generation that nobody commits.
//
// Any number of writers may begin. The first one to commit wins, and the others get an error when they commit.

import type { Document, Fields } from "../../documents/document.ts";
import { accepts, type Condition } from "../../documents/filter.ts";
import { EncodedDocument } from "../../encode/contract/encoded-document.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import { SegmentBuilder } from "../../ingest/build/segment-builder.ts";
import { assignCells } from "../../ingest/collect/assign-cells.ts";
import {
  checkIdLength,
  checkReplaced,
  duplicateIdError,
  toKeptParts,
} from "../../ingest/collect/checked-document.ts";
import { Lexicon } from "../../ingest/collect/lexicon.ts";
import type { DeleteOptions } from "../../ingest/options/delete-options.ts";
import type { NewIndex } from "../../ingest/options/new-index.ts";
import type { RowRules } from "../../ingest/options/row-rules.ts";
import { type AddCounts, addInOneCall, type WriteOptions } from "../../ingest/write/add-call.ts";
import { documentToReplace, isPassage } from "../../passages/passage.ts";
import { PassageIdMap } from "../../passages/passage-id-map.ts";
import { DELETED } from "../../store/commit/uncommitted.ts";
import { hasPendingSlicing } from "../../store/record/commit-record.ts";
import type { OnProgress } from "../../support/options/progress.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import type { ClusterIndex } from "../commit/cluster-index.ts";
import { toClusterQuery } from "../rows/field-tokens.ts";
import { PendingChanges, type Replaced } from "./pending-changes.ts";
import { Staging } from "./staging.ts";

export interface ClusterWriterOptions {
  /** What an index without a commit begins with. */
  readonly newIndex: NewIndex;
  /** The first commit replaces the index that is there. */
  readonly overwrite?: boolean | undefined;
  readonly bufferBytes?: number | undefined;
  readonly spreadSample?: number | undefined;
}

/** Documents whose ids are looked up together. More: fewer requests, more memory. */
const BATCH_DOCS = 500;
/** The most memory of documents that were not sent yet, in bytes. */
const BUFFER_BYTES = 64 * 1024 * 1024;

export class ClusterWriter {
  readonly #index: ClusterIndex;
  readonly #options: ClusterWriterOptions;
  #replaces: boolean;
  #staging: Staging;
  #lexicon: Lexicon;
  #pending: PendingChanges;
  #semanticDims: number | undefined;
  #isSlicingPending: boolean;

  constructor(index: ClusterIndex, options: ClusterWriterOptions) {
    this.#index = index;
    this.#options = options;
    this.#replaces = options.overwrite ?? false;
    const { rowRules, nextSerial, semanticDims } = this.#start();
    this.#lexicon = lexiconOf(rowRules);
    this.#pending = new PendingChanges(this.#lexicon, nextSerial);
    this.#semanticDims = semanticDims;
    this.#isSlicingPending = rowRules.isSlicingPending;
    this.#staging = new Staging(index, this.#replaces);
  }

  /** True until a new index has its first document. That document decides encoder and weighting. */
  get isBlank(): boolean {
    return !this.#hasBase && this.#pending.nextSerial === this.#start().nextSerial;
  }

  /** Always undefined: an index on a cluster has no text fields of its own. */
  readonly textFields: undefined;

  get encoder(): EncoderRecord | undefined {
    return this.#hasBase ? this.#index.record!.encoder : this.#options.newIndex.requireStart().encoder;
  }

  async begin(first?: Document): Promise<void> {
    const { hasChanges, lambda } = this.#pending;
    await this.#options.newIndex.decide(first);
    this.#reset();
    Object.assign(this.#pending, { hasChanges, lambda });
  }

  /** Adds all documents of a call. If one of them or their source fails, adds none. */
  add(
    documents: AsyncIterable<Document | EncodedDocument> | Iterable<Document>,
    options: WriteOptions,
  ): Promise<AddCounts> {
    const pending = this.#pending;
    const wasChanged = pending.hasChanges;
    const { bufferBytes = BUFFER_BYTES } = this.#options;
    let taken = 0;
    let batch: Document[] = [];
    const takeBatch = async () => {
      const replaced = await this.#addBatch(batch, taken - batch.length, options);
      batch = [];
      if (pending.buffer.bytes >= bufferBytes && !pending.isUndecided) await this.#send(options);
      return replaced;
    };
    return addInOneCall(documents, options, {
      begin: () => pending.beginCall(),
      end: () => pending.endCall(),
      undo() {
        pending.undoCall();
        pending.hasChanges = wasChanged;
      },
      async take(given, ordinal) {
        batch.push(given instanceof EncodedDocument ? given.withVector() : given);
        taken = ordinal;
        return batch.length === BATCH_DOCS ? takeBatch() : 0;
      },
      takeRest: takeBatch,
      deleteEarlier: (name) => this.#deleteEarlier(name),
    });
  }

  /** Deletes documents; with `withPassages`, also what they were cut into. Returns how many were deleted. */
  async delete(ids: readonly string[], { withPassages, signal }: DeleteOptions = {}): Promise<number> {
    let deleted = 0;
    if (withPassages) {
      for (const id of ids) {
        signal?.throwIfAborted();
        deleted += await this.#deleteWithPassages(id);
      }
      return deleted;
    }
    signal?.throwIfAborted();
    const known = ids.filter((id) => typeof id === "string" && id !== "");
    const found = await this.#findReplaced(known);
    signal?.throwIfAborted();
    for (const id of new Set(known)) {
      const replaced = found.get(id);
      if (!replaced) continue;
      this.#pending.remove(id, replaced);
      deleted++;
    }
    return deleted;
  }

  /** Deletes the documents that a condition accepts, pending ones included. Returns how many there were. */
  async deleteMatching(condition: Condition, signal?: AbortSignal): Promise<number> {
    const pending = this.#pending;
    let deleted = 0;
    const changed = [...pending.ids].filter(([, serial]) => serial !== DELETED).map(([id]) => id);
    for (const id of changed) {
      signal?.throwIfAborted();
      const replaced = (await this.#findReplaced([id])).get(id);
      if (!replaced || !accepts(condition, replaced.fields)) continue;
      pending.remove(id, replaced);
      deleted++;
    }
    const { documents, record } = this.#index.view;
    if (!this.#hasBase || !documents) return deleted;
    const passing = [toClusterQuery(condition)];
    for await (const { id, key, serial, document } of documents.readAll(record!, 0, passing, signal)) {
      if (pending.ids.has(id)) continue; // replaced or deleted since the commit
      pending.remove(id, { serial, fields: document, replacedVersion: { id, key } });
      deleted++;
    }
    return deleted;
  }

  setLambda(lambda: number): void {
    this.#pending.lambda = lambda;
    this.#pending.hasChanges = true;
  }

  /** Makes all pending changes visible. A signal stops it before that; then everything stays pending. */
  async commit(options: WorkOptions = {}): Promise<void> {
    if (!this.#pending.hasChanges && this.#hasBase) return;
    if (this.isBlank) await this.begin();
    await this.#send(options);
    this.#updateSlicing(options.onProgress);
    options.signal?.throwIfAborted();
    const base = this.#hasBase ? this.#index.record : undefined;
    const start = base ? undefined : this.#options.newIndex.requireStart();
    const { lambda, growth, nextSerial } = this.#pending;
    const { encoder } = this;
    await this.#staging.commit(this.#pending, {
      nextSerial,
      docs: (base?.docs ?? 0) + growth,
      lambda: lambda ?? base?.lambda ?? start?.lambda ?? 1,
      lexicon: { slicing: this.#lexicon.slicing, weighting: this.#lexicon.weighting() },
      vocabularyKind: this.#lexicon.vocabularyKind,
      isSlicingPending: this.#isSlicingPending,
      semanticDims: this.#semanticDims,
      ...(encoder && { encoder }),
    });
    this.#replaces = false;
    this.#reset();
  }

  /** Drops all pending changes. What was sent stays invisible: its generation is never committed. */
  rollback(): void {
    this.#reset();
  }

  get #hasBase(): boolean {
    return !this.#replaces && this.#index.record !== undefined;
  }

  #start(): { rowRules: RowRules; nextSerial: number; semanticDims: number | undefined } {
    const { record, snapshot } = this.#index;
    const nextSerial = record?.nextSerial ?? 1;
    if (!this.#hasBase) {
      return {
        rowRules: this.#options.newIndex.requireStart().rowRules,
        nextSerial,
        semanticDims: undefined,
      };
    }
    const { weighting, slicing, vocabularyKind } = snapshot;
    const isSlicingPending = hasPendingSlicing(record);
    return {
      rowRules: { weighting, slicing, vocabularyKind, isSlicingPending, keepsPositions: false },
      nextSerial,
      semanticDims: record!.semanticDims,
    };
  }

  #reset(): void {
    const { rowRules, nextSerial, semanticDims } = this.#start();
    this.#lexicon = lexiconOf(rowRules);
    this.#pending = new PendingChanges(this.#lexicon, nextSerial);
    this.#semanticDims = semanticDims;
    this.#isSlicingPending = rowRules.isSlicingPending;
    this.#staging = new Staging(this.#index, this.#replaces);
  }

  /** Returns how many documents were replaced. */
  async #addBatch(batch: readonly Document[], before: number, options: WriteOptions): Promise<number> {
    for (const [i, { id }] of batch.entries()) checkIdLength(id, before + i + 1);
    const found = await this.#findReplaced(
      batch.map(({ id }) => id),
      options.upsert ? batch.flatMap((document) => documentToReplace(document) ?? []) : [],
    );
    let count = 0;
    for (const [i, document] of batch.entries()) {
      if (options.upsert) count += this.#removeReplaced(document, found);
      if (this.#addOne(document, before + i + 1, found.get(document.id), options.upsert)) count++;
      found.delete(document.id);
    }
    return count;
  }

  /** Returns whether it replaced the document with its id. */
  #addOne(document: Document, ordinal: number, found: Replaced | undefined, upsert: boolean): boolean {
    const { id } = document;
    const where = `document ${ordinal}, ${JSON.stringify(id)}`;
    const replaced = found ?? this.#waiting(id);
    if (replaced && !upsert) throw duplicateIdError(id, ordinal, replaced.replacedVersion !== undefined);
    if (replaced) checkReplaced(document, ordinal, () => replaced.fields);
    const { json, vector } = toKeptParts(document, where, this.#semanticDims);
    const terms = this.#lexicon.add(document, where);
    if (replaced) this.#pending.remove(id, replaced);
    this.#pending.add(document, json, terms, vector);
    this.#semanticDims ??= vector?.length ?? 0;
    return replaced !== undefined;
  }

  /** A document that was added before, and waits in memory. */
  #waiting(id: string): Replaced | undefined {
    const serial = this.#pending.ids.get(id);
    if (serial === undefined || serial === DELETED || !this.#pending.buffer.holds(serial)) return undefined;
    return { serial, fields: this.#pending.buffer.fieldsOf(serial) };
  }

  /** The documents with these ids, and those with the ids of `cut` with all their passages, pending changes included. */
  async #findReplaced(ids: readonly string[], cut: readonly string[] = []): Promise<PassageIdMap<Replaced>> {
    const pending = this.#pending;
    const found = new PassageIdMap<Replaced>();
    const unknown: string[] = [];
    const passages = cut.flatMap((id) => pending.ids.findPassageLikeIds(id));
    for (const id of new Set([...ids, ...cut, ...passages])) {
      const serial = pending.ids.get(id);
      if (serial === undefined) unknown.push(id);
      else if (serial !== DELETED) {
        const waiting = this.#waiting(id);
        const fields = waiting?.fields ?? (await this.#staging.readSentFields(serial));
        found.set(id, { serial, fields: fields as Fields });
      }
    }
    if (!this.#hasBase || unknown.length + cut.length === 0) return found;
    for (const { id, key, serial, document } of await this.#index.view.findWithPassages(unknown, cut)) {
      if (pending.ids.has(id)) continue; // replaced or deleted since the commit
      found.set(id, { serial, fields: document, replacedVersion: { id, key } });
    }
    return found;
  }

  /**
   * Removes the earlier passages of a document that is upserted. `#addOne` removes the document with the same id. Returns how many
   * were removed.
   */
  #removeReplaced(document: Document, found: PassageIdMap<Replaced>): number {
    const documentId = documentToReplace(document);
    return documentId === undefined ? 0 : this.#removeEarlier(documentId, found, document.id);
  }

  /** Deletes the documents of a file that no longer has a word. Returns how many were deleted. */
  async #deleteEarlier(name: string): Promise<number> {
    return this.#removeEarlier(name, await this.#findReplaced([], [name]));
  }

  /**
   * Removes the earlier version of a document or a file: its passages, and itself if it was not cut. The document with the id
   * `kept` stays. Returns how many there were.
   */
  #removeEarlier(documentId: string, found: PassageIdMap<Replaced>, kept?: string): number {
    const passages = this.#removePassages(documentId, found);
    if (documentId === kept) return passages;
    const whole = found.get(documentId) ?? this.#waiting(documentId);
    // A document with this id may be a passage of a third one: it stays.
    if (!whole || isPassage(documentId, whole.fields)) return passages;
    this.#removeFound(documentId, whole, found);
    return passages + 1;
  }

  /** Removes the passages of a document: those that were found, and those that were added since. Returns how many there were. */
  #removePassages(documentId: string, found: PassageIdMap<Replaced>): number {
    let removed = 0;
    for (const id of new Set([
      ...found.findPassageLikeIds(documentId),
      ...this.#pending.ids.findPassageLikeIds(documentId),
    ])) {
      const passage = found.get(id) ?? this.#waiting(id);
      if (!passage || !isPassage(id, passage.fields)) continue;
      this.#removeFound(id, passage, found);
      removed++;
    }
    return removed;
  }

  /** Deletes a document and its passages, whatever numbers are missing. Returns how many there were. */
  async #deleteWithPassages(documentId: string): Promise<number> {
    if (typeof documentId !== "string" || documentId === "") return 0;
    const found = await this.#findReplaced([], [documentId]);
    const whole = found.get(documentId);
    if (whole) this.#removeFound(documentId, whole, found);
    return Number(whole !== undefined) + this.#removePassages(documentId, found);
  }

  #removeFound(id: string, replaced: Replaced, found: PassageIdMap<Replaced>): void {
    found.delete(id);
    this.#pending.remove(id, replaced);
  }

  #updateSlicing(onProgress?: OnProgress): void {
    const { spreadSample: sample } = this.#options;
    const { buffer } = this.#pending;
    this.#isSlicingPending = assignCells(this.#lexicon, buffer, this.#isSlicingPending, {
      sample,
      onProgress,
    });
  }

  /** Sends the documents that wait. Their rows are made now, with current statistics. */
  async #send({ onProgress, signal }: WorkOptions): Promise<void> {
    if (this.#pending.buffer.docs === 0) return;
    this.#updateSlicing(onProgress);
    signal?.throwIfAborted();
    const weighting = this.#lexicon.weighting();
    const { slicing } = this.#lexicon;
    const { buffer } = this.#pending;
    const semanticDims = this.#semanticDims ?? 0;
    const builder = new SegmentBuilder(slicing, weighting);
    for (const document of buffer.documents()) builder.add(document);
    const vectors = { semanticDims, semantic: buffer.vectors(semanticDims) };
    const content = builder.finish(vectors, buffer.columns());
    const jsons = Array.from(buffer.stored(), ({ json }) => json);
    await this.#staging.send(content, jsons, slicing, onProgress);
    this.#pending.clearBuffer(); // only now: if sending failed, the documents still wait
  }
}

function lexiconOf({ weighting, slicing, vocabularyKind, isSlicingPending }: RowRules): Lexicon {
  return new Lexicon(weighting, slicing, vocabularyKind, isSlicingPending);
}
