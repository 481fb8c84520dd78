// The options of reranking, and their checks.

import {
  checkNumber,
  checkParts,
  type KnownOptions,
  optionError,
  wrongValueError,
} from "../../support/options/options.ts";

export interface RerankOptions {
  /**
   * The folder of a cross-encoder, or an open one. The index opens a folder once, and closes it with itself. A page has no
   * folders, so it takes an open one.
   */
  readonly model: string | PairScorer;
  /** How many of the best hits to reorder; 50 by default. Each costs the time of encoding a text. */
  readonly top?: number | undefined;
  /** From 0, the order before reranking, to 1, the order of the cross-encoder alone; 0.5 by default. */
  readonly mix?: number | undefined;
}

/** What can score the text of a query with other texts, such as a `CrossEncoder`. */
export interface PairScorer {
  readonly path: string;
  score(
    query: string,
    texts: readonly string[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<number[]>;
}

/** The names of the options of reranking. */
export const RERANK_OPTIONS: KnownOptions<RerankOptions> = { model: true, top: true, mix: true };

/** The default of `top`. More: slower, and a good document that the search ranks low can still come up. */
export const DEFAULT_TOP = 50;
/** The default of `mix`. */
export const DEFAULT_MIX = 0.5;
/** The most that `top` can be. Reranking more takes minutes. */
const MOST_RERANKED = 1000;

/** `RerankOptions`, checked and complete. */
export interface CheckedRerank {
  readonly model: string | PairScorer;
  readonly top: number;
  readonly mix: number;
}

/** Throws if an option of reranking is wrong. Undefined if hits are not reranked. */
export function checkRerank(rerank: RerankOptions | undefined): CheckedRerank | undefined {
  if (rerank === undefined) return undefined;
  checkParts("rerank", rerank, RERANK_OPTIONS);
  const { model, top = DEFAULT_TOP, mix = DEFAULT_MIX } = rerank;
  if (model === "" || (typeof model !== "string" && typeof model?.score !== "function"))
    throw wrongValueError("rerank.model", "the folder of a cross-encoder, or an open one", model);
  checkNumber("rerank.top", top, { least: 1, most: MOST_RERANKED, isWhole: true });
  checkNumber("rerank.mix", mix, { least: 0, most: 1 });
  return { model, top, mix };
}

/** The cross-encoder, where no folder can be opened: in a page. */
export function requireOpenScorer(model: RerankOptions["model"]): PairScorer {
  if (typeof model !== "string") return model;
  throw optionError(
    "rerank.model",
    `rerank.model is ${JSON.stringify(model)}, and a page cannot open a folder`,
    "give an object with a path and a function score",
  );
}
