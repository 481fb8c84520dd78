// A query that shares no term with the index → the score that a document must reach to be a hit. An encoder gives every text
// a vector, even "zzzzqqq", and some document is always the nearest. So we measure how near documents come to made-up words.
// Only documents that come clearly nearer to the query are hits. A query of stop words alone is also compared with stop
// words: the vector of a document without a text is near to theirs.
//
// This was measured on five collections with two encoders (src/search/README.md has the figures). We tried to look at how far the
// nearest document is ahead of the others instead. That tells nothing: it is as far ahead for a made-up word as for a query.

import type { PreparedQuery } from "../../query/prepare/query-preparer.ts";
import { Turns } from "../../support/work/turns.ts";
import { rankDocuments } from "./rank-documents.ts";
import { createWholeInput } from "./ranking-input.ts";
import type { SearchContext } from "./search-context.ts";

/** Words that mean nothing: short and long, alone and in pairs. More of them: a steadier threshold, and a slower first query. */
const MADE_UP_WORDS = [
  ...["qwrtzx", "vbkplo", "xjzfwqm", "mrtgd", "zyqwvhkl", "hxkqplrv", "bnvcxwtgf", "tlwqzrpdk"],
  ...["kjhgfdqwv", "wpxtzmvbqk", "qdfvbnzxrtl", "ylkxzrwgpmqb"],
  ...["gfzwqt rvxqkj", "pdqwx nmbvzxl", "okbvu ytpzje", "uvapol ibdrex"],
];

/** How many standard deviations a document must score above the mean of the best scores of made-up words. Larger: fewer hits. */
const DEVIATIONS = 2.5;

/** Words that many texts contain, and that mean nothing by themselves. */
const STOP_WORDS = ["the", "of", "and", "is", "it", "to", "with", "that"];

/** Under these names a snapshot keeps how near documents come to them. */
const MADE_UP_SCORE = "score of made-up words";
const STOP_WORDS_SCORE = "score of stop words";

/** Whether the index knows no word of a query, so that the vector that its encoder made must say something. */
export function isAnsweredByMeaning({ hasEncodedVector, terms, isEmpty }: PreparedQuery): boolean {
  return !isEmpty && hasEncodedVector && terms.every(({ fate }) => fate === "unknown");
}

/**
 * The score that a document must reach to be a hit of such a query. The first call for a commit runs searches of its own, for
 * words that mean nothing. The snapshot keeps what they found.
 */
export async function measureMeaningThreshold(
  context: SearchContext,
  { terms, vector }: PreparedQuery,
): Promise<number> {
  const nearnessOf = (name: string, texts: readonly string[]) =>
    context.snapshot.computed.get(name, () => measureNearness(context, texts));
  const ofMadeUp = await nearnessOf(MADE_UP_SCORE, MADE_UP_WORDS);
  const isStopWords = terms.length === 0;
  const ofAll = isStopWords ? Math.max(ofMadeUp, await nearnessOf(STOP_WORDS_SCORE, STOP_WORDS)) : ofMadeUp;
  // Above 0, whatever was measured: a document that scores 0 is not near.
  return Math.max(context.options.lambda * vectorLength(vector!) * ofAll, Number.MIN_VALUE);
}

/** How near documents come to texts that mean nothing: a score, for a query vector of length 1 and λ = 1. */
async function measureNearness(
  { index, snapshot, resources }: SearchContext,
  texts: readonly string[],
): Promise<number> {
  snapshot.retain(); // the search that asked first may be aborted, and release it
  try {
    const queries = texts.map((text) => ({ text }));
    const prepared = await index.preparer.prepareAll(snapshot, queries, 1);
    const vectors = prepared.map(({ vector }) => vector!);
    const requests = vectors.map((vector) => ({
      row: { slices: new Uint32Array(0), indices: new Uint16Array(0), values: new Float32Array(0) },
      vector,
      lambda: 1,
      k: 1,
      plan: { kind: "exact" } as const,
    }));
    const turns = new Turns(); // an abort of the search that asked first must not stop it
    const ranker = { index, snapshot, resources, turns };
    const rankings = await rankDocuments(ranker, requests, await createWholeInput(snapshot, turns));
    const best = rankings.map(({ ranked }, i) => (ranked[0]?.score ?? 0) / vectorLength(vectors[i]));
    const mean = best.reduce((sum, score) => sum + score, 0) / best.length;
    const variance = best.reduce((sum, score) => sum + (score - mean) ** 2, 0) / best.length;
    return mean + DEVIATIONS * Math.sqrt(variance);
  } finally {
    snapshot.release();
  }
}

/** The Euclidean length of a vector; never 0, so that you can divide by it. */
function vectorLength(vector: Float32Array): number {
  return Math.max(Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0)), Number.MIN_VALUE);
}
