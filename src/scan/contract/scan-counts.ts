// The counters of a scan. This is part of the public API, so nothing here depends on WebAssembly.

/** What a scan did. */
export interface ScanCounts {
  /** Windows in all, skipped ones included. */
  windows: number;
  /** Windows skipped, because no document in them could reach the threshold. */
  skipped: number;
  /** Posting lists left out of the sums, because a document found only in them could not reach the threshold. */
  listsSkipped: number;
  /** Documents whose semantic part was computed one by one. */
  refined: number;
  /** Bytes read of posting lists, slices, planes and codes. */
  bytes: number;
  /** Windows where documents were dropped by an estimate. One of the best may be among them, with a small chance. */
  guessed: number;
}

export function createCounts(): ScanCounts {
  return { windows: 0, skipped: 0, listsSkipped: 0, refined: 0, bytes: 0, guessed: 0 };
}
