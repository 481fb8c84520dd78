// Requests and a snapshot of an index → rankings. It gives the engine the segments, with the documents that may be hits and the
// additions to their scores, and the first stages to search them with.

import type { EngineRequest } from "../../query/stage-plan.ts";
import { rankInSegments } from "../../rank/engine.ts";
import type { Ranking } from "../../rank/ranking.ts";
import { chooseFirstStages } from "../../scan/first-stages.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Turns } from "../../support/work/turns.ts";
import { findAllowedIn } from "../scope/allowed-documents.ts";
import { doRowsFit } from "../scope/search-resources.ts";
import type { RemoteScope, SearchScope } from "../scope/search-scope.ts";
import { loadBoostAdditions } from "../score/boosts.ts";
import { type SearchedSegment, toSearchedSegment } from "./searched-segment.ts";

/** Ranks the documents of an index, wherever they are. */
export type RankRequests = (
  requests: readonly EngineRequest[],
  scope: SearchScope & RemoteScope,
) => Promise<Ranking[]>;

/** Ranks in the segments of the snapshot, unless the index ranks its documents elsewhere (`searched-index.ts`). */
export function createRanker(index: {
  readonly snapshot: Snapshot;
  rankRequests?(requests: readonly EngineRequest[], scope: RemoteScope): Promise<Ranking[]>;
}): RankRequests {
  const { snapshot } = index;
  return (requests, scope) =>
    index.rankRequests?.(requests, scope) ?? rankInSnapshot(snapshot, requests, scope);
}

/** For each request, the hits `offset` … `offset` + `k` − 1 of its ranking. All requests search the same documents. */
export async function rankInSnapshot(
  snapshot: Snapshot,
  requests: readonly EngineRequest[],
  scope: SearchScope,
): Promise<Ranking[]> {
  const { resources, offset = 0, turns = new Turns() } = scope;
  const mayStayInMemory = doRowsFit(snapshot, resources);
  const segments = await Promise.all(
    snapshot.segments.map(async (segment, i) => {
      const allowed = scope.allowed ? scope.allowed[i] : await findAllowedIn(segment, i, scope);
      return toSearchedSegment(segment, allowed, mayStayInMemory, resources);
    }),
  );
  const { boosts, phraseAdditions, weightAdditions } = scope;
  const hasAdditions = (boosts ?? phraseAdditions ?? weightAdditions) !== undefined;
  const searched = hasAdditions ? await addAdditions(segments, snapshot, scope) : segments;
  turns.signal?.throwIfAborted();
  // At most all documents, because the engine makes room for k hits.
  const most = Math.max(1, snapshot.rowCount);
  const further = requests.map((request) => ({ ...request, k: Math.min(offset + request.k, most) }));
  const rankings = await rankInSegments(
    searched,
    further,
    chooseFirstStages(resources.pool, resources.device),
    turns,
  );
  return offset === 0 ? rankings : rankings.map(({ docs, stats }) => ({ docs: docs.slice(offset), stats }));
}

/** The segments, with what is added to the scores of their documents. */
function addAdditions(
  segments: readonly SearchedSegment[],
  snapshot: Snapshot,
  { boosts = [], phraseAdditions, weightAdditions }: SearchScope,
): Promise<SearchedSegment[]> {
  return Promise.all(
    segments.map(async (segment, i) => {
      const ofBoosts = await loadBoostAdditions(snapshot.segments[i], boosts);
      const additions = [...ofBoosts, ...(phraseAdditions?.[i] ?? []), ...(weightAdditions?.[i] ?? [])];
      return { ...segment, additions };
    }),
  );
}
