// A question and a snapshot of an index → ranked documents: every segment is searched, and the lists become one.

import { Bits } from "../bits.ts";
import type { Condition } from "../filter.ts";
import type { Segment } from "../store/segment.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { type Ranking, type ScoredDoc, type SearchRequest, type SearchStats, search } from "./search.ts";

export interface SnapshotRequest extends Omit<SearchRequest, "excluded"> {
  /** Document numbers of the snapshot that must not appear. */
  readonly excluded?: ReadonlySet<number>;
  /** What documents must fulfil. */
  readonly condition?: Condition;
  /** How many of the best hits to leave out: the next page begins there. */
  readonly offset?: number;
}

/** Hits `offset` … `offset` + `k` − 1 of the ranking. */
export async function searchSnapshot(snapshot: Snapshot, request: SnapshotRequest): Promise<Ranking> {
  const { k, offset = 0, excluded = new Set(), condition, ...question } = request;
  const rankings: Ranking[] = [];
  for (const segment of snapshot.segments) {
    const allowed = await allowedIn(segment, excluded, condition);
    const left = allowed ? new Set([...allowed.copy().not()]) : new Set<number>();
    const ranking = await search(await segment.rows(), { ...question, k: offset + k, excluded: left });
    const docs = ranking.docs.map((hit) => ({ ...hit, doc: hit.doc + segment.first }));
    rankings.push({ docs, stats: { ...ranking.stats, docs: allowed?.count() ?? segment.docs } });
  }
  const docs = rankings.flatMap(({ docs }) => docs).sort(byRank);
  return { docs: docs.slice(offset, offset + k), stats: total(rankings, request) };
}

/** The documents of a segment that may be hits; undefined when all may. */
export async function allowedIn(
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

/** Best first. Equal scores go to the lower document number, so every kernel ranks alike. */
function byRank(a: ScoredDoc, b: ScoredDoc): number {
  return b.score - a.score || a.doc - b.doc;
}

function total(rankings: readonly Ranking[], { plan, row, vector, lambda }: SnapshotRequest): SearchStats {
  const sum = (of: (stats: SearchStats) => number) => rankings.reduce((all, { stats }) => all + of(stats), 0);
  const queryDims = row.slices.length + (vector && lambda > 0 ? vector.length : 0);
  return {
    plan: plan.kind,
    kernel: rankings[0]?.stats.kernel ?? "scalar",
    docs: sum(({ docs }) => docs),
    scored: sum(({ scored }) => scored),
    usedDims: rankings[0]?.stats.usedDims ?? queryDims,
    queryDims,
    firstStageMs: sum(({ firstStageMs }) => firstStageMs),
    secondStageMs: sum(({ secondStageMs }) => secondStageMs),
  };
}
