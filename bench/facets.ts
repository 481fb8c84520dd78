// Measures what counts, sort, groups and snippets add to the time of a search.

import { parseArgs } from "node:util";
import { type SearchOptions, Sluice } from "../src/index.ts";
import { formatTable } from "../src/lab/index.ts";
import { mulberry32 } from "../src/support/numbers/random.ts";
import type { Bench } from "./bench.ts";

const VOCABULARY = 20_000;
const WORDS = 60;
const QUERIES = 100;
const DIMS = 64;

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
];

export const facets: Bench & { readonly flags: string } = {
  name: "facets",
  flags: "[--docs N]",
  about:
    `Counts, sort, groups and snippets beside the same search without them: --docs made-up documents (50,000) of ${WORDS} words by ` +
    `Zipf's law, ${QUERIES} queries of two words, top 10, one thread, median ms. By words, and with vectors of ${DIMS} dims, where ` +
    "the best 1,000 are counted and sorted. The first search with a field, which reads its column, is left out.",

  async run(print, args) {
    const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
    const docs = Number(flags.docs);
    const columns = [await measure(docs, false), await measure(docs, true)];
    const rows = CASES.map(([name], i) => [name, ...columns.map((column) => column[i].toFixed(2))]);
    print(`\n${formatTable(["", "words, ms", "words and meaning, ms"], rows)}`);
  },
};

async function measure(docs: number, withVectors: boolean): Promise<number[]> {
  const random = mulberry32(3);
  const word = () => `w${Math.floor(VOCABULARY ** random())}`;
  const vector = () => Array.from({ length: DIMS }, () => random() - 0.5);
  const documents = Array.from({ length: docs }, (_, i) => ({
    id: String(i),
    text: Array.from({ length: WORDS }, word).join(" "),
    year: 1990 + Math.floor(random() * 30),
    author: `author ${Math.floor(random() * 5000)}`,
    price: Math.floor(random() * 1000),
    ...(withVectors && { vector: vector() }),
  }));
  const index = await Sluice.build(documents, { encoder: "none" });
  const queries = Array.from({ length: QUERIES }, () => ({
    text: `${word()} ${word()}`,
    ...(withVectors && { vector: vector() }),
  }));
  const medians: number[] = [];
  for (const [, options] of CASES) {
    await index.search(queries[0], options);
    const times: number[] = [];
    for (const query of queries) {
      const started = performance.now();
      await index.search(query, options);
      times.push(performance.now() - started);
    }
    medians.push(times.sort((a, b) => a - b)[QUERIES / 2]);
  }
  await index.close();
  return medians;
}
