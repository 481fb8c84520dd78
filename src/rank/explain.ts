// A query and one document → the contribution of each term to its score. GIP is a sum over the cells that both have, so the
// contributions are not an estimate: they add up to the score.

import type { Row } from "../densify/rows.ts";
import type { Slicing } from "../densify/slicing.ts";
import { weigh } from "../query/select.ts";
import { dotFloat16 } from "./dot.ts";

export interface MatchedTerm {
  readonly term: string;
  /** The cell that query and document both have. */
  readonly slice: number;
  readonly index: number;
  readonly queryWeight: number;
  readonly documentWeight: number;
  /** queryWeight × documentWeight. */
  readonly contribution: number;
}

/** A term of the query that the document's row does not have. */
export interface MissedTerm {
  readonly term: string;
  readonly queryWeight: number;
  /** The term that the document has in that slice instead, if any. */
  readonly slotHolds?: string;
}

export interface ScoreParts {
  readonly score: number;
  readonly lexical: number;
  readonly semantic: number;
  /** Heaviest contribution first. */
  readonly matched: MatchedTerm[];
  readonly missed: MissedTerm[];
}

/** What is stored of a document for scoring: its row, and its vector in float16 bits. */
interface DocumentRow extends Row {
  readonly semantic: Uint16Array;
}

export function explainScore(
  slicing: Slicing,
  document: DocumentRow,
  row: Row,
  vector: Float32Array | undefined,
  lambda: number,
): ScoreParts {
  const termAt = (slice: number, index: number) => slicing.termAt(slice, index)!;
  const slotOf = new Map(Array.from(document.slices, (slice, slot) => [slice, slot]));
  const matched: MatchedTerm[] = [];
  const missed: MissedTerm[] = [];
  let lexical = 0;
  row.slices.forEach((slice, i) => {
    const [term, queryWeight] = [termAt(slice, row.indices[i]), row.values[i]];
    const slot = slotOf.get(slice);
    if (slot === undefined) {
      missed.push({ term, queryWeight });
    } else if (document.indices[slot] === row.indices[i]) {
      const documentWeight = document.values[slot];
      const contribution = queryWeight * documentWeight;
      lexical += contribution;
      matched.push({ term, slice, index: row.indices[i], queryWeight, documentWeight, contribution });
    } else {
      missed.push({ term, queryWeight, slotHolds: termAt(slice, document.indices[slot]) });
    }
  });
  matched.sort((a, b) => b.contribution - a.contribution);
  missed.sort((a, b) => b.queryWeight - a.queryWeight);
  const asked = weigh(row, vector, lambda).semantic;
  const semantic = asked ? dotFloat16(asked, document.semantic, 0) : 0;
  return { score: lexical + semantic, lexical, semantic, matched, missed };
}
