// Open segments, shared by the snapshots that name them. A commit that adds one segment opens one file, and the sections of
// the others that are in memory stay there.

import type { SegmentSource } from "../../segment/segment.ts";
import type { SegmentEntry } from "../../segment/segment-file.ts";
import type { StoredSegments } from "../../segment/stored-segments.ts";

export class SegmentPool {
  readonly #stored: StoredSegments;
  readonly #open = new Map<string, { source: SegmentSource; checksum: number; users: number }>();

  constructor(stored: StoredSegments) {
    this.#stored = stored;
  }

  /** Opens a segment, or returns the open one. Each call needs a `release`. */
  acquire(entry: SegmentEntry): SegmentSource {
    const open = this.#open.get(entry.name);
    if (open?.checksum === entry.checksum) {
      open.users++;
      return open.source;
    }
    const source = this.#stored.open(entry);
    // A name is reused only if its segment was never committed, so no snapshot has the older file.
    this.#open.set(entry.name, { source, checksum: entry.checksum, users: 1 });
    return source;
  }

  release(source: SegmentSource): void {
    const open = this.#open.get(source.name);
    if (open?.source !== source) {
      source.close();
      return;
    }
    open.users--;
    if (open.users > 0) return;
    this.#open.delete(source.name);
    source.close();
  }
}
