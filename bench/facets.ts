// Measures what counts, sort, groups, snippets and filters add to the time of a search.

import { parseArgs } from "node:util";
import { type SearchOptions, Sluice } from "../src/index.ts";
import { formatTable, percentiles } from "../src/lab/index.ts";
import { mulberry32 } from "../src/support/numbers/random.ts";
import type { Bench } from "./support/bench.ts";

const VOCABULARY = 20_000;
const WORDS = 60;
const QUERIES = 100;
const DIMS = 64;
/** How often each query is asked in each way. The fastest counts, because other programs only make a search slower. */
const ROUNDS = 5;

const OPTIONS = { docs: { type: "string", default: "50000" } } as const;

const RANGES = Array.from({ length: 10 }, (_, i) => ({ gte: i * 100, lt: (i + 1) * 100 }));
const CASES: readonly (readonly [name: string, options: SearchOptions])[] = [
  ["hits alone", {}],
  ["total", { total: true }],
  ["match all", { match: "all" }],
  ["facets, 30 values", { facets: ["year"] }],
  ["facets, 5,000 values", { facets: ["author"] }],
  ["facets, 10 ranges", { facets: [{ field: "price", ranges: RANGES }] }],
  ["sort, 30 values", { sort: { field: "year" } }],
  ["sort, 1,000 values", { sort: { field: "price", order: "desc" } }],
  ["groups, 5,000 values", { groupBy: "author" }],
  ["snippets", { snippets: true }],
  ["filter, a half", { filter: { price: { lt: 500 } } }],
  ["filter, a tenth", { filter: { price: { lt: 100 } } }],
  ["filter, and facets", { filter: { price: { lt: 500 } }, facets: ["year"], total: true }],
];

export const facets: Bench & { readonly flags: string } = {
  name: "facets",
  flags: "[--docs N]",
  about:
    `Counts, sort, groups, snippets and filters beside the same search without them: --docs made-up documents (50,000) of ${WORDS} words ` +
    `by Zipf's law, ${QUERIES} queries of two words, top 10, one thread, in memory. By words, and with vectors of ${DIMS} dims, where ` +
    `the best 1,000 are counted and sorted. Each query is asked in all ways, one after the other, ${ROUNDS} times, and its fastest time in ` +
    "each way counts. ms: the median of the queries. ×: the same beside hits alone. p95: of the queries. The first search with a field, which " +
    "reads its column, is left out.",

  async run(print, args) {
    const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
    const docs = Number(flags.docs);
    for (const [title, withVectors] of [
      ["Words", false],
      ["Words and meaning", true],
    ] as const) {
      const times = (await measure(docs, withVectors)).map(percentiles);
      const rows = CASES.map(([name], i) => {
        const { p50, p95 } = times[i];
        return [name, p50.toFixed(3), (p50 / times[0].p50).toFixed(2), p95.toFixed(3)];
      });
      print(`\n## ${title}, ${docs} documents\n`);
      print(formatTable(["", "ms", "×", "p95, ms"], rows));
    }
  },
};

/** For each case, the fastest time of each query. */
async function measure(docs: number, hasVectors: boolean): Promise<number[][]> {
  const random = mulberry32(3);
  const word = () => `w${Math.floor(VOCABULARY ** random())}`;
  const vector = () => Array.from({ length: DIMS }, () => random() - 0.5);
  const documents = Array.from({ length: docs }, (_, i) => ({
    id: String(i),
    text: Array.from({ length: WORDS }, word).join(" "),
    year: 1990 + Math.floor(random() * 30),
    author: `author ${Math.floor(random() * 5000)}`,
    price: Math.floor(random() * 1000),
    ...(hasVectors && { vector: vector() }),
  }));
  const index: Sluice = await Sluice.build(documents, { encoder: "none" });
  const queries = Array.from({ length: QUERIES }, () => ({
    text: `${word()} ${word()}`,
    ...(hasVectors && { vector: vector() }),
  }));
  const fastest = CASES.map(() => queries.map(() => Number.POSITIVE_INFINITY));
  for (const [, options] of CASES) await index.search(queries[0], options);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [q, query] of queries.entries()) {
      // Each case is first, second, … as often as the others.
      for (let turn = 0; turn < CASES.length; turn++) {
        const at = (turn + q + round) % CASES.length;
        const started = performance.now();
        await index.search(query, CASES[at][1]);
        fastest[at][q] = Math.min(fastest[at][q], performance.now() - started);
      }
    }
  }
  await index.close();
  return fastest;
}
