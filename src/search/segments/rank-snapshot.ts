// Requests and a snapshot of an index → rankings. It gives the engine the segments, with the documents that may be hits and the
// additions to their scores, and the first stages to search them with.

import type { EngineRequest } from "../../query/stage-plan.ts";
import { rankSegments } from "../../rank/engine.ts";
import type { Ranking } from "../../rank/ranking.ts";
import { firstStagesOf } from "../../scan/first-stages.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Turns } from "../../support/work/turns.ts";
import { allowedIn } from "../scope/allowed-documents.ts";
import { rowsFit } from "../scope/search-resources.ts";
import type { SearchScope } from "../scope/search-scope.ts";
import { boostAdditions } from "../score/boosts.ts";
import { type SearchedSegment, searchedSegment } from "./searched-segment.ts";

/** For each request, the hits `offset` … `offset` + `k` − 1 of its ranking. All requests search the same documents. */
export async function rankSnapshot(
  snapshot: Snapshot,
  requests: readonly EngineRequest[],
  scope: SearchScope,
): Promise<Ranking[]> {
  const { offset = 0, turns = new Turns() } = scope;
  const fits = rowsFit(snapshot, scope);
  const segments = await Promise.all(
    snapshot.segments.map(async (segment, i) => {
      const allowed = scope.allowed ? scope.allowed[i] : await allowedIn(segment, i, scope);
      return searchedSegment(segment, allowed, fits, scope);
    }),
  );
  const { boosts, phraseAdditions, weightAdditions } = scope;
  const hasAdditions = (boosts ?? phraseAdditions ?? weightAdditions) !== undefined;
  const searched = hasAdditions ? await withAdditions(segments, snapshot, scope) : segments;
  turns.signal?.throwIfAborted();
  // At most all documents, because the engine makes room for k hits.
  const most = Math.max(1, snapshot.rowCount);
  const further = requests.map((request) => ({ ...request, k: Math.min(offset + request.k, most) }));
  const rankings = await rankSegments(searched, further, firstStagesOf(scope.pool, scope.device), turns);
  return offset === 0 ? rankings : rankings.map(({ docs, stats }) => ({ docs: docs.slice(offset), stats }));
}

/** The segments, with what is added to the scores of their documents. */
function withAdditions(
  segments: readonly SearchedSegment[],
  snapshot: Snapshot,
  { boosts = [], phraseAdditions, weightAdditions }: SearchScope,
): Promise<SearchedSegment[]> {
  return Promise.all(
    segments.map(async (segment, i) => {
      const ofBoosts = await boostAdditions(snapshot.segments[i], boosts);
      const additions = [...ofBoosts, ...(phraseAdditions?.[i] ?? []), ...(weightAdditions?.[i] ?? [])];
      return { ...segment, additions };
    }),
  );
}
