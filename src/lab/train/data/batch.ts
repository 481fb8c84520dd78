// The input and the output of one optimization step. These types connect the data (sampling, batches) with the
// arithmetic (graph, model, losses).

/** Texts as token ids, including [CLS] and [SEP], row after row. Rows are padded with 0 to a common width. */
export interface TokenRows {
  readonly rows: number;
  /** Length of the longest row, in tokens. */
  readonly width: number;
  /** rows × width. */
  readonly ids: Int32Array;
  /** Tokens of each row, without padding. */
  readonly lengths: Int32Array;
}

/** The words of texts that an anchored head weights, row after row. Rows are padded to a common width. */
export interface WordRows {
  readonly rows: number;
  /** The most words of a row. */
  readonly width: number;
  /** rows × width: the position of the piece in which a word begins, among the tokens of its row. */
  readonly at: Int32Array;
  /** rows × width: the number of the word's term among the terms of the batch. */
  readonly terms: Int32Array;
  /** rows × width: what the word adds to the weight of its term if its factor is 1; 0 for padding and for terms of no query. */
  readonly shares: Float32Array;
  /** rows × width: 1 if the model reads the word's piece, 0 if it does not. */
  readonly read: Float32Array;
  /** rows × width: the share of the word in the mean factor of its row. A word that is not read has the mean factor. */
  readonly means: Float32Array;
}

/** The words of a batch. Its terms are those of its queries. */
export interface BatchWords {
  /** By term. */
  readonly idf: Float32Array;
  readonly query: WordRows;
  readonly passage: WordRows;
}

/** B queries and B × n passages. The passages of query i begin at i × n; the first of them is its positive. */
export interface Batch {
  readonly queries: TokenRows;
  readonly passages: TokenRows;
  readonly passagesPerQuery: number;
  /** For an anchored head. */
  readonly words?: BatchWords;
  /** A teacher's scores, B rows of B × n: the target of distillation. */
  readonly teacher?: Float32Array;
}

/** Texts with some tokens masked, and the original tokens: the input of a masked-LM head. */
export interface MaskedBatch {
  readonly texts: TokenRows;
  /** Positions of the tokens to predict: row × width + token. */
  readonly at: Int32Array;
  /** The original ids at these positions. */
  readonly labels: Int32Array;
  /** Target weights of tokens: their positions, and the weights. */
  readonly weighed?: { readonly at: Int32Array; readonly weights: Float32Array };
}

/** The result of a step. */
export interface StepReport {
  readonly loss: number;
  /** The parts the loss is the sum of, by name: "nll", "kl", "flops", … */
  readonly parts: Readonly<Record<string, number>>;
  /** Norm of the whole gradient before clipping. */
  readonly gradientNorm: number;
}

/** Named arrays with their shapes, row-major: parameters and the optimizer's moments. */
export type Tensors = ReadonlyMap<string, { readonly shape: readonly number[]; readonly data: Float32Array }>;

/** The state from which a run continues exactly. The sampler's position is kept elsewhere (`SamplerState`). */
export interface TrainerState {
  /** Steps done. */
  readonly step: number;
  readonly parameters: Tensors;
  readonly firstMoments: Tensors;
  readonly secondMoments: Tensors;
}
