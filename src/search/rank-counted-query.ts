// A prepared query whose answer is counted, sorted, grouped, or limited to matches → the documents of the page, and what was
// counted. The steps:
//
//   the documents that match: those that may be hits, and hold words if `match` says so   match/documents-holding.ts
//   the documents that are counted and sorted: matches, all of the filter, or the best
//   the page by score or by a field, and of all documents or one of each group            sort-by-field.ts, group-by-field.ts
//   counts of values and ranges                                                           facets.ts
//
// `Documents` below is a set: for each segment, one bit a document.

import type { PreparedQuery } from "../query/query-preparer.ts";
import type { EngineRequest } from "../query/stage-plan.ts";
import type { ScoredDoc } from "../rank/best-documents.ts";
import type { EngineStats } from "../rank/ranking.ts";
import { segmentAt } from "../segment/segment.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { Bits } from "../support/numbers/bits.ts";
import { findDocumentsHoldingInFields } from "./additions/reweigh-fields.ts";
import { termsToHold } from "./additions/weighed-terms.ts";
import type { AnswerCounts } from "./count/answer-counts.ts";
import { countFacets } from "./count/facets.ts";
import { countGroups, groupDocs } from "./count/group-by-field.ts";
import { SortedPlaces, sortDocs, sortScored } from "./count/sort-by-field.ts";
import { toSets } from "./match/allowed-documents.ts";
import { cellsToHold, findDocumentsHolding } from "./match/documents-holding.ts";
import { DEFAULT_K } from "./options/search-options.ts";
import type { RankingInput } from "./rank-documents.ts";
import type { SearchContext } from "./search-context.ts";

/** How many of the best documents are counted and sorted if meaning is searched, too. More: slower. */
const BEST_DOCS = 1000;

interface CountedDocs extends AnswerCounts {
  readonly docs: readonly ScoredDoc[];
  readonly stats: EngineStats;
}

type Documents = readonly Bits[];

/** A query of a context, and what it is ranked by. */
interface CountedQuery {
  readonly prepared: PreparedQuery;
  readonly request: EngineRequest;
  readonly input: RankingInput;
  /** Leaves out documents that score less. */
  readonly minScore: number | undefined;
}

/** The documents of the page `offset` … `offset + k − 1`, and what was counted. */
export async function rankCountedQuery(context: SearchContext, query: CountedQuery): Promise<CountedDocs> {
  const { snapshot, options } = context;
  const { request, input, minScore } = query;
  const { k = DEFAULT_K, offset = 0, match, among, sort, groupBy, facets } = options;
  const allowed = toSets(snapshot, input.allowed);
  const isByWords = !request.vector || request.lambda === 0;
  const matching = isByWords || match ? intersect(allowed, await findMatches(context, query)) : allowed;
  const ranker = new MatchRanker(context, query, matching);

  const kind =
    among === "filter" ? "filter" : among !== undefined || !(isByWords || match) ? "best" : "matches";
  const best = typeof among === "number" ? among : BEST_DOCS;
  const scored =
    kind === "best"
      ? await ranker.findBest(Math.max(best, sort ? 0 : offset + k)).then((docs) => docs.slice(0, best))
      : minScore !== undefined
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
  // An answer says what a search did, even if nothing had to be ranked.
  if (!ranker.lastStats) await ranker.findBest(1);
  return {
    docs,
    stats: { ...ranker.lastStats!, allowedCount: countAll(matching) },
    among: kind,
    total: countAll(counted),
    ...(groupBy !== undefined && { groups: await countGroups(snapshot, groupBy, counted) }),
    ...(facets && { facets: await countFacets(snapshot.segments, counted, facets) }),
  };
}

/** For each segment, the documents that hold a word of the query, or all of them. */
function findMatches(
  { snapshot, options, scope, fieldWeights }: SearchContext,
  { prepared }: CountedQuery,
): Promise<Bits[]> {
  const { match = "any" } = options;
  if (fieldWeights || prepared.fieldTerms)
    return findDocumentsHoldingInFields(snapshot, termsToHold(snapshot, prepared, match, fieldWeights));
  return findDocumentsHolding(snapshot, cellsToHold(snapshot.slicing, prepared, match), scope.resources);
}

/** Ranks the documents that match one query, as often as its answer needs. It keeps the longest ranking. */
class MatchRanker {
  readonly #context: SearchContext;
  readonly #query: CountedQuery;
  readonly #matching: Documents;
  #longest: { readonly most: number; readonly docs: readonly ScoredDoc[] } | undefined;
  #lastStats: EngineStats | undefined;

  constructor(context: SearchContext, query: CountedQuery, matching: Documents) {
    this.#context = context;
    this.#query = query;
    this.#matching = matching;
  }

  /** What the last ranking did; undefined if there was none. */
  get lastStats(): EngineStats | undefined {
    return this.#lastStats;
  }

  /** The `most` best documents by score. */
  async findBest(most: number): Promise<readonly ScoredDoc[]> {
    if (!this.#longest || this.#longest.most < most) {
      const docs = await this.#rank(this.#matching, most, this.#query.request.plan);
      this.#longest = { most, docs };
    }
    return this.#longest.docs.slice(0, most);
  }

  /** The best documents of a set, scored exactly. */
  findBestWithin(within: Documents, most: number): Promise<readonly ScoredDoc[]> {
    return this.#rank(within, most, { kind: "exact" });
  }

  async #rank(within: Documents, most: number, plan: EngineRequest["plan"]): Promise<readonly ScoredDoc[]> {
    const { request, input, minScore } = this.#query;
    const requests = [{ ...request, k: Math.max(1, most), plan }];
    const [{ docs, stats }] = await this.#context.rankRequests(requests, {
      ...input,
      offset: 0,
      allowed: within,
    });
    this.#lastStats = stats;
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
