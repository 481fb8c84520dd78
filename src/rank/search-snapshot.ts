// A question and a snapshot of an index → ranked documents. What searching a segment needs in memory is loaded when it
// is searched first, and kept with it.

import type { Condition } from "../documents/filter.ts";
import type { PostingValues } from "../scan/exact-postings.ts";
import { type LayoutSource, VECTORS } from "../scan/memories.ts";
import { Scanner } from "../scan/scanner.ts";
import type { ScanPool } from "../scan/thread-pool.ts";
import { DeviceLost, DeviceMemory } from "../scan/webgpu/device-errors.ts";
import type { LayoutMeta } from "../segment/layout.ts";
import type { Segment, SegmentSource } from "../segment/segment.ts";
import { layoutSection } from "../segment/stored-layout.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { Bits } from "../support/bits.ts";
import { Turns } from "../support/turns.ts";
import { VectorMemory } from "../wasm/float16-vectors.ts";
import { postingValuesOnDisk, rowsOnDisk, vectorsOnDisk } from "./disk-rows.ts";
import { FEW_DOCS, searchSegmentsForAll } from "./engine.ts";
import type { DeviceIndex } from "./gpu-index.ts";
import type { EngineRequest, Ranking } from "./request.ts";
import {
  type ExactVectors,
  type ExactWords,
  listedWords,
  residentRows,
  type SearchSegment,
} from "./searched-segment.ts";

export interface SnapshotOptions {
  /** Document numbers of the snapshot that must not appear. */
  readonly excluded?: ReadonlySet<number>;
  /** What documents must fulfil. */
  readonly condition?: Condition;
  /** How many of the best hits to leave out: the next page begins there. */
  readonly offset?: number;
  /** Bytes of rows that may be kept in memory; larger indexes read the rows they need from the disk. */
  readonly rowBytes?: number;
  /** Threads that scan; without them the caller's does. */
  readonly pool?: ScanPool;
  /** When the search lets others have a turn, and looks at its signal. */
  readonly turns?: Turns;
  /** A GPU that answers what it can; the rest is answered here, and says so. */
  readonly device?: DeviceIndex;
}

/** Rows of a million documents of BM25 and more. */
const ROW_BYTES = 2 ** 30;

/** Hits `offset` … `offset` + `k` − 1 of the ranking for each question. All are asked of the same documents. */
export async function searchSnapshotForAll(
  snapshot: Snapshot,
  requests: readonly EngineRequest[],
  {
    offset = 0,
    excluded = new Set(),
    condition,
    rowBytes = ROW_BYTES,
    pool,
    device,
    turns = new Turns(),
  }: SnapshotOptions,
): Promise<Ranking[]> {
  const fits = snapshot.segments.reduce((sum, { source }) => sum + source.exactBytes, 0) <= rowBytes;
  const segments = await Promise.all(
    snapshot.segments.map(async (segment) =>
      searchSegment(segment, await allowedIn(segment, excluded, condition), fits, pool),
    ),
  );
  turns.signal?.throwIfAborted();
  // No more than there are: room is made for as many hits as are wanted.
  const most = Math.max(1, snapshot.docs);
  const further = requests.map((request) => ({ ...request, k: Math.min(offset + request.k, most) }));
  const rankings = device
    ? await searchDeviceFirst(device, snapshot, segments, further, pool, turns)
    : await searchSegmentsForAll(segments, further, pool, turns);
  return rankings.map(({ docs, stats }) => ({ docs: docs.slice(offset), stats }));
}

/** Loads what a first search would load, for whoever would rather wait now. All rows stay in memory. */
export async function loadForSearch(snapshot: Snapshot, device?: DeviceIndex): Promise<void> {
  for (const segment of snapshot.segments) {
    const { scanner, words, vectors } = searchSegment(segment, undefined, true);
    const isScanned = !device && segment.live > FEW_DOCS;
    const scanned = isScanned ? await scanner() : undefined;
    await words(scanned);
    if (snapshot.semanticDims > 0) await vectors(scanned);
    if (device && segment.docs > 0) await device.resident(segment.source).catch(unlessOptional(device));
  }
}

/** Rows that do not fit a device that need not be used are searched here, and the answers say so. */
function unlessOptional(device: DeviceIndex): (error: unknown) => void {
  return (error) => {
    if (!device.isOptional || !(error instanceof DeviceMemory)) throw error;
  };
}

function searchSegment(
  { source, docs, first }: Segment,
  allowed: Bits | undefined,
  fits: boolean,
  pool?: ScanPool,
): SearchSegment {
  return {
    docs,
    dims: source.meta.settings.dims,
    first,
    allowed,
    scanner: () => scannerOf(source, fits, pool),
    words: (scanner) => wordsOf(source, scanner, fits),
    vectors: (scanner) => vectorsOf(source, scanner, fits),
  };
}

/** By the device; what it cannot answer here, with the reason. */
async function searchDeviceFirst(
  device: DeviceIndex,
  snapshot: Snapshot,
  segments: readonly SearchSegment[],
  requests: readonly EngineRequest[],
  pool: ScanPool | undefined,
  turns: Turns,
): Promise<Ranking[]> {
  let fallback = requests.map((request) => device.refuses(request)).find((reason) => reason !== undefined);
  let found: (Ranking | undefined)[] = requests.map(() => undefined);
  if (fallback === undefined) {
    fallback = "too many documents have nearly the same score";
    try {
      const sources = snapshot.segments.map(({ source }) => source);
      found = await turns.until(device.search(segments, sources, requests, turns));
    } catch (error) {
      const canDoWithout = device.isOptional && error instanceof DeviceMemory;
      if (!(error instanceof DeviceLost) && !canDoWithout) throw error;
      fallback = (error as Error).message;
    }
  }
  const open = requests.filter((_, i) => !found[i]);
  const others = open.length > 0 ? await searchSegmentsForAll(segments, open, pool, turns) : [];
  const answers = others.map(({ docs, stats }) => ({ docs, stats: { ...stats, fallback } }));
  return found.map((ranking) => ranking ?? answers.shift()!);
}

const vectors = new WeakMap<SegmentSource, Promise<ExactVectors>>();
const diskVectors = new WeakMap<SegmentSource, Promise<ExactVectors>>();
const rowWords = new WeakMap<SegmentSource, Promise<ExactWords>>();
const diskRowWords = new WeakMap<SegmentSource, Promise<ExactWords>>();
const diskValues = new WeakMap<SegmentSource, Promise<PostingValues>>();
const scannedVectors = new WeakMap<Scanner, Promise<ExactVectors>>();
/** By the threads they were placed for. */
const scanners = new Map<number, WeakMap<SegmentSource, Promise<Scanner>>>();

function kept<Source extends object, T>(
  cache: WeakMap<Source, Promise<T>>,
  source: Source,
  load: (source: Source) => Promise<T>,
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

function vectorsOf(
  source: SegmentSource,
  scanner: Scanner | undefined,
  fits: boolean,
): Promise<ExactVectors> {
  if (scanner?.hasVectors) {
    return kept(scannedVectors, scanner, async () => {
      await scanner.fillVectors(layoutOf(source));
      return scanner;
    });
  }
  return fits ? kept(vectors, source, loadVectors) : kept(diskVectors, source, vectorsOnDisk);
}

/** Into a memory of their own, where the kernel finds them. */
async function loadVectors(source: SegmentSource): Promise<ExactVectors> {
  const { docs, sections } = source;
  const { semanticDims } = source.meta;
  if (docs <= FEW_DOCS || !VectorMemory.fits(sections.bytesOf("semantic"), semanticDims)) {
    return residentRows(await source.rows());
  }
  const memory = new VectorMemory(docs, semanticDims);
  const { halves } = memory;
  await sections.readInto("semantic", new Uint8Array(halves.buffer, halves.byteOffset, halves.byteLength));
  return memory;
}

async function wordsOf(
  source: SegmentSource,
  scanner: Scanner | undefined,
  fits: boolean,
): Promise<ExactWords> {
  if (scanner?.hasLists) {
    if (scanner.values) return listedWords(scanner, scanner.values);
    if (!fits) return listedWords(scanner, await kept(diskValues, source, postingValuesOnDisk));
    const values = await source.sections.section(layoutSection("postingValues"));
    return listedWords(scanner, (posting) => values[posting]);
  }
  if (fits || !source.sections.has("starts")) {
    return kept(rowWords, source, async () => residentRows(await source.rows()));
  }
  return kept(diskRowWords, source, rowsOnDisk);
}

/** The scanner of a segment, for a pool's threads or for this one; with room for its vectors if these fitted when it was loaded. */
export function scannerOf(source: SegmentSource, fits: boolean, pool?: ScanPool): Promise<Scanner> {
  const threads = pool?.threads ?? 1;
  let cache = scanners.get(threads);
  if (!cache) {
    cache = new WeakMap();
    scanners.set(threads, cache);
  }
  return kept(cache, source, async (segment) => {
    const scanner = await Scanner.load(layoutOf(segment), { threads, vectors: fits });
    if (pool) segment.onClose(() => pool.detach(scanner));
    return scanner;
  });
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
      const section = name === VECTORS ? name : layoutSection(name);
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
