// A query that shares no term with the index → the score that a document must reach to be a hit. An encoder gives every text
// a vector, even "zzzzqqq", and some document is always the nearest. So we measure how near documents come to made-up words.
// Only documents that come clearly nearer to the query are hits. A query of stop words alone is also compared with stop
// words: the vector of a document without a text is near to theirs.
//
// This was measured on five collections with two encoders (ARCHITECTURE.md has the figures). We tried to look at how far the
// nearest document is ahead of the others instead. That tells nothing: it is as far ahead for a made-up word as for a query.

import type { QueryTerm } from "../query/query.ts";
import type { QueryEncoder, QueryTextEncoder } from "../query/query-encoder.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { type SearchResources, searchSnapshot } from "./search-snapshot.ts";

/** Words that mean nothing: short and long, alone and in pairs. More of them: a steadier threshold, and a slower first query. */
const MADE_UP = [
  ...["qwrtzx", "vbkplo", "xjzfwqm", "mrtgd", "zyqwvhkl", "hxkqplrv", "bnvcxwtgf", "tlwqzrpdk"],
  ...[
    "kjhgfdqwv",
    "wpxtzmvbqk",
    "qdfvbnzxrtl",
    "ylkxzrwgpmqb",
    "gfzwqt rvxqkj",
    "pdqwx nmbvzxl",
    "okbvu ytpzje",
  ],
  "uvapol ibdrex",
];

/** How many standard deviations a document must score above the mean of the best scores of made-up words. Larger: fewer hits. */
const DEVIATIONS = 2.5;

/** Words that many texts contain, and that mean nothing by themselves. */
const STOP_WORDS = ["the", "of", "and", "is", "it", "to", "with", "that"];

/**
 * The score that a document must reach, for a query vector of length 1 and terms that the index does not know. It is measured
 * once for each commit, when a query first needs it.
 */
export async function leastMeaningfulScore<EncoderType extends QueryTextEncoder>(
  snapshot: Snapshot,
  queryEncoder: QueryEncoder<EncoderType>,
  terms: readonly QueryTerm[],
  resources: SearchResources,
): Promise<number> {
  const least = (name: string, texts: readonly string[]) =>
    snapshot.loaded.get(name, () => measure(snapshot, queryEncoder, texts, resources));
  const ofMadeUp = await least("score of made-up words", MADE_UP);
  return terms.length > 0 ? ofMadeUp : Math.max(ofMadeUp, await least("score of stop words", STOP_WORDS));
}

async function measure<EncoderType extends QueryTextEncoder>(
  snapshot: Snapshot,
  queryEncoder: QueryEncoder<EncoderType>,
  texts: readonly string[],
  resources: SearchResources,
): Promise<number> {
  snapshot.retain(); // the search that asked first may be aborted, and release it
  try {
    const vectors = (await queryEncoder.encodedAll(snapshot, texts, 1)).map(({ vector }) => vector!);
    const requests = vectors.map((vector) => ({
      row: { slices: new Uint32Array(0), indices: new Uint16Array(0), values: new Float32Array(0) },
      vector,
      lambda: 1,
      k: 1,
      plan: { kind: "exact" } as const,
    }));
    const rankings = await searchSnapshot(snapshot, requests, resources);
    return threshold(rankings.map(({ docs }, i) => (docs[0]?.score ?? 0) / normOf(vectors[i])));
  } finally {
    snapshot.release();
  }
}

function threshold(best: readonly number[]): number {
  const mean = best.reduce((sum, score) => sum + score, 0) / best.length;
  const variance = best.reduce((sum, score) => sum + (score - mean) ** 2, 0) / best.length;
  return mean + DEVIATIONS * Math.sqrt(variance);
}

/** The Euclidean length of a vector; never 0, so that you can divide by it. */
export function normOf(vector: Float32Array): number {
  return Math.max(Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0)), Number.MIN_VALUE);
}
