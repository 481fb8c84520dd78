// The terms of a query that the index has. A term is listed once for all texts, and once more for each field that it is limited to.

/** What tells two terms of a query with the same id apart: the field, and whether it stands for another word. */
interface Origin {
  readonly field?: string;
  readonly from?: string;
}

/** A term that the index has. */
interface KnownTerm<FoundType extends Origin> {
  readonly id: number;
  readonly weight: number;
  /** The largest weight that it may have. */
  readonly most: number;
  /** What an answer says about it, besides its weight and its fate. */
  readonly found: FoundType;
}

export class KnownTerms<FoundType extends Origin> {
  readonly #byPlace = new Map<string, KnownTerm<FoundType>>();

  get all(): Iterable<KnownTerm<FoundType>> {
    return this.#byPlace.values();
  }

  /** Adds a term of the query. One that another piece has, too, counts twice. */
  add(term: KnownTerm<FoundType>): void {
    const same = this.#byPlace.get(placeOf(term));
    const isOwn = same?.found.from === undefined;
    const weight = Math.min(term.weight + (same && isOwn ? same.weight : 0), term.most);
    this.#byPlace.set(placeOf(term), { ...term, weight });
  }

  /** Adds a term that stands for a word, unless the query has it as it is. */
  addExpansion(term: KnownTerm<FoundType>): void {
    const same = this.#byPlace.get(placeOf(term));
    if (same && (same.found.from === undefined || same.weight >= term.weight)) return;
    this.#byPlace.set(placeOf(term), term);
  }

  /** Each id once, with the weight of all its places together. */
  ofRow(): { readonly ids: number[]; readonly weights: number[] } {
    const sums = new Map<number, number>();
    for (const { id, weight, most } of this.all) sums.set(id, Math.min((sums.get(id) ?? 0) + weight, most));
    return { ids: [...sums.keys()], weights: [...sums.values()] };
  }
}

function placeOf({ id, found }: KnownTerm<Origin>): string {
  return `${id} ${found.field ?? ""}`;
}
