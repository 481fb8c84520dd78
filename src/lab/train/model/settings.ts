// Settings of a model and of its training, as plain data. The arithmetic is in other files.

import type { Slicing } from "../../../densify/slicing.ts";

/** A BERT-like encoder. */
export interface EncoderShape {
  /** How many token ids there are. Checkpoints store the number under this key. */
  readonly vocabulary: number;
  /** Numbers in a token's state. */
  readonly width: number;
  readonly layers: number;
  /** Attention heads; `width` is a multiple of it. */
  readonly heads: number;
  /** Width of the feed-forward layers, usually 4 × width. */
  readonly ffn: number;
  /** Tokens of the longest text. */
  readonly positions: number;
  /** Added to the variance in a layer norm. Default: 1e-12, as in BERT. */
  readonly layerNormEpsilon?: number;
}

/** The head that gives weights over the vocabulary. */
export type LexicalHead =
  /** Softmax over the vocabulary × a weight for each token; the maximum over all tokens but [CLS], at least 0. */
  | { readonly kind: "delade" }
  /** log(1 + relu(logit)); the maximum over the tokens. */
  | { readonly kind: "splade"; readonly withoutCls?: boolean }
  /** A weight for each token of the text itself. A repeated token has the largest weight in a passage, the sum in a query. */
  | { readonly kind: "unicoil" }
  /** An exponent for each word piece. exp of it multiplies BM25's weight of the word that begins there. */
  | { readonly kind: "anchored" };

/** The head that gives a vector. */
export interface SemanticHead {
  /** The state of [CLS], or the mean of the states of all tokens without padding. */
  readonly pooling: "cls" | "mean";
  /** Project the vector to this width (`semantic.projection`). Default: no projection. */
  readonly width?: number;
  /** Scale the vector to length 1. */
  readonly normalize?: boolean;
  /** Multiply the vector by a learned number (`semantic.scale`). A number here is its initial value. */
  readonly scale?: boolean | number;
}

/** The head on top of the encoder: a lexical part, a semantic part or both with one score; or ColBERT, for teachers. */
export type Head =
  | { readonly kind: "joint"; readonly lexical?: LexicalHead; readonly semantic?: SemanticHead }
  /** A vector of this width for each token: its projected state. */
  | { readonly kind: "colbert"; readonly width: number };

export interface ModelSettings {
  readonly encoder: EncoderShape;
  readonly head: Head;
  /** Do not train `embeddings.word_embeddings.weight`, which is also the output matrix. Default: true. */
  readonly frozenWordEmbeddings?: boolean;
  /** Train the heads only. No gradients of the encoder are computed. Default: false. */
  readonly frozenEncoder?: boolean;
}

/** One term of the loss. */
export interface LossTerm {
  /** `nll`: the positive against all passages of the batch. `kl`: KL divergence from the teacher's scores of the batch. */
  readonly kind: "nll" | "kl";
  /** The scores to use. Default: fused. */
  readonly of?: "fused" | "lexical" | "semantic";
  /** Default 1. */
  readonly weight?: number;
  /** The model's scores are first multiplied by this. Default 1. */
  readonly scale?: number;
  /** The teacher's scores are first multiplied by this. Default 1. */
  readonly teacherScale?: number;
}

export interface LossSettings {
  /** The loss is their sum. Default: [{ kind: "nll" }]. */
  readonly terms?: readonly LossTerm[];
  /**
   * Score densified vectors of this slicing; only the winner of each slice then gets a gradient. Default: score whole
   * lexical vectors, as in the paper.
   */
  readonly densified?: Slicing;
  /** λ of the semantic part in the fused score. Default 1. */
  readonly semanticWeight?: number;
  /** Weights of SPLADE's regularizer. They grow with the square of the step until step `steps`. */
  readonly flops?: { readonly query: number; readonly passage: number; readonly steps: number };
}

/** Settings of AdamW with decoupled weight decay. Biases, norms and scalars do not decay. */
export interface OptimizerSettings {
  /** Default 0, as in the paper. */
  readonly weightDecay?: number;
  /** Default 0.9 and 0.999. */
  readonly betas?: readonly [number, number];
  /** Default 1e-8. */
  readonly epsilon?: number;
  /** The gradient is clipped to this norm. Default 1; Infinity for no limit. */
  readonly clip?: number;
}

/** Learning rates of one step. The loop computes them from its schedule. */
export interface Rates {
  /** For the parameters of the encoder. */
  readonly encoder: number;
  /** For the parameters of the heads. */
  readonly heads: number;
}
