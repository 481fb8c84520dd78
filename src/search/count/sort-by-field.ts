// A set of documents and a field → the documents of a page, sorted by the field. Documents with equal values are sorted by
// score. Only the documents whose rank depends on a score are scored.

import type { ScoredDoc } from "../../rank/best-documents.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { CheckedSort } from "../options/answer-options.ts";
import { type CodeRanks, rankFieldValues } from "./field-order.ts";

/** Scores a set of documents exactly, and returns the k best, best first. */
type ScoreWithin = (within: readonly Bits[], k: number) => Promise<readonly ScoredDoc[]>;

/** The ranks of documents that are sorted by a field. Documents with the same value have the same rank. */
export class DocumentRanks {
  readonly rankCount: number;
  readonly #snapshot: Snapshot;
  /** For each segment, the rank of a document by its local. */
  readonly #rankIn: readonly ((local: number) => number)[];

  private constructor(
    snapshot: Snapshot,
    { rankCount, ofCodes }: CodeRanks,
    codeIn: readonly (((local: number) => number) | undefined)[],
  ) {
    this.rankCount = rankCount;
    this.#snapshot = snapshot;
    this.#rankIn = ofCodes.map((rankOfCode, i) => {
      const codeOf = codeIn[i];
      return codeOf ? (local) => rankOfCode[codeOf(local)] : () => rankOfCode[0];
    });
  }

  static async load(snapshot: Snapshot, { field, order }: CheckedSort): Promise<DocumentRanks> {
    return snapshot.computed.get(`documents sorted by ${field} ${order}`, async () => {
      const all = await Promise.all(snapshot.segments.map((segment) => segment.columns()));
      const columns = all.map((each) => each.columnOf(field));
      const codeIn = columns.map((column) => column && ((local: number) => column.codeOf(local)));
      return new DocumentRanks(snapshot, rankFieldValues(columns, order), codeIn);
    });
  }

  rankOf(doc: number): number {
    const { segments } = this.#snapshot;
    const segment = this.#snapshot.segmentOf(doc);
    return this.#rankIn[segments.indexOf(segment)](doc - segment.first);
  }

  /** How many documents of a set have each rank. */
  count(within: readonly Bits[]): Uint32Array {
    const counts = new Uint32Array(this.rankCount);
    within.forEach((bits, i) => {
      for (const local of bits) counts[this.#rankIn[i](local)]++;
    });
    return counts;
  }

  /** The documents of a set whose ranks are from `first` to `last`. */
  select(within: readonly Bits[], first: number, last: number): Bits[] {
    return within.map((bits, i) => {
      const selected = new Bits(bits.length);
      for (const local of bits) {
        const rank = this.#rankIn[i](local);
        if (rank >= first && rank <= last) selected.set(local);
      }
      return selected;
    });
  }
}

/** The documents from…to − 1 of a set that is sorted. */
export async function sortDocs(
  ranks: DocumentRanks,
  within: readonly Bits[],
  from: number,
  to: number,
  scoreWithin: ScoreWithin,
): Promise<ScoredDoc[]> {
  const counts = ranks.count(within);
  // The first and the last rank that a document of the page has, and how many documents come before them.
  let [first, before] = [0, 0];
  while (first < counts.length && before + counts[first] <= from) before += counts[first++];
  if (first === counts.length) return [];
  let [last, beforeLast] = [first, before];
  while (last + 1 < counts.length && beforeLast + counts[last] < to) beforeLast += counts[last++];
  // At the last rank only the best are needed. All documents of the ranks before it are needed.
  const tail = await scoreWithin(ranks.select(within, last, last), to - beforeLast);
  const head = beforeLast - before;
  const others = head > 0 ? await scoreWithin(ranks.select(within, first, last - 1), head) : [];
  return [...sortScored(ranks, others), ...tail].slice(from - before, to - before);
}

/** Scored documents, best first → sorted by their ranks; documents with the same rank stay in their order. */
export function sortScored(ranks: DocumentRanks, ranked: readonly ScoredDoc[]): ScoredDoc[] {
  return ranked
    .map((scored) => ({ scored, rank: ranks.rankOf(scored.doc) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ scored }) => scored);
}
