// What an evaluation is made of: which documents are relevant to a query, and which a system returned.

/** By query, by document: the grade. 1 and above is relevant, 0 is not, below 0 counts as not judged. */
export type Qrels = Map<string, Map<string, number>>;

export interface Retrieved {
  readonly id: string;
  readonly score: number;
}

/** By query, what was retrieved, in the order it was written. */
export type Run = Map<string, Retrieved[]>;
