// Snapshots of earlier commits stay open for a while. Then the documents of hits that somebody still holds move on to the newest
// snapshot, and the old one is closed: an open one keeps LMDB from using pages again, and files of merged segments on the disk.

import { Turns } from "../../support/work/turns.ts";
import { WorkQueue } from "../../support/work/work-queue.ts";
import type { Snapshot } from "./snapshot.ts";

/** The most snapshots that stay open, besides those that a search still reads. */
const MOST_RETIRED = 8;
/** How long a snapshot stays open. In this time most hits are forgotten, and cost nothing. */
const RETIRED_MS = 30_000;

export class RetiredSnapshots {
  readonly #newest: () => Snapshot;
  /** The oldest comes first. */
  readonly #timers = new Map<Snapshot, NodeJS.Timeout>();
  /** Handles one snapshot after another, because the documents of a snapshot may move to the next one that retires. */
  readonly #moves = new WorkQueue();
  readonly #closing = new AbortController();

  constructor(newest: () => Snapshot) {
    this.#newest = newest;
  }

  add(snapshot: Snapshot): void {
    this.#keepOpen(snapshot);
    if (this.#timers.size <= MOST_RETIRED) return;
    const oldest = [...this.#timers.keys()].find(({ isShared }) => !isShared);
    if (oldest) this.#retire(oldest);
  }

  /** Closes all of them, when the index is closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const [snapshot, timer] of this.#timers) {
      clearTimeout(timer);
      snapshot.release();
    }
    this.#timers.clear();
    await this.#moves.run(async () => {});
  }

  #keepOpen(snapshot: Snapshot): void {
    this.#timers.set(snapshot, setTimeout(() => this.#retire(snapshot), RETIRED_MS).unref());
  }

  #retire(snapshot: Snapshot): void {
    clearTimeout(this.#timers.get(snapshot));
    // A search that still runs will have hits of it.
    if (snapshot.isShared) {
      this.#keepOpen(snapshot);
      return;
    }
    this.#timers.delete(snapshot);
    void this.#moves.run(() => this.#moveOn(snapshot));
  }

  async #moveOn(snapshot: Snapshot): Promise<void> {
    const newest = this.#newest().retain();
    const turns = new Turns(this.#closing.signal);
    try {
      for (const documents of snapshot.lazyDocuments) await turns.run(documents.moveTo(newest));
    } catch {
      // The index is being closed: no document can be read after that.
    } finally {
      newest.release();
      snapshot.release();
    }
  }
}
