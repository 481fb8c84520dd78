// Queries and a snapshot of an index → ranked documents. It loads what a search needs of each segment at the first search,
// and keeps it with the segment. Then it calls the engine of the CPU or of the GPU.

import type { Condition } from "../documents/filter.ts";
import type { PostingValues } from "../scan/exact-postings.ts";
import { type LayoutSource, VECTORS } from "../scan/memories.ts";
import { Scanner } from "../scan/scanner.ts";
import type { ScanPool } from "../scan/thread-pool.ts";
import { DeviceLost, DeviceMemory } from "../scan/webgpu/device-errors.ts";
import { type LayoutMeta, layoutSection } from "../segment/layout.ts";
import type { Segment, SegmentSource } from "../segment/segment.ts";
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
  /** Documents that must not be hits. */
  readonly excluded?: ReadonlySet<number>;
  /** The filter that documents must pass. */
  readonly condition?: Condition;
  /** How many of the best hits to skip, for the next page. */
  readonly offset?: number;
  /** The most bytes of rows to keep in memory. A larger index reads the rows it needs from the disk. */
  readonly rowBytes?: number;
  /** Threads that scan. Without them the calling thread scans. */
  readonly pool?: ScanPool;
  /** Lets the search pause for other work, and stops it on an abort. */
  readonly turns?: Turns;
  /** A GPU. Requests it cannot answer fall back to the CPU; `stats.fallback` says why. */
  readonly device?: DeviceIndex;
}

/** The default of `rowBytes`: 1 GiB, enough for the BM25 rows of more than a million documents. */
const ROW_BYTES = 2 ** 30;

/** For each request, the hits `offset` … `offset` + `k` − 1 of its ranking. All requests search the same documents. */
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
  // At most all documents, because the engine makes room for k hits.
  const most = Math.max(1, snapshot.docs);
  const further = requests.map((request) => ({ ...request, k: Math.min(offset + request.k, most) }));
  const rankings = device
    ? await searchDeviceFirst(device, snapshot, segments, further, pool, turns)
    : await searchSegmentsForAll(segments, further, pool, turns);
  return rankings.map(({ docs, stats }) => ({ docs: docs.slice(offset), stats }));
}

/** Loads what the first search would load, so that it need not wait. All rows stay in memory. */
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

/** Ignores that rows do not fit a GPU if the CPU may answer instead; `stats.fallback` will say so. */
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

/** Searches on the GPU. Requests that it cannot answer fall back to the CPU, with the reason. */
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
  const unanswered = requests.filter((_, i) => !found[i]);
  const others = unanswered.length > 0 ? await searchSegmentsForAll(segments, unanswered, pool, turns) : [];
  const answers = others.map(({ docs, stats }) => ({ docs, stats: { ...stats, fallback } }));
  return found.map((ranking) => ranking ?? answers.shift()!);
}

const vectors = new WeakMap<SegmentSource, Promise<ExactVectors>>();
const diskVectors = new WeakMap<SegmentSource, Promise<ExactVectors>>();
const rowWords = new WeakMap<SegmentSource, Promise<ExactWords>>();
const diskRowWords = new WeakMap<SegmentSource, Promise<ExactWords>>();
const diskValues = new WeakMap<SegmentSource, Promise<PostingValues>>();
const scannedVectors = new WeakMap<Scanner, Promise<ExactVectors>>();
/** Scanners by the number of threads they were loaded for. */
const scanners = new Map<number, WeakMap<SegmentSource, Promise<Scanner>>>();

/** What `load` gave for a source the first time. */
function loadOnce<Source extends object, T>(
  cache: WeakMap<Source, Promise<T>>,
  source: Source,
  load: (source: Source) => Promise<T>,
): Promise<T> {
  let loaded = cache.get(source);
  if (!loaded) {
    loaded = load(source);
    cache.set(source, loaded);
    // After a failure the next call tries again.
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
    return loadOnce(scannedVectors, scanner, async () => {
      await scanner.fillVectors(layoutOf(source));
      return scanner;
    });
  }
  return fits ? loadOnce(vectors, source, loadVectors) : loadOnce(diskVectors, source, vectorsOnDisk);
}

/** Loads vectors into WebAssembly memory, or into arrays if they are few or do not fit. */
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
    if (!fits) return listedWords(scanner, await loadOnce(diskValues, source, postingValuesOnDisk));
    const values = await source.sections.section(layoutSection("postingValues"));
    return listedWords(scanner, (posting) => values[posting]);
  }
  if (fits || !source.sections.has("starts")) {
    return loadOnce(rowWords, source, async () => residentRows(await source.rows()));
  }
  return loadOnce(diskRowWords, source, rowsOnDisk);
}

/** The scanner of a segment, for the threads of a pool or for this one. It has room for vectors if `fits` at its first load. */
export function scannerOf(source: SegmentSource, fits: boolean, pool?: ScanPool): Promise<Scanner> {
  const threads = pool?.threads ?? 1;
  let cache = scanners.get(threads);
  if (!cache) {
    cache = new WeakMap();
    scanners.set(threads, cache);
  }
  return loadOnce(cache, source, async (segment) => {
    const scanner = await Scanner.load(layoutOf(segment), { threads, vectors: fits });
    if (pool) segment.onClose(() => pool.detach(scanner));
    return scanner;
  });
}

/** The layout of a segment, for a scanner. */
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
