// The terms of a query that the index has. A term is listed once for all texts, and once more for each field that it is limited to.

/** What tells two terms of a query with the same id apart: the field, and whether it stands for another word. */
interface Origin {
  readonly field?: string;
  readonly from?: string;
}

/** A term that the index has. */
interface KnownTerm<AnswerTerm extends Origin> {
  readonly id: number;
  readonly weight: number;
  /** The largest weight that it may have. */
  readonly most: number;
  /** What an answer says about it. */
  readonly answerTerm: AnswerTerm;
}

export class KnownTerms<AnswerTerm extends Origin> {
  readonly #byKey = new Map<number | string, KnownTerm<AnswerTerm>>();

  get all(): Iterable<KnownTerm<AnswerTerm>> {
    return this.#byKey.values();
  }

  /** Adds a term of the query. A term that two pieces have counts twice. */
  add(term: KnownTerm<AnswerTerm>): void {
    const { id, most, answerTerm } = term;
    const key = keyOf(term);
    const same = this.#byKey.get(key);
    const isTypedTwice = same !== undefined && same.answerTerm.from === undefined;
    const weight = Math.min(term.weight + (isTypedTwice ? same.weight : 0), most);
    this.#byKey.set(key, { id, weight, most, answerTerm });
  }

  /** Adds a term that stands for a word, unless the query itself has this term. */
  addExpansion(term: KnownTerm<AnswerTerm>): void {
    const key = keyOf(term);
    const same = this.#byKey.get(key);
    if (same && (same.answerTerm.from === undefined || same.weight >= term.weight)) return;
    this.#byKey.set(key, term);
  }

  /** Each id once, with the weight of all its fields together. */
  ofRow(): { readonly ids: number[]; readonly weights: number[] } {
    const sums = new Map<number, number>();
    for (const { id, weight, most } of this.all) sums.set(id, Math.min((sums.get(id) ?? 0) + weight, most));
    return { ids: [...sums.keys()], weights: [...sums.values()] };
  }
}

function keyOf({ id, answerTerm }: KnownTerm<Origin>): number | string {
  return answerTerm.field === undefined ? id : `${id} ${answerTerm.field}`;
}
