// What a scan counts while it runs. Part of the public API: this file names nothing of WebAssembly's memory.

/** What a scan did. */
export interface ScanCounts {
  /** Windows, and those that were not looked at because nothing in them could matter. */
  windows: number;
  skipped: number;
  /** Lists of postings left out of the sums because their words alone could not lift a document high enough. */
  listsSkipped: number;
  /** Documents whose semantic part was looked at one by one. */
  refined: number;
  /** Bytes of lists, slices, planes and codes that were read. */
  bytes: number;
  /** Windows where documents were dropped that could have mattered, though hardly. */
  guessed: number;
}

export function emptyCounts(): ScanCounts {
  return { windows: 0, skipped: 0, listsSkipped: 0, refined: 0, bytes: 0, guessed: 0 };
}
