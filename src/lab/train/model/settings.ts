// What a model is and how it is trained, as data: the arithmetic lies elsewhere and reads these.

import type { Slicing } from "../../../densify/slicing.ts";
import { UsageError } from "../../../errors.ts";

/** A BERT-like encoder. */
export interface EncoderShape {
  /** Ids a token can have. */
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
}

/** How a text gets weights of vocabulary entries (SPEC 3.1, 3.2). */
export type LexicalHead =
  /** Softmax over the vocabulary × a weight for each token, the largest over all tokens but [CLS], floored at 0. */
  | { readonly kind: "delade" }
  /** log(1 + relu(logit)), the largest over the tokens. */
  | { readonly kind: "splade"; readonly withoutCls?: boolean }
  /** A weight for each token of the text itself: the largest of a passage's occurrences, the sum of a query's. */
  | { readonly kind: "unicoil" };

/** How a text gets a vector (SPEC 3.3, 3.5). */
export interface SemanticHead {
  /** The state of [CLS], or the mean of the real tokens' states. */
  readonly pooling: "cls" | "mean";
  /** Projected to this width (`semantic.projection`); as it is when left out. */
  readonly width?: number;
  /** Scaled to length 1. */
  readonly normalise?: boolean;
  /** Times a number that is learned (`semantic.scale`), and what it begins with. */
  readonly scale?: boolean | number;
}

/** What stands on the encoder: a lexical part, a semantic one or both with one score, or ColBERT, the teacher. */
export type Head =
  | { readonly kind: "joint"; readonly lexical?: LexicalHead; readonly semantic?: SemanticHead }
  /** A projected state of this width for each token (SPEC 3.6). */
  | { readonly kind: "colbert"; readonly width: number };

export interface ModelSettings {
  readonly encoder: EncoderShape;
  readonly head: Head;
  /** Leaves `embeddings.word_embeddings.weight`, which is the output matrix too, as it is; true unless said otherwise. */
  readonly frozenWordEmbeddings?: boolean;
}

/** One term of the loss. Without `of` the term looks at the fused scores. */
export interface LossTerm {
  /** `nll`: the positive against all passages of the batch. `kl`: listwise, to the teacher's scores of the batch. */
  readonly kind: "nll" | "kl";
  readonly of?: "fused" | "lexical" | "semantic";
  /** 1 unless given. */
  readonly weight?: number;
  /** The model's scores are multiplied by this first; 1 unless given. */
  readonly scale?: number;
  /** The teacher's scores are multiplied by this first; 1 unless given. */
  readonly teacherScale?: number;
}

export interface LossSettings {
  /** Their sum is the loss: [{ kind: "nll" }] unless given. */
  readonly terms?: readonly LossTerm[];
  /**
   * Scores of training: of the whole lexical vectors, as in the paper, or, where a slicing is given, of densified
   * ones. Gradients then flow through the winner of each slice alone.
   */
  readonly densified?: Slicing;
  /** λ of the semantic part in the fused score; 1 unless given. */
  readonly semanticWeight?: number;
  /** SPLADE's regulariser: its weights grow with the square of the step until step `steps`. */
  readonly flops?: { readonly query: number; readonly passage: number; readonly steps: number };
}

/** The loss of the reference's distillation (SPEC 4.2): the fused scores and each part. */
export const THREE_TERMS: readonly LossTerm[] = [
  { kind: "kl" },
  { kind: "kl", of: "semantic", weight: 0.5, teacherScale: 0.75 },
  { kind: "kl", of: "lexical", weight: 0.5, teacherScale: 0.25 },
];

/** AdamW, with decoupled weight decay; biases, norms and scalars do not decay. */
export interface OptimizerSettings {
  /** 0 unless given, as in the paper. */
  readonly weightDecay?: number;
  /** 0.9 and 0.999 unless given. */
  readonly betas?: readonly [number, number];
  /** 1e-8 unless given. */
  readonly epsilon?: number;
  /** The gradient is cut to this length; 1 unless given, Infinity for no limit. */
  readonly clip?: number;
}

/** Learning rates of one step: the schedule is the loop's. */
export interface Rates {
  /** Of the parameters that came with the encoder. */
  readonly encoder: number;
  /** Of the heads. */
  readonly heads: number;
}

/** Refuses a model that cannot be. */
export function checkModel({ encoder, head }: ModelSettings): void {
  for (const [name, value] of Object.entries(encoder)) {
    if (!Number.isInteger(value) || value < 1) {
      throw new UsageError(`the encoder's ${name} is ${value}, and must be a whole number above 0`);
    }
  }
  if (encoder.width % encoder.heads !== 0) {
    throw new UsageError(`a width of ${encoder.width} cannot be shared by ${encoder.heads} attention heads`);
  }
  if (head.kind === "joint" && !head.lexical && !head.semantic) {
    throw new UsageError("the model has neither a lexical nor a semantic part", "give it one, or both");
  }
  const widths = head.kind === "colbert" ? [head.width] : [head.semantic?.width ?? 1];
  if (widths.some((width) => !Number.isInteger(width) || width < 1)) {
    throw new UsageError(`a projection to ${widths[0]} numbers; it must be a whole number above 0`);
  }
}
