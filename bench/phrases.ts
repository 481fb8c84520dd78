// Measures what positions cost, and how long phrases take: bytes, build time, and times of queries with and without a phrase.

import { type Document, Sluice } from "../src/index.ts";
import { formatTable, readBeirCorpus, readBeirQrels, readBeirQueries } from "../src/lab/index.ts";
import { readText } from "../src/support/files/text-file.ts";
import { type Bench, dataPath } from "./support/bench.ts";
import { printProgress } from "./support/progress.ts";

/** The most queries of a collection. */
const MOST_QUERIES = 500;
/** Queries that are asked before times are taken. */
const WARM_UP = 20;
/** Every twelfth title of the ACL anthology is a query, as in the bench hybrid. */
const EVERY_TITLE = 12;

interface Collection {
  readonly documents: readonly Document[];
  readonly queries: readonly string[];
}

export const phrases: Bench = {
  name: "phrases",
  about:
    "What the option positions adds: bytes of the positions, bytes of a word (a term of a text, repetitions included), and the " +
    "time of a build. And milliseconds of a query (median): the first two neighboring words of a title or query as words " +
    "(plain), as a phrase that hits must have, as one with slop 2, and as one that lifts hits. Words alone, in memory, one " +
    "thread, top 10, the analyzer english.",

  async run(print) {
    const rows: string[][] = [];
    for (const name of ["scifact", "nfcorpus", "acl"]) {
      printProgress(`phrases: ${name}`);
      const collection = name === "acl" ? await readAcl() : await readBeir(name);
      rows.push([name, String(collection.documents.length), ...(await measure(collection))]);
    }
    const columns = [
      "collection",
      "documents",
      "positions, MB",
      "bytes a word",
      "build, s",
      "with positions, s",
    ];
    print(`\n${formatTable([...columns, "plain, ms", "phrase, ms", "slop 2, ms", "preferred, ms"], rows)}`);
  },
};

async function readBeir(name: string): Promise<Collection> {
  const folder = dataPath("collections", name);
  const documents: Document[] = [];
  for await (const document of readBeirCorpus(folder)) documents.push(document);
  const queries = await readBeirQueries(folder, await readBeirQrels(folder, "test"));
  return { documents, queries: queries.map(({ text }) => text) };
}

async function readAcl(): Promise<Collection> {
  const lines = (await readText(dataPath("pairs", "acl-title-abstract.jsonl.gz"))).trimEnd().split("\n");
  const pairs = lines.map((line): { query: string; positive: string } => JSON.parse(line));
  return {
    documents: pairs.map(({ positive }, i) => ({ id: String(i), text: positive })),
    queries: pairs.filter((_, i) => i % EVERY_TITLE === 0).map(({ query }) => query),
  };
}

async function measure({ documents, queries }: Collection): Promise<string[]> {
  const build = async (positions: boolean) => {
    const started = performance.now();
    const index = await Sluice.build(documents, { encoder: "none", analyzer: "english", positions });
    return { index, seconds: ((performance.now() - started) / 1000).toFixed(1) };
  };
  const plain = await build(false);
  await plain.index.close();
  const { index, seconds } = await build(true);
  const { positionBytes = 0, bm25, docs } = index.info();
  const pairs = queries.slice(0, MOST_QUERIES).map((text) => text.split(/\s+/).slice(0, 2).join(" "));
  const time = async (ask: (pair: string) => Promise<unknown>) => {
    const times: number[] = [];
    for (const pair of pairs.slice(0, WARM_UP)) await ask(pair);
    for (const pair of pairs) {
      const started = performance.now();
      await ask(pair);
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[times.length >> 1].toFixed(3);
  };
  const times = [
    await time((text) => index.search(text)),
    await time((phrase) => index.search({ must: [{ phrase }] })),
    await time((phrase) => index.search({ must: [{ phrase, slop: 2 }] })),
    await time((phrase) => index.search({ text: phrase, prefer: [{ phrase }] })),
  ];
  await index.close();
  const words = (bm25?.averageLength ?? 0) * docs;
  return [
    ...[(positionBytes / 1e6).toFixed(2), (positionBytes / words).toFixed(2), plain.seconds, seconds],
    ...times,
  ];
}
