// Whether a vector says something. A model gives every text a vector, "zzzzqqq" too, and some document is always nearest to it.
// So a question none of whose words the index knows is compared with made-up words: how near does the nearest document come to
// those? Documents that do not come clearly nearer to the question are no hits. A question of stop words alone is compared with
// stop words, too: the vector of a document without a text is near to theirs.
//
// Measured on five collections with two models (ARCHITECTURE.md has the figures). How far the nearest document stands out
// from the others of its index was tried instead, and tells nothing: it is as far ahead for a made-up word as for a question.

import type { Asker, QuestionModel } from "../query/asker.ts";
import type { QueryTerm } from "../query/query.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { type SnapshotOptions, searchSnapshotForAll } from "./search-snapshot.ts";

/** Words that mean nothing, short and long, alone and in pairs. More of them: a steadier measure, and a slower first one. */
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

/** A document must come nearer than the nearest to made-up words, on average, by so many deviations. Larger: fewer hits. */
const DEVIATIONS = 2.5;

/** Words that many texts hold, and that say nothing by themselves. */
const STOP_WORDS = ["the", "of", "and", "is", "it", "to", "with", "that"];

type Means = Pick<SnapshotOptions, "pool" | "device" | "rowBytes">;

const measured = new WeakMap<Snapshot, Map<readonly string[], Promise<number>>>();

/**
 * What a document must score for a question of length 1 with these terms, none of which the index knows. It is measured when a
 * question asks for it first, once a commit.
 */
export async function leastMeaning<Model extends QuestionModel>(
  snapshot: Snapshot,
  asker: Asker<Model>,
  terms: readonly QueryTerm[],
  means: Means,
): Promise<number> {
  const least = (texts: readonly string[]) => keptMeasure(snapshot, asker, texts, means);
  const ofMadeUp = await least(MADE_UP);
  return terms.length > 0 ? ofMadeUp : Math.max(ofMadeUp, await least(STOP_WORDS));
}

function keptMeasure<Model extends QuestionModel>(
  snapshot: Snapshot,
  asker: Asker<Model>,
  texts: readonly string[],
  means: Means,
): Promise<number> {
  const kept = measured.get(snapshot) ?? new Map<readonly string[], Promise<number>>();
  measured.set(snapshot, kept);
  let least = kept.get(texts);
  if (!least) {
    least = measure(snapshot, asker, texts, means);
    kept.set(texts, least);
    least.catch(() => kept.delete(texts));
  }
  return least;
}

async function measure<Model extends QuestionModel>(
  snapshot: Snapshot,
  asker: Asker<Model>,
  texts: readonly string[],
  means: Means,
): Promise<number> {
  snapshot.retain(); // whoever asked first may be aborted meanwhile, and let go of it
  try {
    const vectors = (await asker.encodedAll(snapshot, texts, 1)).map(({ vector }) => vector!);
    const requests = vectors.map((vector) => ({
      row: { slices: new Uint32Array(0), indices: new Uint16Array(0), values: new Float32Array(0) },
      vector,
      lambda: 1,
      k: 1,
      plan: { kind: "exact" } as const,
    }));
    const rankings = await searchSnapshotForAll(snapshot, requests, means);
    return threshold(rankings.map(({ docs }, i) => (docs[0]?.score ?? 0) / lengthOf(vectors[i])));
  } finally {
    snapshot.release();
  }
}

function threshold(best: readonly number[]): number {
  const mean = best.reduce((sum, score) => sum + score, 0) / best.length;
  const variance = best.reduce((sum, score) => sum + (score - mean) ** 2, 0) / best.length;
  return mean + DEVIATIONS * Math.sqrt(variance);
}

/** The Euclidean length; never 0, so that it can be divided by. */
export function lengthOf(vector: Float32Array): number {
  return Math.max(Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0)), Number.MIN_VALUE);
}
