// What a query demands and prefers → the documents that may be hits, and what phrases add to scores. Positions say which
// documents have a word or a phrase. Without them, posting lists or rows say it of words, and phrases are refused.

import { withBlocks } from "../../documents/field-numbers.ts";
import type { Condition } from "../../documents/filter.ts";
import type { Clause, PreferredPhrase } from "../../query/clause.ts";
import { type ClauseTerm, clauseTerms, clauseWords } from "../../query/clause-terms.ts";
import type { Alternatives } from "../../query/words/expansion.ts";
import type { PhrasePart } from "../../rank/explain.ts";
import type { ScoreAdditions } from "../../scan/contract/score-additions.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { UsageError } from "../../support/errors/usage-error.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { idf } from "../../weigh/bm25.ts";
import { cellsOfWords, documentsHolding } from "../scope/documents-holding.ts";
import type { SearchResources } from "../scope/search-resources.ts";
import { eachPhraseMatch } from "./phrase-matches.ts";

/** What one query demands of its hits, beside the filter of the search, and what it prefers. */
export interface Narrowing {
  readonly must: readonly Clause[];
  readonly mustNot: readonly Clause[];
  readonly prefer: readonly PreferredPhrase[];
  readonly conditions: readonly Condition[];
}

/** For each segment, the documents that meet all demands. `alternatives` stand for words that hits must have. */
export async function documentsMeetingDemands(
  snapshot: Snapshot,
  { must, mustNot, conditions }: Narrowing,
  resources: SearchResources,
  alternatives: Alternatives = new Map(),
): Promise<Bits[]> {
  const meeting = snapshot.segments.map(({ docs }) => Bits.all(docs));
  for (const clause of must) {
    const having = await documentsWithClause(snapshot, clause, resources, alternatives);
    having?.forEach((bits, i) => {
      meeting[i].and(bits);
    });
  }
  for (const clause of mustNot) {
    const having = await documentsWithClause(snapshot, clause, resources, new Map());
    having?.forEach((bits, i) => {
      meeting[i].andNot(bits);
    });
  }
  for (const condition of conditions) {
    for (const [i, segment] of snapshot.segments.entries())
      meeting[i].and((await segment.columns()).matching(condition));
  }
  return meeting;
}

/** For each segment, the documents that have a word or a phrase; undefined if all its words are stop words. */
async function documentsWithClause(
  snapshot: Snapshot,
  clause: Clause,
  resources: SearchResources,
  alternatives: Alternatives,
): Promise<Bits[] | undefined> {
  const { segments, slicing, keepsPositions } = snapshot;
  const nowhere = () => segments.map(({ docs }) => new Bits(docs));
  if (typeof clause !== "string") {
    const terms = clauseTerms(snapshot, clause.phrase);
    if (terms === "unknown") return nowhere();
    if (terms.length > 1) {
      if (!keepsPositions) throw noPositionsError(clause.phrase);
      return Promise.all(segments.map((segment) => documentsWithPhrase(segment, terms, clause.slop ?? 0)));
    }
  }
  const words =
    typeof clause === "string"
      ? clauseWords(snapshot, clause, alternatives)
      : clauseWords(snapshot, clause.phrase, new Map());
  if (words === "unknown") return nowhere();
  if (words.length === 0) return undefined;
  if (!keepsPositions) return documentsHolding(snapshot, cellsOfWords(slicing, words), resources);
  return Promise.all(segments.map((segment) => documentsWithWords(segment, words)));
}

async function documentsWithPhrase(
  segment: Segment,
  terms: readonly ClauseTerm[],
  slop: number,
): Promise<Bits> {
  const bits = new Bits(segment.docs);
  const lists = await segment.source.positions();
  if (lists) eachPhraseMatch(lists, terms, slop, (local) => bits.set(local));
  return bits;
}

/** Documents that have one term of each word. */
async function documentsWithWords(segment: Segment, words: readonly (readonly number[])[]): Promise<Bits> {
  const lists = await segment.source.positions();
  const having = Bits.all(segment.docs);
  for (const ids of words) {
    const bits = new Bits(segment.docs);
    for (const id of ids) for (const local of lists?.of(id)?.locals ?? []) bits.set(local);
    having.and(bits);
  }
  return having;
}

/** A preferred phrase with its terms, and what it adds if its gap is 0. */
interface WeighedPhrase {
  readonly phrase: string;
  readonly terms: readonly ClauseTerm[];
  readonly slop: number;
  readonly most: number;
}

/** Phrases that some document may have. One without terms, or with an unknown one, adds nothing. */
function weighedPhrases(snapshot: Snapshot, prefer: readonly PreferredPhrase[]): WeighedPhrase[] {
  const { weighting } = snapshot;
  return prefer.flatMap(({ phrase, slop = 0, weight = 1 }) => {
    if (!snapshot.keepsPositions || weighting.kind !== "bm25") throw noPositionsError(phrase);
    const terms = clauseTerms(snapshot, phrase);
    if (terms === "unknown" || terms.length === 0) return [];
    const { docs, documentFrequencies } = weighting.statistics;
    const idfSum = terms.reduce((sum, { id }) => sum + idf(docs, documentFrequencies[id]), 0);
    return [{ phrase, terms, slop, most: weight * idfSum }];
  });
}

/** For each segment, what preferred phrases add to scores. */
export async function phraseAdditions(
  snapshot: Snapshot,
  prefer: readonly PreferredPhrase[],
): Promise<ScoreAdditions[]> {
  const phrases = weighedPhrases(snapshot, prefer);
  return Promise.all(
    snapshot.segments.map(async ({ source, docs }) => {
      const lists = await source.positions();
      return phrases.map(({ phrase, terms, slop, most }) => {
        const numbers = new Float64Array(docs).fill(Number.NaN);
        if (lists) eachPhraseMatch(lists, terms, slop, (local, gap) => (numbers[local] = nearness(gap)));
        const boost = { field: phrase, weight: most, by: "value" as const };
        return { kind: "phrase" as const, boost, field: withBlocks(numbers) };
      });
    }),
  );
}

/** What each preferred phrase adds to one document. */
export async function phraseParts(
  snapshot: Snapshot,
  doc: number,
  prefer: readonly PreferredPhrase[],
): Promise<PhrasePart[]> {
  const { source, first } = snapshot.segmentOf(doc);
  const lists = await source.positions();
  return prefer.map((preferred) => {
    let part: PhrasePart = { phrase: preferred.phrase, contribution: 0 };
    for (const { terms, slop, most } of weighedPhrases(snapshot, [preferred])) {
      if (!lists) continue;
      eachPhraseMatch(lists, terms, slop, (local, gap) => {
        if (local === doc - first) part = { ...part, gap, contribution: most * nearness(gap) };
      });
    }
    return part;
  });
}

/** What a gap leaves of the weight of a phrase: all if it is 0, half if it is 1. */
function nearness(gap: number): number {
  return 1 / (1 + gap);
}

function noPositionsError(phrase: string): UsageError {
  return new UsageError(
    `${JSON.stringify(phrase)} is a phrase, and the index does not know where words stand in texts`,
    "build the index with positions: true, or demand the words one by one",
  );
}
