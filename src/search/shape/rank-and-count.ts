// A prepared query and the options that count, sort and group → the documents of the page, and what was counted. The steps:
//
//   the documents that may be hits: by filter, and by words if `match` says so     scope/
//   the documents that are counted and sorted: matches, all of the filter, or the best
//   counts of values and ranges                                                    facets.ts
//   the page: by score or by a field, all documents or one of each group           sort-by-field.ts, group-by-field.ts
//
// `Documents` below is a set: for each segment, one bit a document.

import type { PreparedQuery } from "../../query/query-preparer.ts";
import type { EngineRequest } from "../../query/stage-plan.ts";
import type { ScoredDoc } from "../../rank/best-documents.ts";
import type { EngineStats } from "../../rank/ranking.ts";
import { segmentAt } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { CheckedAnswerOptions } from "../options/answer-options.ts";
import { findAllowedDocuments } from "../scope/allowed-documents.ts";
import { cellsToHold, findDocumentsHolding } from "../scope/documents-holding.ts";
import type { SearchScope } from "../scope/search-scope.ts";
import { findDocumentsHoldingInFields } from "../score/reweigh-fields.ts";
import { termsToHold } from "../score/weighed-terms.ts";
import { rankInSnapshot } from "../segments/rank-snapshot.ts";
import type { AnswerCounts } from "./answer-counts.ts";
import { countFacets } from "./facets.ts";
import { countGroups, groupDocs } from "./group-by-field.ts";
import { SortedPlaces, sortDocs, sortScored } from "./sort-by-field.ts";

/** How many of the best documents are counted and sorted if meaning is searched, too. More: slower. */
const BEST_DOCS = 1000;

interface CountedDocs extends AnswerCounts {
  readonly docs: readonly ScoredDoc[];
  readonly stats: EngineStats;
}

type Documents = readonly Bits[];

/** A query whose answer is counted, sorted, grouped, or limited to matches. */
interface CountedQuery {
  readonly snapshot: Snapshot;
  readonly prepared: PreparedQuery;
  readonly request: EngineRequest;
  readonly options: CheckedAnswerOptions & { readonly k: number; readonly offset: number };
  readonly scope: SearchScope;
  /** Weights of text fields, if they are not those of the index. */
  readonly fieldWeights: readonly number[] | undefined;
  /** Leaves out documents that score less. */
  readonly minScore: number | undefined;
}

/** The documents of the page `offset` … `offset + k − 1`, and what was counted. */
export async function rankAndCount(query: CountedQuery): Promise<CountedDocs> {
  const { snapshot, prepared, options } = query;
  const { k, offset, match, among, sort, groupBy, facets } = options;
  const allowed = await findAllowedDocuments(snapshot, query.scope);
  const isByWords = !query.request.vector || query.request.lambda === 0;
  const holding = () =>
    query.fieldWeights || prepared.fieldTerms
      ? findDocumentsHoldingInFields(
          snapshot,
          termsToHold(snapshot, prepared, match ?? "any", query.fieldWeights),
        )
      : findDocumentsHolding(
          snapshot,
          cellsToHold(snapshot.slicing, prepared, match ?? "any"),
          query.scope.resources,
        );
  const matching = isByWords || match ? intersect(allowed, await holding()) : allowed;
  const ranker = new MatchRanker(query, matching);

  const kind =
    among === "filter" ? "filter" : among !== undefined || !(isByWords || match) ? "best" : "matches";
  const best = typeof among === "number" ? among : BEST_DOCS;
  const scored =
    kind === "best"
      ? await ranker.findBest(Math.max(best, sort ? 0 : offset + k)).then((docs) => docs.slice(0, best))
      : query.minScore !== undefined
        ? await ranker.findBest(countAll(matching))
        : undefined;
  const counted = kind === "filter" ? allowed : scored ? documentsInSegments(snapshot, scored) : matching;

  let firstDocs = (from: number, to: number) => ranker.findBest(to).then((docs) => docs.slice(from));
  if (sort) {
    const places = await SortedPlaces.load(snapshot, sort);
    const sorted = scored && sortScored(places, scored);
    firstDocs = async (from, to) =>
      sorted?.slice(from, to) ??
      sortDocs(places, matching, from, to, (within, most) => ranker.findBestWithin(within, most));
  }
  const docs =
    k === 0
      ? []
      : groupBy === undefined
        ? await firstDocs(offset, offset + k)
        : await groupDocs(snapshot, groupBy, offset, offset + k, (most) => firstDocs(0, most));
  return {
    docs,
    stats: await ranker.readStats(),
    among: kind,
    total: countAll(counted),
    ...(groupBy !== undefined && { groups: await countGroups(snapshot, groupBy, counted) }),
    ...(facets && { facets: await countFacets(snapshot.segments, counted, facets) }),
  };
}

/** Ranks the documents that match one query, as often as its answer needs. It keeps the longest ranking. */
class MatchRanker {
  readonly #query: CountedQuery;
  readonly #matching: Documents;
  #longest: { readonly most: number; readonly docs: readonly ScoredDoc[] } | undefined;
  #stats: EngineStats | undefined;

  constructor(query: CountedQuery, matching: Documents) {
    this.#query = query;
    this.#matching = matching;
  }

  /** The `most` best documents by score. */
  async findBest(most: number): Promise<readonly ScoredDoc[]> {
    if (!this.#longest || this.#longest.most < most) {
      const docs = await this.#search(this.#matching, most, this.#query.request.plan);
      this.#longest = { most, docs };
    }
    return this.#longest.docs.slice(0, most);
  }

  /** The best documents of a set, scored exactly. */
  findBestWithin(within: Documents, most: number): Promise<readonly ScoredDoc[]> {
    return this.#search(within, most, { kind: "exact" });
  }

  /** What the last search did. `allowedCount` counts all documents that may be hits. */
  async readStats(): Promise<EngineStats> {
    if (!this.#stats) await this.findBest(1);
    return Object.assign(this.#stats!, { allowedCount: countAll(this.#matching) });
  }

  async #search(within: Documents, most: number, plan: EngineRequest["plan"]): Promise<readonly ScoredDoc[]> {
    const { snapshot, request, scope, minScore } = this.#query;
    const requests = [{ ...request, k: Math.max(1, most), plan }];
    const [{ docs, stats }] = await rankInSnapshot(snapshot, requests, {
      ...scope,
      offset: 0,
      allowed: within,
    });
    this.#stats = stats;
    return minScore === undefined ? docs : docs.filter(({ score }) => score >= minScore);
  }
}

function intersect(some: Documents, others: Documents): Documents {
  return some.map((bits, i) => bits.copy().and(others[i]));
}

function countAll(documents: Documents): number {
  return documents.reduce((sum, bits) => sum + bits.count(), 0);
}

function documentsInSegments({ segments }: Snapshot, docs: readonly ScoredDoc[]): Documents {
  const sets = new Map(segments.map((segment) => [segment, new Bits(segment.rowCount)]));
  for (const { doc } of docs) {
    const segment = segmentAt(segments, doc);
    sets.get(segment)!.set(doc - segment.first);
  }
  return [...sets.values()];
}
