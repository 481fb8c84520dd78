// The two inputs of an evaluation: judgments (which documents are relevant to a query) and a run (which documents a
// system returned).

/** Query → document → grade. 1 and above is relevant, 0 is not relevant, below 0 counts as not judged. */
export type Qrels = Map<string, Map<string, number>>;

export interface Retrieved {
  readonly id: string;
  readonly score: number;
}

/** Query → retrieved documents, in the order of the file. */
export type Run = Map<string, readonly Retrieved[]>;
