// The demands and preferences of a query → the documents that may be hits, and the scores that phrases add. Positions say which
// documents have a word or a phrase. Without them, posting lists or rows say it of words, and phrases are refused.

import {
  type Clause,
  clauseField,
  clauseText,
  demandText,
  type Phrase,
  type PreferredPhrase,
} from "../../query/clause.ts";
import type { Alternatives } from "../../query/words/expansion.ts";
import type { PhrasePart } from "../../rank/explain.ts";
import type { ScoreAdditions } from "../../scan/contract/score-additions.ts";
import { withBlocks } from "../../segment/columns/field-numbers.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { UsageError } from "../../support/errors/usage-error.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { Turns } from "../../support/work/turns.ts";
import { idf } from "../../weigh/bm25.ts";
import { type ClauseTerm, findClauseTerms, findClauseWords } from "../demands/clause-terms.ts";
import { loadPhrasePositions, requireTextField } from "../demands/in-fields.ts";
import type { Narrowing } from "../demands/narrow.ts";
import { conditionText } from "../demands/syntax.ts";
import { cellsOfWords, findDocumentsHolding } from "./documents-holding.ts";
import { eachPhraseMatch } from "./phrase-matches.ts";
import { DEFAULT_RESOURCES, type SearchResources } from "./search-resources.ts";
import type { SpelledClauses } from "./spelled-clauses.ts";

/** For each segment, the documents that meet all demands. */
export async function findDocumentsMeetingDemands(
  snapshot: Snapshot,
  { must, mustNot, conditions }: Narrowing,
  resources: SearchResources,
  spelled: SpelledClauses,
  turns: Turns,
): Promise<Bits[]> {
  const meeting = snapshot.segments.map(({ rowCount }) => Bits.all(rowCount));
  for (const clause of must) {
    const having = await findDocumentsWithClause(snapshot, clause, resources, spelled.ofMust(clause), turns);
    having?.forEach((bits, i) => {
      meeting[i].and(bits);
    });
  }
  for (const clause of mustNot) {
    const having = await findDocumentsWithClause(
      snapshot,
      clause,
      resources,
      spelled.ofMustNot(clause),
      turns,
    );
    having?.forEach((bits, i) => {
      meeting[i].andNot(bits);
    });
  }
  for (const condition of conditions) {
    for (const [i, segment] of snapshot.segments.entries()) {
      meeting[i].and((await segment.columns()).matching(condition));
      if (turns.isDue) await turns.next();
    }
  }
  return meeting;
}

/** The demands that one document does not meet, as operators write them. */
export async function findFailedDemands(
  snapshot: Snapshot,
  doc: number,
  { must, mustNot, conditions }: Narrowing,
  spelled: SpelledClauses,
  turns: Turns,
): Promise<string[]> {
  const { first } = snapshot.segmentOf(doc);
  const at = snapshot.segments.findIndex((segment) => segment.first === first);
  const demands: (readonly [string, Partial<Narrowing>])[] = [
    ...must.map((clause) => [demandText(clause, "+"), { must: [clause] }] as const),
    ...mustNot.map((clause) => [demandText(clause, "-"), { mustNot: [clause] }] as const),
    ...conditions.map((condition) => [conditionText(condition), { conditions: [condition] }] as const),
  ];
  const failed: string[] = [];
  for (const [text, demand] of demands) {
    const alone = { must: [], mustNot: [], conditions: [], prefer: [], ...demand };
    const meeting = await findDocumentsMeetingDemands(snapshot, alone, DEFAULT_RESOURCES, spelled, turns);
    if (!meeting[at].get(doc - first)) failed.push(text);
  }
  return failed;
}

/** For each segment, the documents that have a word or a phrase; undefined if all its words are stop words. */
async function findDocumentsWithClause(
  snapshot: Snapshot,
  clause: Clause,
  resources: SearchResources,
  alternatives: Alternatives,
  turns: Turns,
): Promise<Bits[] | undefined> {
  if (turns.isDue) await turns.next();
  const { segments, slicing, keepsPositions } = snapshot;
  const nowhere = () => segments.map(({ rowCount }) => new Bits(rowCount));
  const field = requireTextField(snapshot, clauseField(clause));
  if (isPhrase(clause)) {
    const terms = findClauseTerms(snapshot, clause.phrase);
    if (terms === "unknown") return nowhere();
    if (terms.length > 1) {
      if (!keepsPositions) throw noPositionsError(clause.phrase);
      return Promise.all(
        segments.map((segment) => findDocumentsWithPhrase(segment, terms, clause.slop ?? 0, field, turns)),
      );
    }
  }
  const words = findClauseWords(snapshot, clauseText(clause), isPhrase(clause) ? new Map() : alternatives);
  if (words === "unknown") return nowhere();
  if (words.length === 0) return undefined;
  if (field !== undefined)
    return Promise.all(
      segments.map((segment) => findDocumentsWithWordsInField(segment, words, field, turns)),
    );
  if (!keepsPositions) return findDocumentsHolding(snapshot, cellsOfWords(slicing, words), resources);
  return Promise.all(segments.map((segment) => findDocumentsWithWords(segment, words, turns)));
}

function isPhrase(clause: Clause): clause is Phrase {
  return typeof clause !== "string" && "phrase" in clause;
}

async function findDocumentsWithPhrase(
  { source, rowCount }: Segment,
  terms: readonly ClauseTerm[],
  slop: number,
  field: number | undefined,
  turns: Turns,
): Promise<Bits> {
  const bits = new Bits(rowCount);
  const lists = await loadPhrasePositions(source, field);
  if (lists) await turns.run(eachPhraseMatch(lists, terms, slop, (local) => bits.set(local)));
  return bits;
}

/** Documents that have one term of each word. */
async function findDocumentsWithWords(
  { source, rowCount }: Segment,
  words: Words,
  turns: Turns,
): Promise<Bits> {
  const lists = await source.loadPositions();
  const steps = findDocumentsWithAll(rowCount, words, (id, bits) => {
    for (const local of lists?.of(id)?.locals ?? []) bits.set(local);
  });
  return turns.run(steps);
}

/** Documents that have, in one text field, one term of each word. */
async function findDocumentsWithWordsInField(
  { source, rowCount }: Segment,
  words: Words,
  field: number,
  turns: Turns,
): Promise<Bits> {
  const lists = await source.loadFieldLists();
  const steps = findDocumentsWithAll(rowCount, words, (id, bits) => {
    const { locals, counts } = lists?.of(id) ?? { locals: [], counts: [] };
    for (let at = 0; at < locals.length; at++)
      if (counts[at * lists!.fields + field] > 0) bits.set(locals[at]);
  });
  return turns.run(steps);
}

/** For each word, the ids of the terms that may stand for it. */
type Words = readonly (readonly number[])[];

/** Documents that have each word. `set` sets those of a term. It yields after each term: a beginning may stand for very many. */
function* findDocumentsWithAll(
  docs: number,
  words: Words,
  set: (id: number, bits: Bits) => void,
): Generator<undefined, Bits> {
  const having = Bits.all(docs);
  for (const ids of words) {
    const bits = new Bits(docs);
    for (const id of ids) {
      set(id, bits);
      yield;
    }
    having.and(bits);
  }
  return having;
}

/** A preferred phrase with its terms, and what it adds if its gap is 0. */
interface WeighedPhrase {
  readonly phrase: string;
  readonly terms: readonly ClauseTerm[];
  readonly slop: number;
  readonly field: number | undefined;
  readonly most: number;
}

/** Phrases that some document may have. One without terms, or with an unknown one, adds nothing. */
function weighPhrases(snapshot: Snapshot, prefer: readonly PreferredPhrase[]): WeighedPhrase[] {
  const { weighting } = snapshot;
  return prefer.flatMap(({ phrase, slop = 0, weight = 1, field: name }) => {
    if (!snapshot.keepsPositions || weighting.kind !== "bm25") throw noPositionsError(phrase);
    const terms = findClauseTerms(snapshot, phrase);
    if (terms === "unknown" || terms.length === 0) return [];
    const { docs, documentFrequencies } = weighting.statistics;
    const idfSum = terms.reduce((sum, { id }) => sum + idf(docs, documentFrequencies[id]), 0);
    const field = requireTextField(snapshot, name);
    return [{ phrase, terms, slop, field, most: weight * idfSum }];
  });
}

/** For each segment, what preferred phrases add to scores. */
export async function loadPhraseAdditions(
  snapshot: Snapshot,
  prefer: readonly PreferredPhrase[],
  turns: Turns,
): Promise<ScoreAdditions[]> {
  const phrases = weighPhrases(snapshot, prefer);
  return Promise.all(
    snapshot.segments.map(async ({ source, rowCount }) => {
      const additions: ScoreAdditions[number][] = [];
      for (const { phrase, terms, slop, field, most } of phrases) {
        const numbers = new Float64Array(rowCount).fill(Number.NaN);
        const lists = await loadPhrasePositions(source, field);
        const visit = (local: number, gap: number) => {
          numbers[local] = nearness(gap);
        };
        if (lists) await turns.run(eachPhraseMatch(lists, terms, slop, visit));
        const boost = { field: phrase, weight: most, by: "value" as const };
        additions.push({ kind: "phrase", boost, field: withBlocks(numbers) });
      }
      return additions;
    }),
  );
}

/** What each preferred phrase adds to one document. */
export async function computePhraseParts(
  snapshot: Snapshot,
  doc: number,
  prefer: readonly PreferredPhrase[],
  turns: Turns,
): Promise<PhrasePart[]> {
  const { source, first } = snapshot.segmentOf(doc);
  const parts: PhrasePart[] = [];
  for (const preferred of prefer) {
    const { phrase, field } = preferred;
    let part: PhrasePart = { phrase, ...(field !== undefined && { field }), contribution: 0 };
    for (const { terms, slop, field: number, most } of weighPhrases(snapshot, [preferred])) {
      const lists = await loadPhrasePositions(source, number);
      if (!lists) continue;
      const steps = eachPhraseMatch(lists, terms, slop, (local, gap) => {
        if (local === doc - first) part = { ...part, gap, contribution: most * nearness(gap) };
      });
      await turns.run(steps);
    }
    parts.push(part);
  }
  return parts;
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
