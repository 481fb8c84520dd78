// Names for new segments, and which of these segments a rollback removes.

import { segmentName } from "../../segment/segment-file.ts";
import type { StoredSegments } from "../../segment/stored-segments.ts";

export class SegmentNames {
  readonly #stored: StoredSegments;
  readonly #writer: string;
  /** Names that merges hold. */
  readonly #reserved = new Set<string>();
  /** Names given out since the last commit, merges aside: a rollback removes these segments. */
  readonly uncommitted = new Set<string>();
  /** The number in the next name. */
  next = 1;

  constructor(stored: StoredSegments, writer: string) {
    this.#stored = stored;
    this.#writer = writer;
  }

  /** A name for a segment of the next commit. */
  take(): string {
    const name = this.#unused();
    this.uncommitted.add(name);
    return name;
  }

  /** A name for a merged segment, held until `unreserve`: a rollback in the meantime neither removes nor reuses it. */
  reserve(): string {
    const name = this.#unused();
    this.#reserved.add(name);
    return name;
  }

  unreserve(name: string): void {
    this.#reserved.delete(name);
  }

  #unused(): string {
    for (;;) {
      const name = segmentName(this.next++, this.#writer);
      // A file that could not be removed keeps its name.
      if (!this.#reserved.has(name) && !this.#stored.has(name)) return name;
    }
  }
}
