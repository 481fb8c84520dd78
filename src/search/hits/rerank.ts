// Ranked hits → the same hits in another order, by a cross-encoder, which reads the query and a document together.
//
// The search before ranks as always, and `exact` is about its ranking: whether the hits are certainly the best by their
// scores. The cross-encoder then orders the first `top` of them. It cannot bring up a document that is ranked lower.

import { type Document, indexedText } from "../../documents/document.ts";
import type { TextField } from "../../documents/text-fields.ts";
import type { PlainQuery } from "../../query/ask/query.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { showValue } from "../../support/options/options.ts";
import type { Writable } from "../../support/options/writable.ts";
import { rejectOnAbort } from "../../support/work/turns.ts";
import type { CheckedRerank, PairScorer } from "../options/rerank-options.ts";
import type { CheckedSearch } from "../options/search-options.ts";
import type { Answer, Hit, RerankStats } from "./answer.ts";

/**
 * The options of the search before, whose hits are reranked. It begins at the best hit, and finds enough for the cross-encoder
 * and the page.
 */
export function optionsBeforeRerank(options: CheckedSearch, { top }: CheckedRerank): CheckedSearch {
  const { k, offset } = options;
  return { ...options, rerank: undefined, offset: 0, k: Math.max(top, offset + k) };
}

/** Reorders the hits of answers, and cuts them to the page that the options want. */
export async function rerankAnswers<FieldsType>(
  answers: readonly Answer<FieldsType>[],
  queries: readonly PlainQuery[],
  scorer: PairScorer,
  { k, offset, signal }: CheckedSearch,
  rerank: CheckedRerank,
  textFields: readonly TextField[] | undefined,
): Promise<Answer<FieldsType>[]> {
  const reranked: Answer<FieldsType>[] = [];
  for (const [i, answer] of answers.entries()) {
    const how = { ...rerank, textFields, signal };
    const { hits, ...others } = await rerankAnswer(answer, queries[i], scorer, how);
    reranked.push({ hits: hits.slice(offset, offset + k), ...others });
  }
  return reranked;
}

interface RerankedTexts {
  /** The fields that the cross-encoder reads, as one text. Undefined: title and text. */
  readonly textFields: readonly TextField[] | undefined;
  readonly signal: AbortSignal | undefined;
}

async function rerankAnswer<FieldsType>(
  answer: Answer<FieldsType>,
  { text }: PlainQuery,
  scorer: PairScorer,
  { top, mix, textFields, signal }: CheckedRerank & RerankedTexts,
): Promise<Answer<FieldsType>> {
  if (text === undefined) {
    throw new SluiceError("reranking needs the text of the query", "give text beside weights and vector");
  }
  const started = performance.now();
  const hits = answer.hits.slice(0, top);
  const texts = hits.map(({ id, document }) =>
    indexedText(document as Document, `document ${JSON.stringify(id)}`, textFields),
  );
  // A scorer of the caller may not look at the signal.
  const scoring = scorer.score(text, texts, { signal });
  const given = await (signal ? rejectOnAbort(Promise.resolve(scoring), signal) : scoring);
  const scores = checkScores(given, texts.length);
  const [before, after] = [standardize(hits.map(({ score }) => score)), standardize(scores)];
  const ordered = hits
    .map((hit: Writable<Hit<FieldsType>>, i): Hit<FieldsType> => {
      const mixed = (1 - mix) * before[i] + mix * after[i];
      hit.rerank = { score: scores[i], mixed, rankBefore: i + 1 };
      return hit;
    })
    // Equal ones stay in their order.
    .sort((a, b) => b.rerank!.mixed - a.rerank!.mixed || a.rerank!.rankBefore - b.rerank!.rankBefore);
  const rerank: RerankStats = { model: scorer.path, hits: hits.length, mix, ms: performance.now() - started };
  return {
    ...answer,
    hits: [...ordered, ...answer.hits.slice(top)],
    stats: { ...answer.stats, rerank },
  };
}

/** The largest score: the largest float32. The variance of larger scores would be infinite. */
const LARGEST_SCORE = 3.4028234663852886e38;

/** The scores of a cross-encoder, which may be the user's own. Throws unless they are one number for each text. */
function checkScores(scores: unknown, texts: number): number[] {
  const isList = Array.isArray(scores) || scores instanceof Float32Array || scores instanceof Float64Array;
  const expected = `a list of ${texts} numbers, one for each text`;
  if (!isList) throw new SluiceError(`rerank.model: score gave ${showValue(scores)}, expected ${expected}`);
  const wrong = Array.from(scores).findIndex(
    (score) => !Number.isFinite(score) || Math.abs(score) > LARGEST_SCORE,
  );
  if (scores.length !== texts || wrong >= 0) {
    const found =
      scores.length !== texts ? `${scores.length} scores` : `a list with ${showValue(scores[wrong])}`;
    throw new SluiceError(`rerank.model: score gave ${found}, expected ${expected}`);
  }
  return Array.from(scores);
}

/** Numbers with mean 0 and variance 1; zeros if all are the same. */
function standardize(values: readonly number[]): number[] {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  return values.map((x) => (spread > 0 ? (x - mean) / spread : 0));
}
