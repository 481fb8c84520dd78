// A question and a snapshot of an index → ranked documents. What searching a segment needs in memory is loaded when it
// is searched first, and kept with it.

import { Bits } from "../bits.ts";
import type { Condition } from "../filter.ts";
import type { LayoutMeta } from "../layout/layout.ts";
import type { LayoutSource } from "../scan/place.ts";
import type { ScanPool } from "../scan/pool.ts";
import { Scanner } from "../scan/scanner.ts";
import { layoutSection } from "../store/layout.ts";
import { ROW_SECTIONS, type Segment, type SegmentSource } from "../store/segment.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { diskRows } from "./disk-rows.ts";
import { type EngineRequest, type Ranking, searchSegments } from "./engine.ts";
import { type ExactRows, residentRows, type SearchSegment } from "./segments.ts";

export interface SnapshotRequest extends EngineRequest {
  /** Document numbers of the snapshot that must not appear. */
  readonly excluded?: ReadonlySet<number>;
  /** What documents must fulfil. */
  readonly condition?: Condition;
  /** How many of the best hits to leave out: the next page begins there. */
  readonly offset?: number;
  /** Bytes of rows that may be kept in memory; larger indexes read the rows they need from the disk. */
  readonly rowBytes?: number;
}

/** Rows of a million documents of BM25 and more. */
const ROW_BYTES = 2 ** 30;

/** Hits `offset` … `offset` + `k` − 1 of the ranking. */
export async function searchSnapshot(snapshot: Snapshot, request: SnapshotRequest): Promise<Ranking> {
  const { k, offset = 0, excluded = new Set(), condition, rowBytes = ROW_BYTES, ...question } = request;
  const fits = snapshot.segments.reduce((sum, { source }) => sum + bytesOfRows(source), 0) <= rowBytes;
  const segments = await Promise.all(
    snapshot.segments.map(async (segment): Promise<SearchSegment> => {
      const { source, docs, first } = segment;
      return {
        docs,
        dims: source.meta.settings.dims,
        first,
        allowed: await allowedIn(segment, excluded, condition),
        exactRows: () => (fits ? kept(resident, source, loadRows) : kept(onDisk, source, diskRows)),
        scanner: () => scannerOf(source, request.pool),
      };
    }),
  );
  const { docs, stats } = await searchSegments(segments, { ...question, k: offset + k });
  return { docs: docs.slice(offset), stats };
}

const resident = new WeakMap<SegmentSource, Promise<ExactRows>>();
const onDisk = new WeakMap<SegmentSource, Promise<ExactRows>>();
/** By the threads they were placed for. */
const scanners = new Map<number, WeakMap<SegmentSource, Promise<Scanner>>>();

function kept<T>(
  cache: WeakMap<SegmentSource, Promise<T>>,
  source: SegmentSource,
  load: (source: SegmentSource) => Promise<T>,
): Promise<T> {
  let loaded = cache.get(source);
  if (!loaded) {
    loaded = load(source);
    cache.set(source, loaded);
    // What could not be read may be there again next time.
    loaded.catch(() => cache.delete(source));
  }
  return loaded;
}

async function loadRows(source: SegmentSource): Promise<ExactRows> {
  return residentRows(await source.rows());
}

function bytesOfRows({ sections }: SegmentSource): number {
  return ROW_SECTIONS.reduce((sum, name) => sum + sections.bytesOf(name), 0);
}

/** The scanner of a segment, for a pool's threads or for this one. */
export function scannerOf(source: SegmentSource, pool?: ScanPool): Promise<Scanner> {
  const threads = pool?.threads ?? 1;
  let cache = scanners.get(threads);
  if (!cache) {
    cache = new WeakMap();
    scanners.set(threads, cache);
  }
  return kept(cache, source, (segment) => Scanner.load(layoutOf(segment), { threads }));
}

/** A segment's layout, as a scanner takes it. */
function layoutOf({ meta, docs, sections }: SegmentSource): LayoutSource {
  const layout = meta.layout as LayoutMeta | undefined;
  if (!layout) throw new TypeError("the segment was written without a layout");
  const checked = new Set<string>();
  return {
    docs,
    dims: meta.settings.dims,
    semanticDims: meta.semanticDims,
    meta: layout,
    array: async (name) => (await sections.section(layoutSection(name))) as Uint32Array,
    readInto: async (name, offset, target) => {
      const section = layoutSection(name);
      if (offset === 0 && target.length === sections.bytesOf(section)) {
        await sections.readInto(section, target);
        return;
      }
      if (!checked.has(name)) await sections.check(section);
      checked.add(name);
      sections.readRange(section, offset, target.length, target);
    },
  };
}

/** The documents of a segment that may be hits; undefined when all may. */
async function allowedIn(
  segment: Segment,
  excluded: ReadonlySet<number>,
  condition: Condition | undefined,
): Promise<Bits | undefined> {
  let allowed = condition ? (await segment.columns()).matching(condition) : undefined;
  if (segment.deleted) allowed = (allowed ?? Bits.all(segment.docs)).andNot(segment.deleted);
  for (const number of excluded) {
    const doc = number - segment.first;
    if (doc < 0 || doc >= segment.docs) continue;
    allowed ??= Bits.all(segment.docs);
    allowed.clear(doc);
  }
  return allowed;
}
