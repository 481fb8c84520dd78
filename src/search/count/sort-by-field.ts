// A set of documents and a field → the documents of a page, sorted by the field, and those of equal values by score. Only the
// documents whose place depends on a score are scored.

import type { ScoredDoc } from "../../rank/best-documents.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { CheckedSort } from "../options/answer-options.ts";
import { type FieldPlaces, rankFieldValues } from "./field-order.ts";

/** Scores a set of documents exactly, and returns the k best, best first. */
type ScoreWithin = (within: readonly Bits[], k: number) => Promise<readonly ScoredDoc[]>;

/** Tells the place of a document, if all are sorted by a field. Documents with the same value have the same place. */
export class SortedPlaces {
  readonly places: number;
  readonly #snapshot: Snapshot;
  /** For each segment, the place of a document by its local. */
  readonly #placeIn: readonly ((local: number) => number)[];

  private constructor(
    snapshot: Snapshot,
    { places, ofCodes }: FieldPlaces,
    codeIn: readonly (((local: number) => number) | undefined)[],
  ) {
    this.places = places;
    this.#snapshot = snapshot;
    this.#placeIn = ofCodes.map((placeOfCode, i) => {
      const codeOf = codeIn[i];
      return codeOf ? (local) => placeOfCode[codeOf(local)] : () => placeOfCode[0];
    });
  }

  static async load(snapshot: Snapshot, { field, order }: CheckedSort): Promise<SortedPlaces> {
    return snapshot.computed.get(`documents sorted by ${field} ${order}`, async () => {
      const all = await Promise.all(snapshot.segments.map((segment) => segment.columns()));
      const columns = all.map((each) => each.columnOf(field));
      const codeIn = columns.map((column) => column && ((local: number) => column.codeOf(local)));
      return new SortedPlaces(snapshot, rankFieldValues(columns, order), codeIn);
    });
  }

  placeOf(doc: number): number {
    const { segments } = this.#snapshot;
    const segment = this.#snapshot.segmentOf(doc);
    return this.#placeIn[segments.indexOf(segment)](doc - segment.first);
  }

  /** How many documents of a set have each place. */
  count(within: readonly Bits[]): Uint32Array {
    const counts = new Uint32Array(this.places);
    within.forEach((bits, i) => {
      for (const local of bits) counts[this.#placeIn[i](local)]++;
    });
    return counts;
  }

  /** The documents of a set whose places are from `first` to `last`. */
  select(within: readonly Bits[], first: number, last: number): Bits[] {
    return within.map((bits, i) => {
      const selected = new Bits(bits.length);
      for (const local of bits) {
        const place = this.#placeIn[i](local);
        if (place >= first && place <= last) selected.set(local);
      }
      return selected;
    });
  }
}

/** The documents from…to − 1 of a set that is sorted. */
export async function sortDocs(
  places: SortedPlaces,
  within: readonly Bits[],
  from: number,
  to: number,
  scoreWithin: ScoreWithin,
): Promise<ScoredDoc[]> {
  const counts = places.count(within);
  // The first and the last place that a document of the page has, and how many documents come before them.
  let [first, before] = [0, 0];
  while (first < counts.length && before + counts[first] <= from) before += counts[first++];
  if (first === counts.length) return [];
  let [last, beforeLast] = [first, before];
  while (last + 1 < counts.length && beforeLast + counts[last] < to) beforeLast += counts[last++];
  // At the last place only the best are needed. All documents of the places before it are.
  const tail = await scoreWithin(places.select(within, last, last), to - beforeLast);
  const head = beforeLast - before;
  const others = head > 0 ? await scoreWithin(places.select(within, first, last - 1), head) : [];
  return [...sortScored(places, others), ...tail].slice(from - before, to - before);
}

/** Scored documents, best first → sorted by their places; those with the same place stay in their order. */
export function sortScored(places: SortedPlaces, docs: readonly ScoredDoc[]): ScoredDoc[] {
  return docs
    .map((scored) => ({ scored, place: places.placeOf(scored.doc) }))
    .sort((a, b) => a.place - b.place)
    .map(({ scored }) => scored);
}
