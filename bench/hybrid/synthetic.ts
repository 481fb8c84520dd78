// A synthetic collection with the shape of a real one, from a fixed seed. Words have the frequencies of a language
// (Zipf–Mandelbrot). A passage is about one topic; its vector lies around the topic's center. A query takes rare words and a
// noisy vector from a passage.

import { mulberry32 } from "../../src/support/numbers/random.ts";
import type { DataSet, Passage } from "./contract/dataset.ts";

const SEED = 12_345;
const WORDS = 200_000;
const TOPICS = 500;
const TOPIC_WORDS = 2000;
const DIMS = 384;

/** Share of a passage's words that are common words. The rest are words of its topic. */
const COMMON_SHARE = 0.6;
/** Scale of a topic's center. The noise around it has deviation 1 in each dimension. */
const CENTER = 0.7;
/** Share of a query's words that are not from its passage. */
const FOREIGN_SHARE = 0.3;
/** Share of a passage's words, rare ones first, that a query may take. */
const RARE_SHARE = 0.7;

export function synthetic(docs: number, queryCount: number): DataSet {
  const draw = new Draw(mulberry32(SEED));
  const words = makeWords(draw);
  const common = cumulative(WORDS, 1.07, 2.7);
  const withinTopic = cumulative(TOPIC_WORDS, 1, 5);
  const popularity = cumulative(TOPICS, 0.6, 3);
  const topics = Array.from({ length: TOPICS }, () => topicWords(draw));
  const centers = Float32Array.from({ length: TOPICS * DIMS }, () => draw.gaussian());

  const vectors = new Float32Array(docs * DIMS);
  const ranks: Uint32Array[] = [];
  const passages = Array.from({ length: docs }, (_, id): Passage => {
    const topic = draw.pick(popularity);
    const length = Math.max(15, Math.round(56 + 20 * draw.gaussian()));
    const drawn = Uint32Array.from({ length }, () =>
      draw.uniform() < COMMON_SHARE ? draw.pick(common) : topics[topic][draw.pick(withinTopic)],
    );
    for (let i = 0; i < DIMS; i++)
      vectors[id * DIMS + i] = CENTER * centers[topic * DIMS + i] + draw.gaussian();
    toUnitLength(vectors.subarray(id * DIMS, (id + 1) * DIMS));
    const text = Array.from(drawn, (rank) => words[rank]).join(" ");
    ranks.push(drawn.sort());
    return { id, text, year: 1990 + Math.floor(35 * draw.uniform()), cat: `c${topic % 20}` };
  });

  const queryVectors = new Float32Array(queryCount * DIMS);
  const queries = Array.from({ length: queryCount }, (_, query) => {
    const source = Math.floor(docs * draw.uniform());
    const length = Math.min(10, Math.max(3, Math.round(6 + 1.5 * draw.gaussian())));
    const rareFirst = ranks[source].toReversed();
    const drawn = new Set<number>();
    while (drawn.size < length) {
      const own = rareFirst[Math.floor(RARE_SHARE * rareFirst.length * draw.uniform())];
      drawn.add(draw.uniform() < FOREIGN_SHARE ? draw.pick(common) : own);
    }
    const vector = queryVectors.subarray(query * DIMS, (query + 1) * DIMS);
    // The entries of a unit vector are about 1/√DIMS. Scale them up, so that passage and noise have equal parts.
    for (let i = 0; i < DIMS; i++) vector[i] = vectors[source * DIMS + i] * Math.sqrt(DIMS) + draw.gaussian();
    toUnitLength(vector);
    return Array.from(drawn, (rank) => words[rank]).join(" ");
  });

  // With λ 10 both parts vary by about the same amount: a match of two rare words weighs as much as a near topic.
  return { dims: DIMS, lambda: 10, passages, vectors, queries, queryVectors };
}

/** Makes distinct words of alternating consonants and vowels. Rare words are longer. */
function makeWords({ uniform }: Draw): string[] {
  const letter = (letters: string) => letters[Math.floor(letters.length * uniform())];
  const words = new Set<string>();
  while (words.size < WORDS) {
    const syllables = 2 + Math.floor(Math.log2(words.size + 2) / 5 + 1.6 * uniform());
    let word = "";
    for (let i = 0; i < syllables; i++) word += letter("bcdfghjklmnprstvwz") + letter("aeiou");
    words.add(uniform() < 0.5 ? word + letter("bcdfghjklmnprstvwz") : word);
  }
  return [...words];
}

/** Draws the ranks of a topic's words, evenly over orders of magnitude, without the most common words. */
function topicWords({ uniform }: Draw): Uint32Array {
  return Uint32Array.from({ length: TOPIC_WORDS }, () => Math.floor(200 * 1000 ** uniform()) % WORDS);
}

/** Cumulative probabilities in proportion to 1 / (rank + shift)^exponent. */
function cumulative(length: number, exponent: number, shift: number): Float64Array {
  let sum = 0;
  const sums = Float64Array.from({ length }, (_, i) => {
    sum += (i + 1 + shift) ** -exponent;
    return sum;
  });
  return sums.map((value) => value / sum);
}

class Draw {
  /** From 0 to 1. */
  readonly uniform: () => number;

  constructor(uniform: () => number) {
    this.uniform = uniform;
  }

  /** A number with mean 0 and deviation 1, by the method of Box and Muller. */
  gaussian(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Draws a rank by its cumulative probabilities. */
  pick(sums: Float64Array): number {
    const drawn = this.uniform();
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function toUnitLength(vector: Float32Array): void {
  const length = Math.hypot(...vector);
  for (let i = 0; i < vector.length; i++) vector[i] /= length;
}
