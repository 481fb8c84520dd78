// Snapshots of earlier commits stay open for a while: somebody may still read the documents of old hits.

import type { Snapshot } from "./snapshot.ts";

/** The most snapshots that stay open. */
const MOST_RETIRED = 8;
/** How long a snapshot stays open. */
const RETIRED_MS = 30_000;

export class RetiredSnapshots {
  readonly #timers = new Map<Snapshot, NodeJS.Timeout>();

  add(snapshot: Snapshot): void {
    const timer = setTimeout(() => this.#release(snapshot), RETIRED_MS).unref();
    this.#timers.set(snapshot, timer);
    const [oldest] = this.#timers.keys();
    if (this.#timers.size > MOST_RETIRED) this.#release(oldest);
  }

  releaseAll(): void {
    for (const snapshot of [...this.#timers.keys()]) this.#release(snapshot);
  }

  #release(snapshot: Snapshot): void {
    clearTimeout(this.#timers.get(snapshot));
    this.#timers.delete(snapshot);
    snapshot.release();
  }
}
