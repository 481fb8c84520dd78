// Ranked hits → the same hits in another order, by a model that reads the question and a document together.
//
// The first stage ranks as always, and `exact` is about this stage: whether its best hits are certainly the best by its
// score. The model then orders the first `top` of them. It cannot bring up a document that the first stage ranks lower.

import { type Document, textOf } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import type { Query } from "../query/query.ts";
import { checkNumber, checkOptions, isObject, type KnownOptions, wrong } from "../support/options.ts";
import type { Answer, Hit } from "./answer.ts";
import type { RerankStats } from "./rerank-parts.ts";
import type { SearchOptions } from "./search-options.ts";

export interface RerankOptions {
  /** The folder of a cross-encoder, or an open one. The index keeps a folder's model open until it is closed. */
  readonly model: string | PairScorer;
  /** How many of the best hits to order anew; 50 when left out. Each costs the time of encoding a text. */
  readonly top?: number | undefined;
  /** From 0, the order of the first stage, to 1, the order of the model alone; 0.5 when left out. */
  readonly mix?: number | undefined;
}

/** Options of a search whose hits a model can order anew. */
export interface RerankedSearchOptions extends SearchOptions {
  /** Orders the best hits by a model that reads the question and a document together. Left out: no such stage. */
  readonly rerank?: RerankOptions | undefined;
}

/** What can score a question with texts, such as a `CrossEncoder`. */
export interface PairScorer {
  readonly path: string;
  score(
    question: string,
    texts: readonly string[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<number[]>;
}

/** The names of the options of reranking. */
export const RERANK_OPTIONS: KnownOptions<RerankOptions> = { model: true, top: true, mix: true };

const TOP = 50;
const MIX = 0.5;
/** Reranking more takes minutes. */
const MOST = 1000;

export function checkRerank(rerank: RerankOptions | undefined): void {
  if (rerank === undefined) return;
  checkOptions(rerank, RERANK_OPTIONS, "rerank");
  const { model, top, mix } = rerank;
  if (typeof model !== "string" && typeof model?.score !== "function")
    throw wrong("rerank.model", "the folder of a cross-encoder, or an open one", model);
  checkNumber("rerank.top", top, { least: 1, most: MOST, isWhole: true });
  checkNumber("rerank.mix", mix, { least: 0, most: 1 });
}

/** The options of the search itself. What is not an object is returned as it is, for `checkSearchOptions` to refuse. */
export function withoutRerank(options: RerankedSearchOptions): SearchOptions {
  if (!isObject(options) || !("rerank" in options)) return options;
  const { rerank: _, ...others } = options;
  return others;
}

/** How many hits the first stage must find, for a page of k hits from `offset` on. */
export function firstStageDepth({ top = TOP }: RerankOptions, k: number, offset: number): number {
  return Math.max(top, offset + k);
}

/** The page from `offset` on, of an answer whose hits begin with the very best one. */
export async function rerankAnswer<FieldsType>(
  answer: Answer<FieldsType>,
  query: Query,
  scorer: PairScorer,
  { top = TOP, mix = MIX }: RerankOptions,
  {
    k,
    offset,
    signal,
  }: { readonly k: number; readonly offset: number; readonly signal?: AbortSignal | undefined },
): Promise<Answer<FieldsType>> {
  const question = typeof query === "string" ? query : query.text;
  if (question === undefined) {
    throw new UsageError("reranking needs the text of the query", "give text beside weights and vector");
  }
  const started = performance.now();
  const hits = answer.hits.slice(0, top);
  const texts = hits.map(({ id, document }) =>
    textOf(document as Document, `document ${JSON.stringify(id)}`),
  );
  const scores = await scorer.score(question, texts, { signal });
  const [before, after] = [standardized(hits.map(({ score }) => score)), standardized(scores)];
  const ordered = hits
    .map((hit, i): Hit<FieldsType> => {
      const mixed = (1 - mix) * before[i] + mix * after[i];
      const { id, score, lexical, semantic, document } = hit;
      return { id, score, lexical, semantic, document, rerank: { score: scores[i], mixed, from: i + 1 } };
    })
    // Equal ones stay in the order of the first stage.
    .sort((a, b) => b.rerank!.mixed - a.rerank!.mixed || a.rerank!.from - b.rerank!.from);
  const rerank: RerankStats = { model: scorer.path, docs: hits.length, mix, ms: performance.now() - started };
  return {
    ...answer,
    hits: [...ordered, ...answer.hits.slice(top)].slice(offset, offset + k),
    stats: { ...answer.stats, rerank },
  };
}

/** Numbers with mean 0 and variance 1; zeros if all are the same. */
function standardized(values: readonly number[]): number[] {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return values.map((x) => (spread > 0 ? (x - mean) / spread : 0));
}
