// Requests and what they search → rankings, of any index. The documents of a snapshot are ranked by the engine, which gets the
// segments and the first stages to search them with. An index on a cluster ranks its documents there (`rankRemotely`).

import type { EngineRequest } from "../../query/plan/stage-plan.ts";
import { runEngine } from "../../rank/engine.ts";
import type { Ranking } from "../../rank/ranking.ts";
import { chooseFirstStages } from "../../scan/first-stages.ts";
import { doRowsFitInMemory } from "../../scan/search-resources.ts";
import type { RankingInput } from "./ranking-input.ts";
import type { SearchContext } from "./search-context.ts";
import { toSearchedSegment } from "./searched-segment.ts";

/**
 * The ranking of each request. All requests search the same documents, have the same plan and the same `k`, which may be 0.
 */
export async function rankDocuments(
  { index, snapshot, resources, turns }: Pick<SearchContext, "index" | "snapshot" | "resources" | "turns">,
  requests: readonly EngineRequest[],
  input: RankingInput,
): Promise<Ranking[]> {
  turns.signal?.throwIfAborted();
  // At least one document, because a threshold needs one. At most all of them, because there is room for each.
  const most = Math.max(1, snapshot.docs);
  const bounded = requests.map((request) => ({ ...request, k: Math.min(Math.max(1, request.k), most) }));
  let rankings: Ranking[];
  if (index.rankRemotely) rankings = await index.rankRemotely(bounded, input, turns);
  else {
    const rowsFitInMemory = doRowsFitInMemory(snapshot, resources);
    const segments = snapshot.segments.map((segment, i) => {
      const extent = { allowed: input.allowed[i], additions: input.additions?.[i] };
      return toSearchedSegment(segment, extent, rowsFitInMemory, resources);
    });
    const firstStages = chooseFirstStages(resources.pool, resources.device);
    rankings = await runEngine(segments, bounded, firstStages, turns);
  }
  if (requests.every(({ k }) => k > 0)) return rankings;
  return rankings.map(({ ranked, stats }, i) => ({ ranked: ranked.slice(0, requests[i].k), stats }));
}
