// Requests → rankings by a cluster. OpenSearch finds some more documents than wanted, by its own score. The client scores them
// again from their stored rows, in float64, exactly as it would score those of a folder. Then it proves that no other document
// can be among the best, asks for more, or says `exact: false`.

import type { QueryRow } from "../../densify/rows.ts";
import type { Fields } from "../../documents/document.ts";
import { DEFAULT_CANDIDATES } from "../../query/plan/plan.ts";
import { applyLambda } from "../../query/plan/select-dimensions.ts";
import { acceptsScoreZero, type EngineRequest } from "../../query/plan/stage-plan.ts";
import { BestDocuments, type ScoredDoc } from "../../rank/best-documents.ts";
import { dotFloat16 } from "../../rank/dot.ts";
import { LexicalScorer } from "../../rank/lexical-scorer.ts";
import type { Ranking } from "../../rank/ranking.ts";
import { createCounts } from "../../scan/contract/scan-counts.ts";
import type { HitConditions } from "../../search/ranking/ranked-index.ts";
import type { Turns } from "../../support/work/turns.ts";
import {
  ALL_SHARDS,
  type ClusterHit,
  type ClusterHits,
  VERSION_FIELDS,
} from "../commit/cluster-documents.ts";
import type { ClusterView } from "../commit/cluster-index.ts";
import { visibleFilter } from "../commit/visibility.ts";
import { type ClusterQuery, toClusterQuery } from "../rows/field-tokens.ts";
import { unpackStoredRow } from "../rows/stored-row.ts";
import { createRankClauses, type RankClauses } from "./rank-clauses.ts";

/** A ranked document, with what a hit shows of it. */
export interface ClusterScored extends ScoredDoc {
  readonly id: string;
  readonly document: Fields;
}

/** How many documents are asked for in addition to the wanted ones. More: proofs succeed more often, answers are longer. */
const MARGIN = 10;
/** If there is no proof, this many times as many documents are asked for. Many documents may have equal scores. */
const WIDER = 4;
/** The most documents that OpenSearch returns at once, and that a proof is tried with. */
const MOST_AT_ONCE = 10_000;
/** The documents of a page, if more are wanted. */
const PAGE_DOCS = 2000;
/** How many requests of one search are under way. */
const AT_ONCE = 4;

/** Ranks the documents of a commit. */
export async function rankOnCluster(
  view: ClusterView,
  requests: readonly EngineRequest[],
  { condition, excludedIds }: HitConditions,
  { signal }: Turns,
): Promise<Ranking[]> {
  const { documents, record } = view;
  if (!documents || !record) return requests.map((request) => emptyRanking(request));
  const excluded = excludedIds.length > 0 ? { terms: { id: excludedIds } } : undefined;
  const filter = [visibleFilter(record), ...(condition ? [toClusterQuery(condition)] : [])];
  const clauses = { filter, must_not: excluded ? [excluded] : [] };
  const docs = condition || excluded ? await documents.count([{ bool: clauses }], signal) : record.docs;
  const rankings: Ranking[] = new Array(requests.length);
  let next = 0;
  const work = async () => {
    while (next < requests.length) {
      const at = next++;
      rankings[at] = await new ClusterSearch(view, requests[at], clauses, docs, signal).rank();
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, requests.length) }, work));
  return rankings;
}

/** Which documents may be hits, as clauses of OpenSearch. */
interface ScopeClauses {
  readonly filter: readonly ClusterQuery[];
  readonly must_not: readonly ClusterQuery[];
}

class ClusterSearch {
  readonly #view: ClusterView;
  readonly #request: EngineRequest;
  readonly #clauses: ScopeClauses;
  readonly #docs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #query: QueryRow;
  readonly #rankClauses: RankClauses;
  /** Whether words alone find candidates. */
  readonly #isPruned: boolean;

  constructor(
    view: ClusterView,
    request: EngineRequest,
    clauses: ScopeClauses,
    docs: number,
    signal: AbortSignal | undefined,
  ) {
    const { row, vector, lambda, plan } = request;
    this.#view = view;
    this.#request = request;
    this.#clauses = clauses;
    this.#docs = docs;
    this.#signal = signal;
    this.#query = applyLambda(row, vector, lambda);
    this.#rankClauses = createRankClauses(this.#query, view.snapshot.slicing, view.record!);
    this.#isPruned =
      plan.kind === "pruned" && this.#rankClauses.meaning !== undefined && row.slices.length > 0;
  }

  async rank(): Promise<Ranking> {
    const { plan, row, vector, k } = this.#request;
    const start = performance.now();
    let [scored, rescoredMs] = [0, 0];
    const wanted = Math.min(k, Math.max(1, this.#docs));
    for (let most = wanted + MARGIN; ; most *= WIDER) {
      const hits = await this.#find(most);
      const found = performance.now();
      const best = this.#score(hits, wanted);
      scored += hits.length;
      rescoredMs += performance.now() - found;
      const isProven = this.#isProven(best, hits, most);
      const canAskMore = !this.#isPruned && most < MOST_AT_ONCE && hits.length === most;
      if (!isProven && canAskMore) continue;
      const semanticDims = vector?.length ?? 0;
      return {
        ranked: best.ranked(),
        stats: {
          plan: plan.kind,
          kernel: "opensearch",
          allowedCount: this.#docs,
          scored,
          candidates: hits.length,
          exact: isProven,
          usedDims:
            this.#rankClauses.words.length + (this.#query.semantic && !this.#isPruned ? semanticDims : 0),
          queryDims: row.slices.length + (this.#query.semantic?.length ?? 0),
          scan: createCounts(),
          firstStageMs: performance.now() - start - rescoredMs,
          secondStageMs: rescoredMs,
        },
      };
    }
  }

  /** The `most` best documents by OpenSearch's score. */
  async #find(most: number): Promise<readonly ClusterHit[]> {
    const { words, meaning } = this.#rankClauses;
    const should = [...words, ...(meaning && !this.#isPruned ? [meaning] : [])];
    if (should.length === 0) return [];
    const body = {
      query: { bool: { ...this.#clauses, should, minimum_should_match: 1 } },
      track_total_hits: false,
      ...VERSION_FIELDS,
    };
    const { connection, documents, record } = this.#view;
    // Of equal scores, the document that was added first.
    const sort = ["_score", { serial: "asc" }];
    if (most > MOST_AT_ONCE) {
      const all: ClusterHit[] = [];
      for await (const page of documents!.readPages({ ...body, size: PAGE_DOCS, sort }, this.#signal)) {
        all.push(...page);
        if (all.length >= most) break;
      }
      return all.slice(0, most);
    }
    const { hits } = await connection.ask<ClusterHits>({
      method: "POST",
      path: `/${record!.documents}/_search`,
      query: ALL_SHARDS,
      body: { ...body, size: most, ...(this.#isPruned ? { rescore: this.#rescore(meaning!) } : { sort }) },
      signal: this.#signal,
    });
    return hits.hits;
  }

  /** The best documents by words on each shard get their semantic part as well. */
  #rescore(meaning: ClusterQuery): ClusterQuery {
    const { plan } = this.#request;
    const { candidates = DEFAULT_CANDIDATES } = plan as { candidates?: number };
    return { window_size: Math.min(candidates, MOST_AT_ONCE), query: { rescore_query: meaning } };
  }

  /** The best of the found documents by their exact scores. */
  #score(hits: readonly ClusterHit[], wanted: number): BestDocuments {
    const { semantic } = this.#query;
    const { shape, snapshot } = this.#view;
    const scorer = new LexicalScorer(this.#query, snapshot.slicingSettings.dims);
    const acceptsZero = acceptsScoreZero(this.#query, this.#request);
    const best = new BestDocuments(wanted);
    for (const { fields, _source } of hits) {
      const stored = unpackStoredRow(Buffer.from(fields.row[0], "base64"), shape);
      const lexical = scorer.scoreRow({ ...stored, starts: Uint32Array.of(0, stored.slices.length) }, 0);
      const vectorPart = semantic ? dotFloat16(semantic, stored.vector, 0) : 0;
      const score = lexical + vectorPart;
      if (score === 0 && !acceptsZero) continue;
      const hit: ClusterScored = {
        doc: fields.serial[0],
        score,
        lexical,
        semantic: vectorPart,
        id: fields.id[0],
        document: _source!.document,
      };
      best.add(hit);
    }
    scorer.release();
    return best;
  }

  /** Whether no document that was not found can be among the wanted. */
  #isProven(best: BestDocuments, hits: readonly ClusterHit[], most: number): boolean {
    const { constant, error, leftOut } = this.#rankClauses;
    if (this.#isPruned) return false;
    // Without clauses for some of the cells, a document that holds only these is not found.
    if (hits.length < most) return leftOut === 0;
    const last = hits.at(-1)!;
    const others = (last.sort?.[0] ?? last._score!) - constant + error + leftOut;
    return best.threshold > others;
  }
}

/** The ranking of an index without documents. */
function emptyRanking({ plan, row, vector }: EngineRequest): Ranking {
  return {
    ranked: [],
    stats: {
      plan: plan.kind,
      kernel: "opensearch",
      allowedCount: 0,
      scored: 0,
      candidates: 0,
      exact: true,
      usedDims: row.slices.length,
      queryDims: row.slices.length + (vector?.length ?? 0),
      scan: createCounts(),
      firstStageMs: 0,
      secondStageMs: 0,
    },
  };
}
