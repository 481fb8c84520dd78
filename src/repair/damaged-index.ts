// A damaged index → its whole parts: its settings, and its documents, each with the parts that its segment still has. Every part
// that is read has a checksum, except the table of ids. It is read only for documents whose segment cannot tell their ids.

import type { Row } from "../densify/rows.ts";
import type { Slicing } from "../densify/slicing.ts";
import type { Fields } from "../documents/document.ts";
import { Problems } from "../segment/container/problems.ts";
import type { SegmentSource } from "../segment/segment.ts";
import { openAnySegments, openSegmentFile } from "../segment/segment-file.ts";
import { committedIds } from "../store/commit/uncommitted.ts";
import { noIndexError, type ReadTransaction } from "../store/database/database.ts";
import { LmdbDatabase } from "../store/database/lmdb-database.ts";
import { refuseSegments } from "../store/medium/index-folder.ts";
import { groupsIn, PackedDocuments } from "../store/packed/packed-documents.ts";
import {
  type CommitRecord,
  type CommittedSegment,
  countDocs,
  readCommit,
} from "../store/record/commit-record.ts";
import { readSlicing } from "../store/record/lexicon-record.ts";
import { readDeletions } from "../store/verify/verify-segment.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { FLOAT16 } from "../support/numbers/float16.ts";

/** A document that the last commit has, whether its text is whole or not. */
export interface NamedDocument {
  readonly id: string;
  readonly serial: number;
  /** Its segment, if the ids and serial numbers in it are undamaged. */
  readonly source?: SegmentSource;
  readonly local?: number;
}

/** A part of a document that is in its segment and nowhere else. */
export type RowPart = "vector" | "row" | "factors";

export class DamagedIndex {
  readonly database: LmdbDatabase;
  /** How the index is made; undefined if that is damaged. */
  readonly record: CommitRecord | undefined;
  /** In the order in which they were added. */
  readonly documents: readonly NamedDocument[];
  /** How many documents the last commit has. It may be more than are known by name. */
  readonly expected: number;
  readonly #transaction: ReadTransaction;
  readonly #stored: PackedDocuments;
  readonly #sources: readonly SegmentSource[];

  private constructor(folder: string, database: LmdbDatabase, transaction: ReadTransaction) {
    this.database = database;
    this.record = recordIn(database, transaction, folder);
    this.#transaction = transaction;
    this.#stored = new PackedDocuments(groupsIn(database, () => transaction));
    if (this.record) {
      const segments = this.record.segments.map((entry) => ({ entry, source: wholeNames(folder, entry) }));
      this.#sources = segments.flatMap(({ source }) => source ?? []);
      this.documents = this.#named(segments);
      this.expected = countDocs(this.record);
    } else {
      this.#sources = unlessDamaged(() => openAnySegments(folder)) ?? [];
      this.documents = this.#inTable();
      this.expected = this.documents.length;
    }
  }

  /** Throws if nothing can be saved: the database holds the documents. */
  static async open(folder: string): Promise<DamagedIndex> {
    await refuseSegments(folder);
    let database: LmdbDatabase | undefined;
    let transaction: ReadTransaction | undefined;
    try {
      database = await LmdbDatabase.open(folder, { create: false });
      transaction = database.view();
      return new DamagedIndex(folder, database, transaction);
    } catch (error) {
      transaction?.done();
      await database?.close();
      throw unsalvageableError(error);
    }
  }

  /** The terms and their slices; undefined if they are damaged. */
  slicing(): Slicing | undefined {
    const { record } = this;
    return record && unlessDamaged(() => readSlicing(this.database, this.#transaction, record));
  }

  /** The width of vectors; 0 if there are none. */
  get semanticDims(): number {
    if (this.record) return this.record.semanticDims ?? 0;
    return this.#sources.find(({ rowCount }) => rowCount > 0)?.meta.semanticDims ?? 0;
  }

  /** The fields of a document. Throws if they are damaged. */
  fieldsOf({ serial }: NamedDocument): Fields {
    return this.#stored.fieldsOf(serial);
  }

  /** The vector of a document; undefined if it is damaged. */
  async readVector({ source, local }: NamedDocument): Promise<Float32Array | undefined> {
    const bits = await this.#readPart(source, () => source!.readVector(local!));
    return bits && Float32Array.from(bits, (each) => FLOAT16[each]);
  }

  /** The slots of a document; undefined if they are damaged. */
  async readRow({ source, local }: NamedDocument): Promise<Row | undefined> {
    return this.#readPart(source, () => source!.readRow(local!));
  }

  /** The factors of BM25's weights of a document; none if all are 1. Undefined if they are damaged. */
  async readFactors({ source, local }: NamedDocument): Promise<ArrayLike<number> | undefined> {
    return this.#readPart(source, async () => (await source!.loadFactors())?.at(local!) ?? []);
  }

  async close(): Promise<void> {
    for (const source of this.#sources) source.close();
    this.#transaction.done();
    await this.database.close();
  }

  /** A part of a document; undefined if its segment, or this part of it, is damaged. */
  async #readPart<T>(source: SegmentSource | undefined, read: () => T | Promise<T>): Promise<T | undefined> {
    return source && new Problems().catch(read);
  }

  /** The documents of the last commit, as far as their ids are known. Of two with the same id, the later one counts. */
  #named(
    segments: readonly { entry: CommittedSegment; source: SegmentSource | undefined }[],
  ): NamedDocument[] {
    const found: NamedDocument[] = [];
    const areas: { first: number; last: number }[] = [];
    let table: Map<number, string> | undefined;
    const idIn = (serial: number) => {
      table ??= this.#tableOfIds();
      return table.get(serial);
    };
    for (const { entry, source } of segments) {
      if (!source) continue;
      const { ids, serials } = source;
      areas.push({ first: serials[0], last: serials[serials.length - 1] });
      const deleted = unlessDamaged(() =>
        readDeletions(this.database, this.#transaction, entry, new Problems()),
      );
      const isKnown = entry.deleted === (deleted?.count() ?? 0);
      for (let local = 0; local < source.rowCount; local++) {
        const [id, serial] = [ids.at(local), serials[local]];
        const isDeleted = isKnown ? (deleted?.get(local) ?? false) : idIn(serial) !== id;
        if (!isDeleted) found.push({ id, serial, source, local });
      }
    }
    if (areas.length < segments.length) {
      table ??= this.#tableOfIds();
      for (const [serial, id] of table) {
        if (!areas.some(({ first, last }) => serial >= first && serial <= last)) found.push({ id, serial });
      }
    }
    found.sort((a, b) => a.serial - b.serial);
    const last = new Map(found.map((document) => [document.id, document]));
    return found.filter((document) => last.get(document.id) === document);
  }

  /** The documents of the table of ids, each with a segment that has it, if there is one. */
  #inTable(): NamedDocument[] {
    const rows = (id: string, serial: number) => {
      for (const source of this.#sources) {
        const local = unlessDamaged(() => source.localOf(serial));
        if (local !== undefined && unlessDamaged(() => source.ids.at(local)) === id) return { source, local };
      }
      return {};
    };
    const found = [...this.#tableOfIds()].map(([serial, id]) => ({ id, serial, ...rows(id, serial) }));
    return found.sort((a, b) => a.serial - b.serial);
  }

  /** Serial number → id. Numbers that make no sense are left out, and so are those that two ids have. */
  #tableOfIds(): Map<number, string> {
    const ids = new Map<number, string>();
    const doubtful = new Set<number>();
    unlessDamaged(() => {
      for (const [id, serial] of committedIds(this.database, this.#transaction)) {
        const isKnown = serial < (this.record?.nextSerial ?? Number.POSITIVE_INFINITY);
        if (!Number.isInteger(serial) || serial < 1 || !isKnown) continue;
        if (ids.has(serial)) doubtful.add(serial);
        ids.set(serial, Buffer.from(id).toString());
      }
    });
    for (const serial of doubtful) ids.delete(serial);
    return ids;
  }
}

/** The record of the last commit; undefined if it is damaged. */
function recordIn(
  database: LmdbDatabase,
  transaction: ReadTransaction,
  folder: string,
): CommitRecord | undefined {
  let record: CommitRecord | undefined;
  try {
    record = readCommit(database, transaction);
  } catch (error) {
    if (error instanceof SluiceError && error.code === "ERR_SLUICE_DAMAGED") return undefined;
    throw error;
  }
  if (!record) throw noIndexError(folder);
  return record;
}

/** A segment whose ids and serial numbers are whole; undefined if they are not. */
function wholeNames(folder: string, entry: CommittedSegment): SegmentSource | undefined {
  let source: SegmentSource;
  try {
    source = openSegmentFile(folder, entry);
  } catch (error) {
    if (error instanceof SluiceError || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
  const isWhole = unlessDamaged(
    () => source.ids.docs === entry.docs && source.serials.length === entry.docs && entry.docs > 0,
  );
  if (isWhole) return source;
  source.close();
  return undefined;
}

function unlessDamaged<T>(read: () => T): T | undefined {
  return new Problems().catchSync(read);
}

function unsalvageableError(error: unknown): unknown {
  if (!(error instanceof SluiceError) || error.code !== "ERR_SLUICE_DAMAGED") return error;
  return new SluiceError(
    `${error.problem}; the documents are in this file, so nothing can be saved`,
    "restore a backup, or build the index again",
    "ERR_SLUICE_DAMAGED",
  );
}
