// Pairs of queries and passages to train a tiny model on: real ones if the data is there, otherwise made up. A made-up query
// shares some words with its passage, and other passages share some of these.

import { parseObject } from "../../src/support/files/json.ts";
import { readLines } from "../../src/support/files/lines.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { dataPath, noData } from "./data.ts";
import { SPECIAL_PIECES, tokenizerJson } from "./onnx.ts";

export interface Pair {
  readonly query: string;
  readonly positive: string;
}

/** Real pairs; or made-up ones, with a printed note. */
export async function trainingPairs(count: number): Promise<Pair[]> {
  if (noData) {
    console.warn(`made-up pairs instead of real ones: ${noData}`);
    return madeUpPairs(count);
  }
  const pairs: Pair[] = [];
  for await (const line of readLines(dataPath("pairs", "debian-synopsis-description.jsonl.gz"))) {
    pairs.push(parseObject(line) as unknown as Pair);
    if (pairs.length === count) break;
  }
  return pairs;
}

const WORDS = 1500;

/** Passages of 20 words, some common and some rare. A query has three of the rare words and one common one. */
export function madeUpPairs(count: number, seed = 1): Pair[] {
  const random = mulberry32(seed);
  const word = (rarity: number) => `word${Math.floor(WORDS * random() ** rarity)}`;
  const some = <T>(list: readonly T[], n: number) =>
    Array.from({ length: n }, () => list[Math.floor(random() * list.length)]);
  return Array.from({ length: count }, () => {
    const rare = Array.from({ length: 8 }, () => word(1));
    const common = Array.from({ length: 12 }, () => word(4));
    return {
      query: [...some(rare, 3), ...some(common, 1)].join(" "),
      positive: [...rare, ...common].sort(() => random() - 0.5).join(" "),
    };
  });
}

/** A tokenizer with the most frequent words of these texts and all letters as pieces. */
export function tokenizerOf(pairs: readonly Pair[], pieces: number): string {
  const counts = new Map<string, number>();
  for (const { query, positive } of pairs) {
    for (const word of `${query} ${positive}`.toLowerCase().match(/[a-z0-9]+/g) ?? [])
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789"];
  const frequent = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([word]) => word);
  const all = new Set([
    ...SPECIAL_PIECES,
    ...letters,
    ...letters.map((letter) => `##${letter}`),
    ...frequent,
  ]);
  return tokenizerJson([...all].slice(0, pieces));
}
