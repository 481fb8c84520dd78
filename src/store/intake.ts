// Documents that come and go → changes that wait for a commit. Documents are gathered in memory up to a limit, then written
// as a segment that no commit names yet, so that memory does not grow with what is added.

import { spreadSlicing } from "../densify/teach.ts";
import { checkedVector, type Document } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { SegmentBuilder } from "../segment/segment-builder.ts";
import type { SegmentContent } from "../segment/segment-file.ts";
import type { SegmentStore } from "../segment/segment-store.ts";
import { type Layout, layOut, layOutMeanwhile, type Quantize } from "../segment/stored-layout.ts";
import { type OnProgress, PROGRESS_STEP, turn } from "../support/progress.ts";
import type { WorkOptions } from "../support/work-options.ts";
import { DocumentBuffer } from "./buffer.ts";
import type { SegmentState } from "./commit.ts";
import { type Database, LONGEST_ID } from "./database.ts";
import { type Dictionary, dictionaryFrom, lastDictionary } from "./dictionary.ts";
import type { StoredDocument } from "./group.ts";
import { Lexicon } from "./lexicon.ts";
import type { Model } from "./new-index.ts";
import { type PackedGroup, packedInTurns } from "./pack.ts";
import { GONE, Pending } from "./pending.ts";
import type { SegmentPool } from "./segment-pool.ts";
import { Side } from "./side.ts";

/** Documents waiting for a segment take at most about this much memory. */
const BUFFER_BYTES = 256 * 1024 * 1024;
/** From this much on, work goes on beside. */
const BESIDE_BYTES = 8 * 1024 * 1024;
/** JSON that is compressed at once, beside. */
const PACKED_BYTES = 4 * 1024 * 1024;
/** Ids waiting in memory, at most. */
const MOST_IDS = 200_000;

/** What changes are made to: the last commit, or nothing. */
interface Ground {
  readonly store: SegmentStore;
  readonly database: Database;
  readonly pool: SegmentPool;
  readonly model: Model;
  /** Unknown until the first document. */
  readonly semanticDims: number | undefined;
  readonly nextSerial: number;
  readonly quantize: Quantize | undefined;
  /** Whether documents are compressed: on a disk. */
  readonly compress: boolean;
  /** Whether ids that the database has are those of documents that are there. */
  readonly hasDocuments: boolean;
  segments(): readonly SegmentState[];
  newName(): string;
  /** Writes in a transaction, as the only writer. */
  write(work: () => void, bytes: number): void;
}

/** What a call of `add` changed so far: enough to take it back. */
interface Call {
  /** Documents from this serial number on came with the call. */
  readonly firstSerial: number;
  readonly semanticDims: number | undefined;
  /** By id: the serial number of the document before, where the call replaced one. */
  readonly replaced: Map<string, number>;
}

export interface IntakeOptions {
  /** Documents that spread slicing learns from. */
  readonly spreadSample?: number | undefined;
  /** Memory for documents that wait, about. */
  readonly bufferBytes?: number | undefined;
  /** Ids that wait in memory, at most. */
  readonly bufferIds?: number | undefined;
}

const encoder = new TextEncoder();

export class Intake {
  readonly lexicon: Lexicon;
  readonly pending: Pending;
  readonly #ground: Ground;
  readonly #options: IntakeOptions;
  #semanticDims: number | undefined;
  #dictionary: Dictionary | undefined;
  #untaught: boolean;
  #call: Call | undefined;
  /** A thread, where there is much to do; null where there can be none. */
  #side: Side | null | undefined;
  /** Documents of the buffer up to here are being compressed, or were. */
  #packedTo = 0;
  #packing: Promise<PackedGroup[]>[] = [];

  constructor(ground: Ground, options: IntakeOptions) {
    this.#ground = ground;
    this.#options = options;
    const { lexical, slicing, vocabulary, untaught } = ground.model;
    this.lexicon = new Lexicon(lexical, slicing, vocabulary, untaught);
    this.pending = new Pending(ground.database, ground.nextSerial);
    this.#semanticDims = ground.semanticDims;
    this.#untaught = untaught;
  }

  get semanticDims(): number | undefined {
    return this.#semanticDims;
  }

  /** The slicing waits for the first documents. */
  get untaught(): boolean {
    return this.#untaught;
  }

  /** Whether documents taught a slicing that takes the place of the one before. */
  get taught(): boolean {
    return this.#ground.model.untaught && !this.#untaught;
  }

  /** Begins a call of several documents, which `endCall` keeps and `undoCall` takes back, all of them. */
  beginCall(): void {
    const { nextSerial } = this.pending;
    this.#call = { firstSerial: nextSerial, semanticDims: this.#semanticDims, replaced: new Map() };
  }

  endCall(): void {
    this.#call = undefined;
    this.pending.buffer.dropHidden();
  }

  /** Everything is again as it was when the call began, but for serial numbers, which are not used twice. */
  undoCall(): void {
    const { firstSerial, semanticDims, replaced } = this.#call!;
    const { pending } = this;
    this.#call = undefined;
    for (const [id, serial] of this.#idsFrom(firstSerial)) {
      this.#remove(id, serial);
      pending.ids.set(id, replaced.get(id) ?? GONE);
    }
    for (const serial of replaced.values()) this.#restore(serial);
    this.#semanticDims = semanticDims;
    if (pending.buffer.docs > 0) return;
    pending.buffer = new DocumentBuffer(pending.nextSerial);
    this.#packing = [];
    this.#packedTo = 0;
  }

  /**
   * Takes a document in. Refuses it whole, when its id is there already (unless it replaces that) or it is not sound.
   * `position` counts the documents of a call, from 1 on, for the error.
   */
  async add(
    document: Document,
    position: number,
    options: { upsert: boolean; onProgress?: OnProgress | undefined },
  ): Promise<void> {
    const { id, weights: _, vector, ...fields } = document;
    const key = checkedId(id, position);
    const where = `document ${position}, ${JSON.stringify(id)}`;
    const before = this.#serialOf(id, key);
    if (before !== undefined && !options.upsert) {
      if (before >= this.#ground.nextSerial)
        throw duplicateId(`document ${position}: the id ${JSON.stringify(id)} comes twice`);
      throw duplicateId(
        `document ${position}: the id ${JSON.stringify(id)} is in the index already`,
        "upsert replaces a document",
      );
    }
    const semantic = this.#checkedVector(vector, where);
    const json = jsonOf(fields, where);
    const terms = this.lexicon.add(document, where);
    if (before !== undefined) this.#remove(id, before);
    const { pending } = this;
    pending.changed = true;
    pending.ids.set(id, pending.nextSerial++);
    pending.buffer.add(id, json, terms, semantic);
    this.#semanticDims ??= semantic?.length ?? 0;
    this.#packBeside();
    await this.#spillIfFull(options.onProgress);
  }

  /** Takes a document out; whether it was there. */
  async delete(id: string): Promise<boolean> {
    if (typeof id !== "string" || id === "") return false;
    const key = encoder.encode(id);
    const serial = this.#serialOf(id, key);
    if (serial === undefined) return false;
    this.#remove(id, serial);
    this.pending.changed = true;
    this.pending.ids.set(id, GONE);
    await this.#spillIfFull();
    return true;
  }

  setLambda(lambda: number): void {
    this.pending.lambda = lambda;
    this.pending.changed = true;
  }

  /** Puts all that waits into segments, and gives all terms a place. */
  async finish(options: WorkOptions): Promise<void> {
    await this.#flush(options);
    this.#placeTerms();
  }

  /** Lets go of the segments that were written, and of the thread. */
  async release(): Promise<void> {
    for (const { source } of this.pending.segments) this.#ground.pool.release(source);
    await this.#side?.close();
  }

  /** The segments as the next commit will have them. */
  segments(): SegmentState[] {
    const { deleted } = this.pending;
    return [
      ...this.#ground
        .segments()
        .map((state) => ({ ...state, deleted: deleted.get(state.entry.name) ?? state.deleted })),
      ...this.#written(),
    ];
  }

  #written(): SegmentState[] {
    return this.pending.segments.map(({ entry, source }) => ({
      entry,
      source,
      deleted: this.pending.deleted.get(entry.name),
    }));
  }

  async #write(content: SegmentContent, layout: Layout): Promise<void> {
    const { store, pool } = this.#ground;
    const { settings } = this.lexicon.slicing;
    const entry = await store.write(this.#ground.newName(), content, settings, layout);
    const groups = await Promise.all(this.#packing);
    this.#packing = [];
    this.pending.segments.push({ entry, source: pool.acquire(entry) });
    this.pending.unsaved.push(...groups.flat());
  }

  /** Has documents compressed beside as they come, where there are many. */
  #packBeside(): void {
    const { buffer } = this.pending;
    if (!this.#ground.compress) return;
    if (buffer.jsonBytesFrom(this.#packedTo) >= PACKED_BYTES && this.#beside()) this.#packRest();
  }

  /** The thread, where what waits is enough for one. */
  #beside(): Side | undefined {
    if (this.#side === undefined && this.pending.buffer.bytes >= BESIDE_BYTES)
      this.#side = Side.start() ?? null;
    return this.#side ?? undefined;
  }

  /** All of the buffer that is not compressed yet. */
  #packRest(): void {
    const { buffer } = this.pending;
    this.#pack([...buffer.stored(this.#packedTo)]);
    this.#packedTo = buffer.length;
  }

  #pack(documents: readonly StoredDocument[]): void {
    if (documents.length === 0) return;
    const { compress } = this.#ground;
    const dictionary = compress ? this.#dictionaryFor(documents) : undefined;
    const beside = compress ? this.#side?.pack(documents, dictionary) : undefined;
    const packing = beside ?? packedInTurns(documents, dictionary, { compress });
    packing.catch(() => {}); // whoever waits for it learns of it, unless something else went wrong before
    this.#packing.push(packing);
  }

  /** What documents of this index are compressed with; the first ones teach it. */
  #dictionaryFor(documents: readonly StoredDocument[]): Dictionary | undefined {
    const { database, hasDocuments, nextSerial } = this.#ground;
    const { pending } = this;
    this.#dictionary ??= lastDictionary(database, { start: hasDocuments ? 0 : nextSerial });
    if (!this.#dictionary) {
      pending.dictionary = dictionaryFrom(documents);
      this.#dictionary = pending.dictionary;
    }
    return this.#dictionary;
  }

  /** The serial number of a document that is there, pending changes included. */
  #serialOf(id: string, key: Uint8Array): number | undefined {
    const { database } = this.#ground;
    if (key.length > LONGEST_ID) return undefined;
    const recent = this.pending.ids.get(id) ?? database.pending.get(key)?.readDoubleLE(0);
    if (recent !== undefined) return recent === GONE ? undefined : recent;
    return this.#ground.hasDocuments ? database.ids.get(key)?.readDoubleLE(0) : undefined;
  }

  #remove(id: string, serial: number): void {
    const { pending } = this;
    const call = this.#call;
    const mayComeBack = call !== undefined && serial < call.firstSerial;
    if (mayComeBack) call.replaced.set(id, serial);
    if (this.lexicon.kind === "bm25") {
      this.lexicon.remove(pending.fieldsOf(serial) as Document, `document ${serial}`);
    }
    if (pending.buffer.holds(serial)) {
      if (mayComeBack) pending.buffer.hide(serial);
      else pending.buffer.drop(serial);
      return;
    }
    const { state, doc } = this.#segmentOf(serial);
    pending.markDeleted(state.entry.name, state.entry.docs, doc, state.deleted);
  }

  /** A document that a call replaced is there again. */
  #restore(serial: number): void {
    const { pending } = this;
    if (!pending.buffer.unhide(serial)) {
      const { state, doc } = this.#segmentOf(serial);
      pending.unmarkDeleted(state.entry.name, doc);
    }
    if (this.lexicon.kind === "bm25") {
      this.lexicon.restore(pending.fieldsOf(serial) as Document, `document ${serial}`);
    }
  }

  #segmentOf(serial: number): { state: SegmentState; doc: number } {
    for (const state of [...this.#ground.segments(), ...this.#written()]) {
      const doc = state.source.docOf(serial);
      if (doc !== undefined) return { state, doc };
    }
    throw new Error(`no segment holds document ${serial}`);
  }

  /** Id and serial number of every pending document from a serial number on, deleted ones aside. */
  #idsFrom(serial: number): [id: string, serial: number][] {
    const found = [...this.pending.buffer.idsFrom(serial)];
    for (const { source, deleted } of this.#written()) {
      for (const [doc, of] of source.serials.entries()) {
        if (of >= serial && !deleted?.get(doc)) found.push([source.ids.at(doc), of]);
      }
    }
    return found;
  }

  async #spillIfFull(onProgress?: OnProgress): Promise<void> {
    const { buffer, ids } = this.pending;
    if (
      buffer.bytes < (this.#options.bufferBytes ?? BUFFER_BYTES) &&
      ids.size < (this.#options.bufferIds ?? MOST_IDS)
    )
      return;
    await this.#flush({ onProgress });
    const { pending } = this;
    this.#ground.write(() => {
      pending.putDocuments();
      pending.putIds();
    }, pending.unsavedBytes);
    pending.unsaved = [];
    pending.ids.clear();
  }

  /** Writes the documents that wait into a segment of their own. A signal stops it; then they wait as before. */
  async #flush({ onProgress, signal }: WorkOptions): Promise<void> {
    const { pending } = this;
    const { buffer } = pending;
    if (buffer.docs > 0) {
      this.#placeTerms(onProgress);
      this.#packRest();
      const semanticDims = this.#semanticDims ?? 0;
      const vectors = { docs: buffer.docs, semanticDims, semantic: buffer.vectors(semanticDims) };
      const vectorsLayout = semanticDims > 0 ? this.#beside()?.layOutVectors(vectors) : undefined;
      const builder = new SegmentBuilder(this.lexicon.slicing, this.lexicon.model());
      let done = 0;
      for (const document of buffer.documents()) {
        builder.add(document);
        if (++done % PROGRESS_STEP !== 0 && done !== buffer.docs) continue;
        onProgress?.({ stage: "densifying", done, total: buffer.docs });
        await turn();
        signal?.throwIfAborted();
      }
      const content = builder.finish(vectors);
      const { quantize } = this.#ground;
      const layout = vectorsLayout
        ? await layOutMeanwhile(content.rows, quantize, vectorsLayout)
        : layOut(content.rows, quantize);
      await this.#write(content, layout);
      this.#deleteHidden();
    }
    this.#packedTo = 0;
    pending.buffer = new DocumentBuffer(pending.nextSerial);
  }

  /** Documents that a call has replaced were written all the same, as deleted ones: they come back if the call fails. */
  #deleteHidden(): void {
    const { buffer, segments } = this.pending;
    const { entry, source } = segments.at(-1)!;
    for (const serial of buffer.hidden()) {
      this.pending.markDeleted(entry.name, entry.docs, source.docOf(serial)!, undefined);
    }
  }

  /** Gives new terms a slice. The first documents teach a slicing that waits for them. */
  #placeTerms(onProgress?: OnProgress): void {
    const { slicing } = this.lexicon;
    const taught = this.pending.buffer.taught();
    if (!this.#untaught || taught.docs === 0) {
      this.lexicon.place();
      return;
    }
    if (slicing.settings.strategy !== "spread") {
      this.pending.buffer.renumber(this.lexicon.seal());
      this.#untaught = false;
      return;
    }
    const { spreadSample: sample } = this.#options;
    this.lexicon.place((terms) =>
      spreadSlicing(slicing.vocabulary.extended(terms), slicing.settings.dims, taught, this.lexicon.model(), {
        sample,
        onProgress,
      }),
    );
    this.#untaught = false;
  }

  #checkedVector(vector: ArrayLike<number> | undefined, where: string): Float32Array | undefined {
    const width = this.#semanticDims;
    if (width !== undefined && (vector?.length ?? 0) !== width) {
      throw new UsageError(
        `${where}: its vector has ${vector?.length ?? 0} dims, those before have ${width}`,
      );
    }
    return vector === undefined ? undefined : checkedVector(vector, `${where}: its vector`);
  }
}

function duplicateId(message: string, hint?: string): UsageError {
  return new UsageError(message, hint, "ERR_SLUICE_DUPLICATE_ID");
}

function jsonOf(fields: object, where: string): string {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    throw new UsageError(`${where}: its fields cannot be kept as JSON: ${(error as Error).message}`);
  }
}

function checkedId(id: unknown, position: number): Uint8Array {
  const where = `document ${position}`;
  if (typeof id !== "string" || id === "") throw new UsageError(`${where} has no id; it must be a text`);
  if (/\p{Surrogate}/u.test(id))
    throw new UsageError(`${where}: the id ${JSON.stringify(id)} is not well-formed Unicode`);
  const bytes = encoder.encode(id);
  if (bytes.length <= LONGEST_ID) return bytes;
  throw new UsageError(
    `${where}: the id takes ${bytes.length} bytes, at most ${LONGEST_ID} fit: ${JSON.stringify(id.slice(0, 40))}…`,
  );
}
