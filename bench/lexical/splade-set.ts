// Makes documents in the shape of SPLADE's from real SPLADE-v3 queries of MS MARCO, because its documents are not available
// here. A document mixes most terms of a few queries. Each weight is jittered, and the larger of two is kept, as SPLADE pools
// its tokens. The queries that are searched are never part of a document. Like real documents, these have the same word
// pieces with their skew and co-occurrence, integer weights, and about 110 terms. Unlike real documents they have no topic,
// so the best hits stand out less than in a real collection.

import type { Bag } from "../../src/documents/bag.ts";
import { readTopics } from "../../src/lab/index.ts";
import { mulberry32, shuffle } from "../../src/support/numbers/random.ts";
import { dataPath } from "../support/bench.ts";
import { type BagSet, BagSetBuilder } from "./bags.ts";

const SEED = 20_220_609;
/** The fewest and the most queries mixed into a document. */
const [FEWEST, MOST] = [4, 8];
/** Share of their terms that is used. */
const TAKEN = 0.8;
/** A weight is multiplied by 0.5 … 1.5. */
const [LEAST_JITTER, JITTER] = [0.5, 1];

export async function readSplade(docs: number, queries: number): Promise<BagSet> {
  const topics: Bag[] = [];
  const path = dataPath("topics", "msmarco-dev.splade-v3.tsv.gz");
  for await (const { weights } of readTopics(path)) topics.push(weights);
  const order = shuffle(topics.length, SEED);
  const asked = Array.from(order.subarray(0, queries), (i) => topics[i]);
  const parts = Array.from(order.subarray(queries), (i) => topics[i]);
  const builder = new BagSetBuilder();
  return {
    kind: "weights",
    docs: builder.bags(mixed(parts, docs)),
    queries: builder.bags(asked),
    vocabulary: builder.vocabulary,
  };
}

function* mixed(parts: readonly Bag[], docs: number): Generator<Bag> {
  const random = mulberry32(SEED);
  for (let doc = 0; doc < docs; doc++) {
    const bag = new Map<string, number>();
    const count = FEWEST + Math.floor(random() * (MOST - FEWEST + 1));
    for (let i = 0; i < count; i++) {
      for (const [term, weight] of parts[Math.floor(random() * parts.length)]) {
        if (random() >= TAKEN) continue;
        const jittered = Math.round(weight * (LEAST_JITTER + JITTER * random()));
        if (jittered > (bag.get(term) ?? 0)) bag.set(term, jittered);
      }
    }
    yield bag;
  }
}
