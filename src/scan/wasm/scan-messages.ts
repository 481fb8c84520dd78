// Messages between a pool of threads and its threads. They have a file of their own because scan-pool.ts starts
// scan-thread.ts, so neither may import the other.

import type { ScanCounts } from "../contract/scan-counts.ts";
import type { ScoreAdditions } from "../contract/score-additions.ts";
import type { Placement } from "./memories.ts";
import type { ScanRequest } from "./scan-segments.ts";

/** What a pool tells a thread: get to know a segment, forget it, or scan. */
export type ThreadMessage =
  | {
      readonly kind: "attach";
      readonly key: number;
      readonly placement: Placement;
      readonly thread: number;
    }
  | { readonly kind: "detach"; readonly key: number }
  | ScanMessage;

/** A scan of segments that the thread knows, by their keys. */
export interface ScanMessage {
  readonly kind: "scan";
  readonly id: number;
  readonly segments: readonly {
    readonly key: number;
    readonly first: number;
    readonly allowed: Uint32Array | undefined;
    readonly additions: ScoreAdditions | undefined;
  }[];
  readonly requests: readonly ScanRequest[];
  /** What the threads share: see `viewSharedState` in scan-thread.ts. */
  readonly state: SharedArrayBuffer;
}

/** What one thread found for one query. */
export interface ThreadCandidates {
  readonly docs: Uint32Array;
  readonly bounds: Float64Array;
  readonly threshold: number;
  readonly counts: ScanCounts;
}

/** A reply to a scan. The other messages have none. */
export type ThreadReply =
  | { readonly id: number; readonly parts: readonly ThreadCandidates[] }
  | { readonly id: number; readonly error: Error };
