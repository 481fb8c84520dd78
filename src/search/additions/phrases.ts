// Preferred phrases and a snapshot → what they add to the scores of documents, and what each adds to one document.

import type { PreferredPhrase } from "../../query/ask/clause.ts";
import type { PhrasePart } from "../../rank/explain.ts";
import type { ScoreAdditions } from "../../scan/contract/score-additions.ts";
import { withBlocks } from "../../segment/columns/field-numbers.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import type { Turns } from "../../support/work/turns.ts";
import { idf } from "../../weigh/bm25.ts";
import { type ClauseTerm, findClauseTerms } from "../demands/clause-terms.ts";
import { textFieldNumber } from "../demands/text-field-number.ts";
import { eachPhraseMatch } from "../match/phrase-matches.ts";
import { loadPhrasePositions, noPositionsError } from "../match/phrase-positions.ts";

/** A preferred phrase with its terms, and the score that it adds if its gap is 0. */
interface WeighedPhrase {
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
    const field = textFieldNumber(snapshot, name);
    return [{ terms, slop, field, most: weight * idfSum }];
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
      for (const { terms, slop, field, most } of phrases) {
        const numbers = new Float64Array(rowCount).fill(Number.NaN);
        const lists = await loadPhrasePositions(source, field);
        const visit = (local: number, gap: number) => {
          numbers[local] = nearness(gap);
        };
        if (lists) await turns.run(eachPhraseMatch(lists, terms, slop, visit));
        additions.push({ kind: "phrase", weight: most, field: withBlocks(numbers) });
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
