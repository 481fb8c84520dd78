// Requests and a snapshot of an index → rankings. It says which documents may be hits, and gives the engine the segments and
// the first stages to search them with.

import type { Condition } from "../documents/filter.ts";
import type { EngineRequest } from "../query/first-stage-plan.ts";
import type { FirstStage } from "../scan/first-stage.ts";
import { scannerOf } from "../scan/wasm/load-scanner.ts";
import type { ScanPool } from "../scan/wasm/thread-pool.ts";
import { FEW_DOCS, WasmFirstStage } from "../scan/wasm/wasm-first-stage.ts";
import type { DeviceIndex } from "../scan/webgpu/device-index.ts";
import type { Segment } from "../segment/segment.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { Bits } from "../support/bits.ts";
import { Turns } from "../support/turns.ts";
import { ON_THIS_THREAD, searchSegments } from "./engine.ts";
import { lexicalPartsOf, semanticPartsOf } from "./exact-sources.ts";
import type { Ranking } from "./ranking.ts";
import type { SearchSegment } from "./search-segment.ts";

/** What an index searches with. */
export interface SearchResources {
  /** The most bytes of rows to keep in memory. A larger index reads the rows it needs from the disk. */
  readonly rowBytes?: number;
  /** Threads that scan. Without them the calling thread scans. */
  readonly pool?: ScanPool;
  /** A GPU. Requests it cannot answer fall back to the CPU; `stats.fallback` says why. */
  readonly device?: DeviceIndex;
}

export interface SnapshotOptions extends SearchResources {
  /** Documents that must not be hits. */
  readonly excluded?: ReadonlySet<number>;
  /** The filter that documents must pass. */
  readonly condition?: Condition;
  /** How many of the best hits to skip, for the next page. */
  readonly offset?: number;
  /** Lets the search pause for other work, and stops it on an abort. */
  readonly turns?: Turns;
}

/** The default of `rowBytes`: 1 GiB, enough for the BM25 rows of more than a million documents. */
const ROW_BYTES = 2 ** 30;

const NONE: ReadonlySet<number> = new Set();

/** For each request, the hits `offset` … `offset` + `k` − 1 of its ranking. All requests search the same documents. */
export async function searchSnapshot(
  snapshot: Snapshot,
  requests: readonly EngineRequest[],
  options: SnapshotOptions,
): Promise<Ranking[]> {
  const { offset = 0, excluded = NONE, condition, turns = new Turns() } = options;
  const fits = rowsFit(snapshot, options);
  const segments = await Promise.all(
    snapshot.segments.map(async (segment) =>
      searchSegment(segment, await allowedIn(segment, excluded, condition), fits, options),
    ),
  );
  turns.signal?.throwIfAborted();
  // At most all documents, because the engine makes room for k hits.
  const most = Math.max(1, snapshot.docs);
  const further = requests.map((request) => ({ ...request, k: Math.min(offset + request.k, most) }));
  const rankings = await searchSegments(segments, further, firstStagesOf(options), turns);
  return offset === 0 ? rankings : rankings.map(({ docs, stats }) => ({ docs: docs.slice(offset), stats }));
}

/** Loads what the first search would load, so that it need not wait. All rows stay in memory. */
export async function loadForSearch(snapshot: Snapshot, device?: DeviceIndex): Promise<void> {
  for (const segment of snapshot.segments) {
    const { scanner, resident, lexicalParts, semanticParts } = searchSegment(
      segment,
      undefined,
      true,
      device ? { device } : {},
    );
    const isScanned = !device && segment.live > FEW_DOCS;
    const scanned = isScanned ? await scanner() : undefined;
    await lexicalParts(scanned);
    if (snapshot.semanticDims > 0) await semanticParts(scanned);
    if (device && segment.docs > 0) {
      await resident!().catch((error) => {
        // If the CPU may answer instead, `stats.fallback` will say so.
        if (device.firstStage.reasonToFallBack(error) === undefined) throw error;
      });
    }
  }
}

function firstStagesOf({ pool, device }: SearchResources): readonly FirstStage[] {
  const cpu = pool ? new WasmFirstStage(pool) : ON_THIS_THREAD;
  return device ? [device.firstStage, cpu] : [cpu];
}

function rowsFit({ segments }: Snapshot, { rowBytes = ROW_BYTES }: SearchResources): boolean {
  return segments.reduce((sum, { source }) => sum + source.exactBytes, 0) <= rowBytes;
}

function searchSegment(
  { source, docs, first }: Segment,
  allowed: Bits | undefined,
  fits: boolean,
  { pool, device }: SearchResources,
): SearchSegment {
  return {
    docs,
    dims: source.meta.settings.dims,
    first,
    allowed,
    scanner: () => scannerOf(source, fits, pool),
    ...(device && { resident: () => device.resident(source) }),
    lexicalParts: (scanner) => lexicalPartsOf(source, scanner, fits),
    semanticParts: (scanner) => semanticPartsOf(source, scanner, fits),
  };
}

/** The documents of a segment that may be hits; undefined if all may. */
async function allowedIn(
  segment: Segment,
  excluded: ReadonlySet<number>,
  condition: Condition | undefined,
): Promise<Bits | undefined> {
  let allowed = condition ? (await segment.columns()).matching(condition) : undefined;
  if (segment.deleted) allowed = (allowed ?? Bits.all(segment.docs)).andNot(segment.deleted);
  for (const doc of excluded) {
    const local = doc - segment.first;
    if (local < 0 || local >= segment.docs) continue;
    allowed ??= Bits.all(segment.docs);
    allowed.clear(local);
  }
  return allowed;
}
