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

/** B queries and B × n passages. The passages of query i begin at i × n; the first of them is its positive. */
export interface Batch {
  readonly queries: TokenRows;
  readonly passages: TokenRows;
  readonly passagesPerQuery: number;
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
