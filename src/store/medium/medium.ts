// The medium that a store keeps an index in: a folder, with LMDB for keyed data and a file for each segment; or memory.

import { FolderSegments, MemorySegments, type StoredSegments } from "../../segment/stored-segments.ts";
import type { Database } from "../database/database.ts";
import type { LmdbDatabase } from "../database/lmdb-database.ts";
import { type Lock, NO_LOCK, WriterLock } from "../database/lock.ts";
import { MemoryDatabase } from "../database/memory-database.ts";
import { SegmentPool } from "../snapshot/segment-pool.ts";
import { SnapshotReader } from "../snapshot/snapshot-reader.ts";

export type { Lock } from "../database/lock.ts";
export type { OpenedSnapshot } from "../snapshot/snapshot-reader.ts";

/** Shared by the writer and the readers of a process. */
export interface Medium {
  /** Names the index in errors. */
  readonly name: string;
  readonly database: Database;
  readonly storedSegments: StoredSegments;
  readonly reader: SnapshotReader;
  readonly pool: SegmentPool;
  /** Whether it outlives the process. If so, a later process must find everything in it by name. */
  readonly isDurable: boolean;
  /** Becomes the only writer, or throws. */
  lock(): Promise<Lock>;
}

export interface MemoryMedium extends Medium {
  readonly database: MemoryDatabase;
  readonly storedSegments: MemorySegments;
}

/** Names an index in memory in errors. */
export const IN_MEMORY = "the index in memory";

export function openFolderMedium(folder: string, database: LmdbDatabase): Medium {
  return {
    ...createMediumParts(database, new FolderSegments(folder)),
    name: folder,
    isDurable: true,
    lock: () => WriterLock.take(folder, database),
  };
}

export function createMemoryMedium(): MemoryMedium {
  return {
    ...createMediumParts(new MemoryDatabase(), new MemorySegments()),
    name: IN_MEMORY,
    isDurable: false,
    lock: async () => NO_LOCK,
  };
}

function createMediumParts<D extends Database, S extends StoredSegments>(database: D, storedSegments: S) {
  const pool = new SegmentPool(storedSegments);
  return { database, storedSegments, pool, reader: new SnapshotReader(storedSegments, database, pool) };
}
