// A prepared query whose answer is counted, sorted, grouped, or limited to matches → the documents of the page, and what was
// counted. The steps:
//
//   the documents that match: those that may be hits, and hold words if `match` says so   match/documents-holding.ts
//   the documents that are counted and sorted: matches, all of the filter, or the best
//   the page by score or by a field, and of all documents or one of each group            sort-by-field.ts, group-by-field.ts
//   counts of values and ranges                                                           facets.ts
//
// `Documents` below is a set: for each segment, one bit a document.

import { type EngineRequest, hasSemanticPart } from "../../query/plan/stage-plan.ts";
import type { ScoredDoc } from "../../rank/best-documents.ts";
import type { EngineStats } from "../../rank/ranking.ts";
import { segmentAt } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { AnswerCounts } from "../count/answer-counts.ts";
import { countFacets } from "../count/facets.ts";
import { countGroups, groupDocs } from "../count/group-by-field.ts";
import { DocumentRanks, sortDocs, sortScored } from "../count/sort-by-field.ts";
import { toSets } from "../match/allowed-documents.ts";
import { findDocumentsHolding, requiredCells } from "../match/documents-holding.ts";
import { findDocumentsHoldingInFields, termsToHold } from "../match/documents-holding-in-fields.ts";
import { rankDocuments } from "./rank-documents.ts";
import type { RankableQuery, RankingInput } from "./ranking-input.ts";
import type { SearchContext } from "./search-context.ts";

/** How many of the best documents are counted and sorted if meaning is searched, too. More: slower. */
const BEST_DOCS = 1000;

interface CountedDocs extends AnswerCounts {
  readonly ranked: readonly ScoredDoc[];
  readonly stats: EngineStats;
}

type Documents = readonly Bits[];

/** The documents of the page `offset` … `offset + k − 1`, and what was counted. */
export async function rankCountedQuery(
  context: SearchContext,
  query: RankableQuery,
  input: RankingInput,
): Promise<CountedDocs> {
  const { snapshot, options, turns } = context;
  const { request, minScore } = query;
  const { k, offset } = options;
  const { match, among, sort, groupBy, facets } = options.answer;
  const allowed = toSets(snapshot, input.allowed);
  const isByWords = !hasSemanticPart(request);
  const matching =
    isByWords || match ? copyIntersection(allowed, await findMatches(context, query)) : allowed;
  const ranker = new MatchRanker(context, query, input, matching);

  const kind =
    among === "filter" ? "filter" : among !== undefined || !(isByWords || match) ? "best" : "matches";
  // If `among` is a number, that many of the best documents are counted, and hits are only among them.
  const isLimited = typeof among === "number";
  const best = isLimited ? among : BEST_DOCS;
  const scored =
    kind === "best"
      ? await ranker
          .findBest(Math.max(best, sort || isLimited ? 0 : offset + k))
          .then((ranked) => ranked.slice(0, best))
      : minScore !== undefined
        ? await ranker.findBest(countAll(matching))
        : undefined;
  const counted = kind === "filter" ? allowed : scored ? documentsInSegments(snapshot, scored) : matching;

  let firstDocs = async (from: number, to: number) =>
    isLimited ? scored!.slice(from, to) : (await ranker.findBest(to)).slice(from);
  if (sort) {
    const ranks = await DocumentRanks.load(snapshot, sort);
    const sorted = scored && sortScored(ranks, scored);
    firstDocs = async (from, to) =>
      sorted?.slice(from, to) ??
      sortDocs(ranks, matching, from, to, (within, most) => ranker.findBestWithin(within, most));
  }
  const page =
    k === 0
      ? []
      : groupBy === undefined
        ? await firstDocs(offset, offset + k)
        : await groupDocs(snapshot, groupBy, offset, offset + k, (most) => firstDocs(0, most));
  // An answer has statistics, even if nothing had to be ranked.
  if (!ranker.lastStats) await ranker.findBest(1);
  return {
    ranked: page,
    stats: { ...ranker.lastStats!, allowedCount: countAll(matching) },
    among: kind,
    total: countAll(counted),
    ...(groupBy !== undefined && { groups: await countGroups(snapshot, groupBy, counted) }),
    ...(facets && { facets: await countFacets(snapshot.segments, counted, facets, turns) }),
  };
}

/** For each segment, the documents that hold a word of the query, or all of them. */
function findMatches(
  { snapshot, options, resources, fieldWeights }: SearchContext,
  { prepared }: RankableQuery,
): Promise<Bits[]> {
  const { match = "any" } = options.answer;
  if (fieldWeights || prepared.fieldTerms)
    return findDocumentsHoldingInFields(snapshot, termsToHold(snapshot, prepared, match, fieldWeights));
  return findDocumentsHolding(snapshot, requiredCells(snapshot.slicing, prepared, match), resources);
}

/** Ranks the documents that match one query, as often as its answer needs. It keeps the longest ranking. */
class MatchRanker {
  readonly #context: SearchContext;
  readonly #query: RankableQuery;
  readonly #input: RankingInput;
  readonly #matching: Documents;
  #longest: { readonly most: number; readonly ranked: readonly ScoredDoc[] } | undefined;
  #lastStats: EngineStats | undefined;

  constructor(context: SearchContext, query: RankableQuery, input: RankingInput, matching: Documents) {
    this.#context = context;
    this.#query = query;
    this.#input = input;
    this.#matching = matching;
  }

  /** What the last ranking did; undefined if there was none. */
  get lastStats(): EngineStats | undefined {
    return this.#lastStats;
  }

  /** The `most` best documents by score. */
  async findBest(most: number): Promise<readonly ScoredDoc[]> {
    if (!this.#longest || this.#longest.most < most) {
      const ranked = await this.#rank(this.#matching, most, this.#query.request.plan);
      this.#longest = { most, ranked };
    }
    return this.#longest.ranked.slice(0, most);
  }

  /** The best documents of a set, scored exactly. */
  findBestWithin(within: Documents, most: number): Promise<readonly ScoredDoc[]> {
    return this.#rank(within, most, { kind: "exact" });
  }

  async #rank(within: Documents, most: number, plan: EngineRequest["plan"]): Promise<readonly ScoredDoc[]> {
    const { request, minScore } = this.#query;
    const input = { ...this.#input, allowed: within };
    const [{ ranked, stats }] = await rankDocuments(this.#context, [{ ...request, k: most, plan }], input);
    this.#lastStats = stats;
    return minScore === undefined ? ranked : ranked.filter(({ score }) => score >= minScore);
  }
}

function copyIntersection(some: Documents, others: Documents): Documents {
  return some.map((bits, i) => bits.copy().and(others[i]));
}

function countAll(documents: Documents): number {
  return documents.reduce((sum, bits) => sum + bits.count(), 0);
}

function documentsInSegments({ segments }: Snapshot, scored: readonly ScoredDoc[]): Documents {
  const sets = new Map(segments.map((segment) => [segment, new Bits(segment.rowCount)]));
  for (const { doc } of scored) {
    const segment = segmentAt(segments, doc);
    sets.get(segment)!.set(doc - segment.first);
  }
  return [...sets.values()];
}
