// Documents shaped like SPLADE's, made of real SPLADE-v3 queries of MS MARCO, since its documents cannot be had here: a
// document mixes most terms of a few queries, each weight jittered, the heavier of two kept, as SPLADE pools its tokens.
// Queries that are asked are never part of a document. What this keeps of real documents: the word pieces and their
// skew, which of them come together, weights as integers, about 110 terms. What it does not: their topics, so that
// the best hits stand out less than they do in a real collection.

import { type Bag, readTopics } from "../../src/index.ts";
import { mulberry32, shuffled } from "../../src/support/random.ts";
import { dataPath } from "../bench.ts";
import { type BagSet, BagSetBuilder } from "./bags.ts";

const SEED = 20_220_609;
/** Queries mixed into a document. */
const [FEWEST, MOST] = [4, 8];
/** The share of their terms that is taken. */
const TAKEN = 0.8;
/** A weight is multiplied by 0.5 … 1.5. */
const [LEAST_JITTER, JITTER] = [0.5, 1];

export async function splade(docs: number, queries: number): Promise<BagSet> {
  const topics: Bag[] = [];
  const path = dataPath("topics", "msmarco-dev.splade-v3.tsv.gz");
  for await (const { weights } of readTopics(path)) topics.push(weights);
  const order = shuffled(topics.length, SEED);
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
