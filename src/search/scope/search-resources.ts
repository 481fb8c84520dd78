// The threads, GPU and memory that an index searches with, and whether its rows fit into the memory that it may take.

import type { ScanPool } from "../../scan/wasm/scan-pool.ts";
import type { DeviceIndex } from "../../scan/webgpu/device-index.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";

/** What an index searches with. */
export interface SearchResources {
  /** The most bytes of rows to keep in memory. A larger index reads the rows it needs from the disk. */
  readonly rowLimitBytes?: number | undefined;
  /** Threads that scan. Without them the calling thread scans. */
  readonly pool?: ScanPool | undefined;
  /** A GPU. Requests it cannot answer fall back to the CPU; `stats.fallback` says why. */
  readonly device?: DeviceIndex | undefined;
}

/** The default of `rowBytes`: 1 GiB, enough for the BM25 rows of more than a million documents. */
const DEFAULT_ROW_LIMIT_BYTES = 2 ** 30;

/** Whether the rows of an index may stay in memory. */
export function doRowsFit(
  { segments }: Snapshot,
  { rowLimitBytes: rowBytes = DEFAULT_ROW_LIMIT_BYTES }: SearchResources,
): boolean {
  return segments.reduce((sum, { source }) => sum + source.exactBytes, 0) <= rowBytes;
}
