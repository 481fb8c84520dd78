// An index, as far as a search needs it: it can be ranked, and makes hits of ranked documents.

import type { ScoredDoc } from "../../rank/best-documents.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import type { Turns } from "../../support/work/turns.ts";
import type { PairScorer, RerankOptions } from "../options/rerank-options.ts";
import type { RankedIndex } from "../ranking/ranked-index.ts";
import type { Hit } from "./answer.ts";

/** @internal What a search needs of an index. */
export interface SearchedIndex extends RankedIndex {
  readonly resources: RankedIndex["resources"] & {
    /** Opens the cross-encoder of a folder, or returns the one that was given. */
    openCrossEncoder(model: RerankOptions["model"]): Promise<PairScorer>;
  };
  /** The hits of each ranking. */
  createHits(snapshot: Snapshot, rankings: readonly (readonly ScoredDoc[])[], turns: Turns): Promise<Hit[][]>;
}
