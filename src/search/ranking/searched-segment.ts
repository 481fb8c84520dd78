// A segment of a snapshot → the segment as the engine and its first stages read it. What it reads is loaded when it is first
// needed.

import type { EngineSegment } from "../../rank/engine-segment.ts";
import { openLexicalParts, openSemanticParts } from "../../rank/exact-sources.ts";
import { FEW_DOCS } from "../../scan/contract/first-stage.ts";
import type { ScannedMemory, ScanSources } from "../../scan/first-stages.ts";
import { loadScanner } from "../../scan/load-scanner.ts";
import type { SearchResources } from "../../scan/search-resources.ts";
import type { DeviceIndex } from "../../scan/webgpu/device-index.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";

type SearchedSegment = EngineSegment<ScannedMemory> & ScanSources;

/**
 * The segment, with the documents that may be hits in this search, and the additions to their scores. If rows fit in memory,
 * the rows that are read stay there.
 */
export function toSearchedSegment(
  { source, rowCount, first }: Segment,
  { allowed, additions }: Pick<EngineSegment<ScannedMemory>, "allowed" | "additions">,
  rowsFitInMemory: boolean,
  { pool, device }: Pick<SearchResources, "pool" | "device">,
): SearchedSegment {
  return {
    rowCount,
    dims: source.meta.settings.dims,
    hasCodes: source.meta.layout?.quantized !== undefined,
    first,
    allowed,
    additions,
    scanner: () => loadScanner(source, rowsFitInMemory, pool),
    ...(device && { resident: () => device.resident(source) }),
    lexicalParts: (loaded) => openLexicalParts(source, loaded?.scanner, rowsFitInMemory),
    semanticParts: (loaded) => openSemanticParts(source, loaded?.scanner, rowsFitInMemory),
  };
}

/** All documents of a segment, with nothing added to their scores. */
const WHOLE = { allowed: undefined };

/** Loads what the first search would load, so that it need not wait. All rows stay in memory. */
export async function loadForSearch(snapshot: Snapshot, device?: DeviceIndex): Promise<void> {
  for (const segment of snapshot.segments) {
    const { scanner, resident, lexicalParts, semanticParts } = toSearchedSegment(segment, WHOLE, true, {
      pool: undefined,
      device,
    });
    const isScanned = !device && segment.docs > FEW_DOCS;
    const loaded = isScanned ? { scanner: await scanner(), resident: undefined } : undefined;
    await lexicalParts(loaded);
    if (snapshot.semanticDims > 0) await semanticParts(loaded);
    if (device && segment.rowCount > 0) {
      await resident!().catch((error) => {
        // If the CPU may answer instead, `stats.fallback` will say so.
        if (device.firstStage.reasonToFallBack(error) === undefined) throw error;
      });
    }
  }
}
