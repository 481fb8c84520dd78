// What an index is kept in: a folder, with LMDB for keyed data and a file for each segment; or memory.

import { FolderSegments, MemorySegments, type SegmentStore } from "../../segment/segment-store.ts";
import type { Database } from "../database/database.ts";
import type { LmdbDatabase } from "../database/lmdb-database.ts";
import { type Lock, NO_LOCK, WriterLock } from "../database/lock.ts";
import { MemoryDatabase } from "../database/memory-database.ts";
import { SegmentPool } from "../snapshot/segment-pool.ts";
import { SnapshotReader } from "../snapshot/snapshot-reader.ts";

/** Shared by the writer and the readers of a process. */
export interface Storage {
  /** Names the index in errors. */
  readonly name: string;
  readonly database: Database;
  readonly store: SegmentStore;
  readonly reader: SnapshotReader;
  readonly pool: SegmentPool;
  /** Whether it outlives the process. If so, a later process must find everything in it by name. */
  readonly isDurable: boolean;
  /** Becomes the only writer, or throws. */
  lock(): Promise<Lock>;
}

export interface MemoryStorage extends Storage {
  readonly database: MemoryDatabase;
  readonly store: MemorySegments;
}

/** Names an index in memory in errors. */
export const IN_MEMORY = "the index in memory";

export function folderStorage(folder: string, database: LmdbDatabase): Storage {
  return {
    ...withReader(database, new FolderSegments(folder)),
    name: folder,
    isDurable: true,
    lock: () => WriterLock.take(folder, database),
  };
}

export function memoryStorage(): MemoryStorage {
  return {
    ...withReader(new MemoryDatabase(), new MemorySegments()),
    name: IN_MEMORY,
    isDurable: false,
    lock: async () => NO_LOCK,
  };
}

function withReader<D extends Database, S extends SegmentStore>(database: D, store: S) {
  const pool = new SegmentPool(store);
  return { database, store, pool, reader: new SnapshotReader(store, database, pool) };
}
