// What one optimisation step is given, and what it says of itself: the seam between the data (sampling, batches) and
// the arithmetic (graph, model, losses).

/** Texts as token ids, [CLS] and [SEP] included, row after row; padding is behind a row's own length and is 0. */
export interface TokenRows {
  readonly rows: number;
  /** Tokens a row has room for: the longest of them. */
  readonly width: number;
  /** rows × width. */
  readonly ids: Int32Array;
  /** The real tokens of each row. */
  readonly lengths: Int32Array;
}

/** B queries and B × n passages; the passages of query i begin at i × n with its positive. */
export interface Batch {
  readonly queries: TokenRows;
  readonly passages: TokenRows;
  readonly passagesPerQuery: number;
  /** A teacher's scores, B rows of B × n: what distillation aims at. */
  readonly teacher?: Float32Array;
}

/** Texts in which some tokens were replaced, and what they were: what a masked-LM head learns from. */
export interface MaskedBatch {
  readonly texts: TokenRows;
  /** Places of tokens to be guessed: row × width + token. */
  readonly at: Int32Array;
  /** The ids that stood there. */
  readonly labels: Int32Array;
  /** What tokens shall weigh: their places, and the weights. */
  readonly weighed?: { readonly at: Int32Array; readonly weights: Float32Array };
}

/** What a step did. */
export interface StepReport {
  readonly loss: number;
  /** The parts the loss is the sum of, by name: "nll", "kl", "flops", … */
  readonly parts: Readonly<Record<string, number>>;
  /** Length of the whole gradient before clipping. */
  readonly gradientNorm: number;
}

/** Named arrays with their shapes, row-major: parameters and the optimiser's moments. */
export type Tensors = ReadonlyMap<string, { readonly shape: readonly number[]; readonly data: Float32Array }>;

/** Everything a run needs to go on exactly where it stood, the order of the data apart. */
export interface TrainerState {
  /** Steps made. */
  readonly step: number;
  readonly parameters: Tensors;
  readonly firstMoments: Tensors;
  readonly secondMoments: Tensors;
}
