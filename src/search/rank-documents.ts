// Requests and what a search looks at in each segment of a snapshot → rankings. It gives the segments to the engine, with the
// first stages to search them with.

import type { EngineRequest } from "../query/stage-plan.ts";
import { rankInSegments } from "../rank/engine.ts";
import type { Ranking } from "../rank/ranking.ts";
import type { ScoreAdditions } from "../scan/contract/score-additions.ts";
import { chooseFirstStages } from "../scan/first-stages.ts";
import { doRowsFit, type SearchResources } from "../scan/search-resources.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import type { Bits } from "../support/numbers/bits.ts";
import { Turns } from "../support/work/turns.ts";
import type { RemoteScope } from "./searched-index.ts";
import { toSearchedSegment } from "./searched-segment.ts";

/** What a ranking is given. An index that ranks elsewhere needs `RemoteScope`, and the segments of a snapshot need the rest. */
export interface RankingInput extends RemoteScope {
  readonly resources: SearchResources;
  /** For each segment, the documents that may be hits; undefined if all may. */
  readonly allowed: readonly (Bits | undefined)[];
  /** For each segment, what is added to scores. Undefined: nothing is. */
  readonly additions: readonly ScoreAdditions[] | undefined;
}

/** Ranks the documents of an index, wherever they are. */
export type RankRequests = (requests: readonly EngineRequest[], input: RankingInput) => Promise<Ranking[]>;

/** Ranks in the segments of the snapshot, unless the index ranks its documents elsewhere (`searched-index.ts`). */
export function createRanker(index: {
  readonly snapshot: Snapshot;
  rankRequests?(requests: readonly EngineRequest[], scope: RemoteScope): Promise<Ranking[]>;
}): RankRequests {
  const { snapshot } = index;
  return (requests, input) =>
    index.rankRequests?.(requests, input) ?? rankInSnapshot(snapshot, requests, input);
}

/** For each request, the hits `offset` … `offset` + `k` − 1 of its ranking. All requests search the same documents. */
async function rankInSnapshot(
  snapshot: Snapshot,
  requests: readonly EngineRequest[],
  { resources, allowed, additions, offset = 0, turns = new Turns() }: RankingInput,
): Promise<Ranking[]> {
  turns.signal?.throwIfAborted();
  const mayStayInMemory = doRowsFit(snapshot, resources);
  const segments = snapshot.segments.map((segment, i) =>
    toSearchedSegment(
      segment,
      { allowed: allowed[i], additions: additions?.[i] },
      mayStayInMemory,
      resources,
    ),
  );
  // At most all documents, because the engine makes room for k hits.
  const most = Math.max(1, snapshot.rowCount);
  const withSkipped = requests.map((request) => ({ ...request, k: Math.min(offset + request.k, most) }));
  const firstStages = chooseFirstStages(resources.pool, resources.device);
  const rankings = await rankInSegments(segments, withSkipped, firstStages, turns);
  return offset === 0 ? rankings : rankings.map(({ docs, stats }) => ({ docs: docs.slice(offset), stats }));
}
