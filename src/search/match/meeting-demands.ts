// The demands of a query → the documents that meet them. Positions say which documents hold a word or a phrase. Without them,
// posting lists or rows say it of words, and phrases are refused.
//
// A document holds a term, a word or a phrase. It meets a demand.

import { type Clause, clauseField, clauseText, demandText, type Phrase } from "../../query/ask/clause.ts";
import type { Alternatives } from "../../query/words/expansion.ts";
import type { SearchResources } from "../../scan/search-resources.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { Turns } from "../../support/work/turns.ts";
import { type ClauseTerm, findClauseTerms, findClauseWords } from "../demands/clause-terms.ts";
import type { Narrowing } from "../demands/narrow.ts";
import { conditionText } from "../demands/syntax.ts";
import { textFieldNumber } from "../demands/text-field-number.ts";
import { cellsOfWords, findDocumentsHolding } from "./documents-holding.ts";
import { eachPhraseMatch } from "./phrase-matches.ts";
import { loadPhrasePositions, noPositionsError } from "./phrase-positions.ts";
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
    const holding = await findDocumentsHoldingClause(
      snapshot,
      clause,
      resources,
      spelled.ofMust(clause),
      turns,
    );
    holding?.forEach((bits, i) => {
      meeting[i].and(bits);
    });
  }
  for (const clause of mustNot) {
    const holding = await findDocumentsHoldingClause(
      snapshot,
      clause,
      resources,
      spelled.ofMustNot(clause),
      turns,
    );
    holding?.forEach((bits, i) => {
      meeting[i].andNot(bits);
    });
  }
  for (const condition of conditions) {
    for (const [i, segment] of snapshot.segments.entries()) {
      meeting[i].and(await turns.run((await segment.columns()).findMatchingInSteps(condition)));
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
  resources: SearchResources,
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
    const meeting = await findDocumentsMeetingDemands(snapshot, alone, resources, spelled, turns);
    if (!meeting[at].get(doc - first)) failed.push(text);
  }
  return failed;
}

/** For each segment, the documents that hold a word or a phrase; undefined if all its words are stop words. */
async function findDocumentsHoldingClause(
  snapshot: Snapshot,
  clause: Clause,
  resources: SearchResources,
  alternatives: Alternatives,
  turns: Turns,
): Promise<Bits[] | undefined> {
  if (turns.isDue) await turns.next();
  const { segments, slicing, keepsPositions } = snapshot;
  const nowhere = () => segments.map(({ rowCount }) => new Bits(rowCount));
  const field = textFieldNumber(snapshot, clauseField(clause));
  if (isPhrase(clause)) {
    const terms = findClauseTerms(snapshot, clause.phrase);
    if (terms === "unknown") return nowhere();
    if (terms.length > 1) {
      if (!keepsPositions) throw noPositionsError(clause.phrase);
      return Promise.all(
        segments.map((segment) => findDocumentsHoldingPhrase(segment, terms, clause.slop ?? 0, field, turns)),
      );
    }
  }
  const words = findClauseWords(snapshot, clauseText(clause), isPhrase(clause) ? new Map() : alternatives);
  if (words === "unknown") return nowhere();
  if (words.length === 0) return undefined;
  if (field !== undefined)
    return Promise.all(
      segments.map((segment) => findDocumentsHoldingWordsInField(segment, words, field, turns)),
    );
  if (!keepsPositions) return findDocumentsHolding(snapshot, cellsOfWords(slicing, words), resources);
  return Promise.all(segments.map((segment) => findDocumentsHoldingWords(segment, words, turns)));
}

function isPhrase(clause: Clause): clause is Phrase {
  return typeof clause !== "string" && "phrase" in clause;
}

async function findDocumentsHoldingPhrase(
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

/** Documents that hold one term of each word. */
async function findDocumentsHoldingWords(
  { source, rowCount }: Segment,
  words: Words,
  turns: Turns,
): Promise<Bits> {
  const lists = await source.loadPositions();
  const steps = findDocumentsHoldingAll(rowCount, words, (id, bits) => {
    for (const local of lists?.of(id)?.locals ?? []) bits.set(local);
  });
  return turns.run(steps);
}

/** Documents that hold, in one text field, one term of each word. */
async function findDocumentsHoldingWordsInField(
  { source, rowCount }: Segment,
  words: Words,
  field: number,
  turns: Turns,
): Promise<Bits> {
  const lists = await source.loadFieldLists();
  const steps = findDocumentsHoldingAll(rowCount, words, (id, bits) => {
    const { locals, counts } = lists?.of(id) ?? { locals: [], counts: [] };
    for (let at = 0; at < locals.length; at++)
      if (counts[at * lists!.fields + field] > 0) bits.set(locals[at]);
  });
  return turns.run(steps);
}

/** For each word, the ids of the terms that may stand for it. */
type Words = readonly (readonly number[])[];

/** Documents that hold each word. `set` sets a term's documents. Yields after each term: a beginning may stand for many. */
function* findDocumentsHoldingAll(
  docs: number,
  words: Words,
  set: (id: number, bits: Bits) => void,
): Generator<undefined, Bits> {
  const holding = Bits.all(docs);
  for (const ids of words) {
    const bits = new Bits(docs);
    for (const id of ids) {
      set(id, bits);
      yield;
    }
    holding.and(bits);
  }
  return holding;
}
