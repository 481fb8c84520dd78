// Training files → pairs of a query and a passage: as many of each file as the config asks for, chosen by the seed.

import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { shuffle } from "../../../support/numbers/random.ts";
import { readExamples } from "../data/training-lines.ts";
import type { StaticConfig } from "./static-config.ts";

export interface Pairs {
  readonly queries: readonly string[];
  readonly passages: readonly string[];
}

/** Reads the pairs of all files, in an order that the seed decides. A query with several positives gives its first. */
export async function readPairs(
  { data: { files, longest, most }, seed }: StaticConfig,
  onRead: (pairs: number) => void = () => {},
): Promise<Pairs> {
  const chosen: [string, string][] = [];
  for (const { path, pairs: wanted } of files) {
    const pairs: [string, string][] = [];
    for await (const { query, positives, where } of readExamples(path)) {
      const [positive] = positives;
      if (typeof query !== "string" || !("text" in positive) || typeof positive.text !== "string")
        throw new SluiceError(`${where}: expected texts`, 'lines are {"query": "…", "positive": "…"}');
      pairs.push([query.slice(0, longest.query), positive.text.slice(0, longest.passage)]);
    }
    const order = shuffle(pairs.length, seed);
    for (const i of order.subarray(0, wanted ?? pairs.length)) chosen.push(pairs[i]);
    onRead(chosen.length);
  }
  const order = Array.from(shuffle(chosen.length, seed).subarray(0, most ?? chosen.length));
  return { queries: order.map((i) => chosen[i][0]), passages: order.map((i) => chosen[i][1]) };
}
