// Requests and a snapshot of an index → rankings. It says which documents may be hits, and gives the engine the segments and
// the first stages to search them with.

import type { CheckedBoost } from "../../documents/boost.ts";
import type { Condition } from "../../documents/filter.ts";
import type { EngineRequest } from "../../query/stage-plan.ts";
import { searchSegments } from "../../rank/engine.ts";
import type { EngineSegment } from "../../rank/engine-segment.ts";
import { lexicalPartsOf, semanticPartsOf } from "../../rank/exact-sources.ts";
import type { Ranking } from "../../rank/ranking.ts";
import { FEW_DOCS } from "../../scan/contract/first-stage.ts";
import type { SegmentBoosts } from "../../scan/contract/segment-boosts.ts";
import { firstStagesOf, type ScannedMemory, type ScanSources } from "../../scan/first-stages.ts";
import { scannerOf } from "../../scan/wasm/load-scanner.ts";
import type { ScanPool } from "../../scan/wasm/scan-pool.ts";
import type { DeviceIndex } from "../../scan/webgpu/device-index.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { Turns } from "../../support/work/turns.ts";
import { boostsIn } from "./boosts.ts";

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
  readonly excludedDocs?: ReadonlySet<number>;
  /** The filter that documents must pass. */
  readonly condition?: Condition;
  /** For each segment, the documents that meet the demands of the query. */
  readonly meeting?: readonly Bits[];
  /** For each segment, what phrases add to scores. */
  readonly phrases?: readonly SegmentBoosts[];
  /** For each segment, what other weights of text fields change in the lexical parts of scores. */
  readonly changes?: readonly SegmentBoosts[];
  /** For each segment, the documents that may be hits, instead of `excludedDocs`, `condition` and `meeting`. */
  readonly within?: readonly Bits[];
  /** What fields of documents add to scores. */
  readonly boosts?: readonly CheckedBoost[] | undefined;
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
  const { offset = 0, excludedDocs = NONE, condition, meeting, within, turns = new Turns() } = options;
  const fits = rowsFit(snapshot, options);
  const segments = await Promise.all(
    snapshot.segments.map(async (segment, i) => {
      const allowed = within ? within[i] : await allowedIn(segment, excludedDocs, condition, meeting?.[i]);
      return segmentToSearch(segment, allowed, fits, options);
    }),
  );
  const { boosts, phrases, changes } = options;
  const isBoosted = boosts !== undefined || phrases !== undefined || changes !== undefined;
  const searched = isBoosted ? await withBoosts(segments, snapshot, options) : segments;
  turns.signal?.throwIfAborted();
  // At most all documents, because the engine makes room for k hits.
  const most = Math.max(1, snapshot.docs);
  const further = requests.map((request) => ({ ...request, k: Math.min(offset + request.k, most) }));
  const rankings = await searchSegments(
    searched,
    further,
    firstStagesOf(options.pool, options.device),
    turns,
  );
  return offset === 0 ? rankings : rankings.map(({ docs, stats }) => ({ docs: docs.slice(offset), stats }));
}

/** Loads what the first search would load, so that it need not wait. All rows stay in memory. */
export async function loadForSearch(snapshot: Snapshot, device?: DeviceIndex): Promise<void> {
  for (const segment of snapshot.segments) {
    const { scanner, resident, lexicalParts, semanticParts } = segmentToSearch(
      segment,
      undefined,
      true,
      device ? { device } : {},
    );
    const isScanned = !device && segment.live > FEW_DOCS;
    const loaded = isScanned ? { scanner: await scanner(), resident: undefined } : undefined;
    await lexicalParts(loaded);
    if (snapshot.semanticDims > 0) await semanticParts(loaded);
    if (device && segment.docs > 0) {
      await resident!().catch((error) => {
        // If the CPU may answer instead, `stats.fallback` will say so.
        if (device.firstStage.reasonToFallBack(error) === undefined) throw error;
      });
    }
  }
}

/** Whether the rows of an index may stay in memory. */
export function rowsFit({ segments }: Snapshot, { rowBytes = ROW_BYTES }: SearchResources): boolean {
  return segments.reduce((sum, { source }) => sum + source.exactBytes, 0) <= rowBytes;
}

/** A segment as the engine and its first stages read it. */
type SegmentToSearch = EngineSegment<ScannedMemory> & ScanSources;

function segmentToSearch(
  { source, docs, first }: Segment,
  allowed: Bits | undefined,
  fits: boolean,
  { pool, device }: SearchResources,
): SegmentToSearch {
  return {
    docs,
    dims: source.meta.settings.dims,
    hasCodes: source.meta.layout?.quantized !== undefined,
    first,
    allowed,
    scanner: () => scannerOf(source, fits, pool),
    ...(device && { resident: () => device.resident(source) }),
    lexicalParts: (loaded) => lexicalPartsOf(source, loaded?.scanner, fits),
    semanticParts: (loaded) => semanticPartsOf(source, loaded?.scanner, fits),
  };
}

/** For each segment, the documents that may be hits. */
export function allowedDocuments(
  { segments }: Snapshot,
  { excludedDocs = NONE, condition, meeting }: SnapshotOptions,
): Promise<Bits[]> {
  return Promise.all(
    segments.map(
      async (segment, i) =>
        (await allowedIn(segment, excludedDocs, condition, meeting?.[i])) ?? Bits.all(segment.docs),
    ),
  );
}

/** The segments, with what fields of their documents, phrases in them and other weights of text fields add to scores. */
function withBoosts(
  segments: readonly SegmentToSearch[],
  snapshot: Snapshot,
  { boosts = [], phrases, changes }: SnapshotOptions,
): Promise<SegmentToSearch[]> {
  return Promise.all(
    segments.map(async (segment, i) => {
      const ofFields = await boostsIn(snapshot.segments[i], boosts);
      return { ...segment, boosts: [...ofFields, ...(phrases?.[i] ?? []), ...(changes?.[i] ?? [])] };
    }),
  );
}

/** The documents of a segment that may be hits; undefined if all may. */
async function allowedIn(
  segment: Segment,
  excludedDocs: ReadonlySet<number>,
  condition: Condition | undefined,
  meeting: Bits | undefined,
): Promise<Bits | undefined> {
  let allowed = condition ? (await segment.columns()).matching(condition) : undefined;
  if (meeting) allowed = (allowed ?? Bits.all(segment.docs)).and(meeting);
  if (segment.deleted) allowed = (allowed ?? Bits.all(segment.docs)).andNot(segment.deleted);
  for (const doc of excludedDocs) {
    const local = doc - segment.first;
    if (local < 0 || local >= segment.docs) continue;
    allowed ??= Bits.all(segment.docs);
    allowed.clear(local);
  }
  return allowed;
}
