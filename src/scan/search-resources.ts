// The threads, GPU and memory that an index searches with, and whether its rows fit into the memory that it may take.

import type { Snapshot } from "../store/snapshot/snapshot.ts";
import type { ScanPool } from "./wasm/scan-pool.ts";
import type { DeviceIndex } from "./webgpu/device-index.ts";

/** What an index searches with. No part is optional, so that a copy with a wrong name does not compile. */
export interface SearchResources {
  /** The most bytes of rows to keep in memory. A larger index reads the rows it needs from the disk. */
  readonly maxRowBytes: number | undefined;
  /** Threads that scan. Without them the calling thread scans. */
  readonly pool: ScanPool | undefined;
  /** A GPU. Requests it cannot answer fall back to the CPU; `stats.fallback` says why. */
  readonly device: DeviceIndex | undefined;
}

/** The default of `maxRowBytes`: 1 GiB, enough for the BM25 rows of more than a million documents. */
const DEFAULT_MAX_ROW_BYTES = 2 ** 30;

/** Whether the rows of an index may stay in memory. */
export function doRowsFitInMemory(
  { segments }: Snapshot,
  { maxRowBytes = DEFAULT_MAX_ROW_BYTES }: SearchResources,
): boolean {
  return segments.reduce((sum, { source }) => sum + source.exactBytes, 0) <= maxRowBytes;
}
