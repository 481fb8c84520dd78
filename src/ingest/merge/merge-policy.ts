// Decides when segments are merged, and which. Many small segments slow down every search; a merge reads and writes them once.
// Only neighbors are merged, so documents stay in the order in which they were added.

/** What the policy looks at. */
export interface Mergeable {
  readonly docs: number;
  readonly deleted: number;
  readonly bytes: number;
}

/** How many neighbors of a similar size are merged. */
const MERGED_AT_ONCE = 8;
/** A segment is rewritten if more than this share of its documents is deleted. */
const MOST_DELETED = 0.3;
/** The most segments that are left. */
const MOST_SEGMENTS = 12;
/** Segments with fewer documents count as equally small: opening one costs more than searching it. */
const SMALL_DOCS = 1000;
/** The largest merged segment, in bytes: its rows are in memory while it is written. */
export const MOST_MERGED_BYTES = 2 * 1024 ** 3;

/** The segments from `from` to before `to` to be merged next; undefined if none need to be. */
export function chooseMerge(segments: readonly Mergeable[]): [from: number, to: number] | undefined {
  return findSimilar(segments) ?? findMostlyDeleted(segments) ?? findSurplus(segments);
}

/** What `optimize` merges: as many neighbors at a time as fit the largest size. */
export function chooseAll(segments: readonly Mergeable[]): [from: number, to: number][] {
  const runs: [number, number][] = [];
  let [from, bytes] = [0, 0];
  for (const [i, segment] of segments.entries()) {
    const more = liveBytes(segment);
    if (i > from && bytes + more > MOST_MERGED_BYTES) {
      runs.push([from, i]);
      [from, bytes] = [i, 0];
    }
    bytes += more;
  }
  if (segments.length > from) runs.push([from, segments.length]);
  return runs;
}

/**
 * Enough segments of one level with no larger one between them, the smallest level first. Other segments wait until there are
 * enough of their own level, so a document is rewritten once per level, not once per commit.
 */
function findSimilar(segments: readonly Mergeable[]): [number, number] | undefined {
  const levels = segments.map(levelOf);
  for (let level = 0; level <= Math.max(0, ...levels); level++) {
    let same: number[] = [];
    for (const [i, other] of levels.entries()) {
      if (other > level) same = [];
      if (other !== level) continue;
      if (same.length > 0 && total(segments, same[0], i + 1) > MOST_MERGED_BYTES) same = [];
      same.push(i);
      if (same.length === MERGED_AT_ONCE) return [same[0], i + 1];
    }
  }
  return undefined;
}

function findMostlyDeleted(segments: readonly Mergeable[]): [number, number] | undefined {
  const at = segments.findIndex(({ docs, deleted }) => deleted > MOST_DELETED * docs);
  return at < 0 ? undefined : [at, at + 1];
}

/** If there are too many segments: the neighbors whose merge is cheapest. */
function findSurplus(segments: readonly Mergeable[]): [number, number] | undefined {
  const width = segments.length - MOST_SEGMENTS + 1;
  if (width < 2) return undefined;
  let best: [number, number] | undefined;
  for (let from = 0; from + width <= segments.length; from++) {
    const bytes = total(segments, from, from + width);
    if (bytes <= MOST_MERGED_BYTES && (!best || bytes < total(segments, ...best)))
      best = [from, from + width];
  }
  return best;
}

function levelOf({ docs, deleted }: Mergeable): number {
  return Math.max(0, Math.floor(Math.log((docs - deleted) / SMALL_DOCS) / Math.log(MERGED_AT_ONCE)) + 1);
}

function liveBytes({ docs, deleted, bytes }: Mergeable): number {
  return docs === 0 ? 0 : (bytes * (docs - deleted)) / docs;
}

function total(segments: readonly Mergeable[], from: number, to: number): number {
  return segments.slice(from, to).reduce((sum, segment) => sum + liveBytes(segment), 0);
}
