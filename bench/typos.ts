// Measures the correction of typos: real queries with one random edit in their longest word, beside MiniSearch and Orama.

import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { english } from "../src/analyze/index.ts";
import { indexedText } from "../src/documents/document.ts";
import { Sluice } from "../src/index.ts";
import { evaluate, formatTable, readBeirCorpus, readBeirQrels, readBeirQueries } from "../src/lab/index.ts";
import { mulberry32 } from "../src/support/numbers/random.ts";
import { ENGINES } from "./hybrid/engines.ts";
import { install, peerFolder } from "./hybrid/install.ts";
import { type Bench, dataPath } from "./support/bench.ts";
import { printProgress, tryOrExplain } from "./support/progress.ts";
import { measureAddedTime } from "./typos/added-time.ts";
import { mistype } from "./typos/mistype.ts";

const COLLECTIONS = { scifact: ["test", "train"], nfcorpus: ["test", "dev"] };
/** The queries of a collection, unless a flag says otherwise. */
const QUERIES = "500";
/** Queries that are asked before times are taken. */
const WARM_UP = 20;

interface MistypedQuery {
  readonly id: string;
  readonly text: string;
  readonly mistyped: string;
}
interface Texts {
  readonly id: string;
  readonly text: string;
}
/** The ids of the ten best documents. `corrects` asks for the engine's correction of typos. */
type Ask = (text: string, corrects: boolean) => Promise<string[]> | string[];

export const typos: Bench = {
  name: "typos",
  flags: "[--queries N] [--only quality|time]",
  about:
    "1,000 queries of scifact and nfcorpus (test, then train or dev), with one random edit in their longest word: a letter " +
    "dropped, added, changed or swapped with its neighbor. nDCG@10 of the queries as they are, with the typo, and with the typo " +
    "and the engine's correction; milliseconds of a query with the typo (median) without and with correction. Words alone, " +
    "in memory, one thread. Sluice: typos: true. MiniSearch: fuzzy 0.2, its documentation's example. Orama: tolerance 1; it " +
    "completes every word in any case. Both with their own tokenizers, which do not stem, and BM25 with our parameters. Then what " +
    "typos: true adds to the time of a query of Sluice: titles of the ACL anthology, searched in its abstracts. Each is asked " +
    "without and with the option, in turns, five times, after others were asked: the first time, and the fastest, which other programs " +
    "disturb least, but which finds the words of the first time in the analyzer's cache.",

  async run(print, args) {
    const options = { queries: { type: "string", default: QUERIES }, only: { type: "string" } } as const;
    const { queries, only } = parseArgs({ args: [...args], options }).values;
    const most = Number(queries);
    for (const [name, splits] of only === "time" ? [] : Object.entries(COLLECTIONS)) {
      const { documents, queries, judged } = await read(name, splits, most);
      const rows: string[][] = [];
      for (const [engine, open] of Object.entries({
        sluice: buildSluice,
        minisearch: buildMinisearch,
        orama: buildOrama,
      })) {
        printProgress(`${name}: ${engine}`);
        const row = await tryOrExplain(
          () => measure(engine, open, documents, queries, judged),
          engine,
          print,
        );
        if (row) rows.push(row);
      }
      const columns = ["engine", "as they are", "typo", "typo, corrected", "ms", "ms, corrected"];
      print(`\n## ${name}: ${documents.length} documents, ${queries.length} queries\n`);
      print(formatTable(columns, rows));
    }
    if (only !== "quality") await measureAddedTime(print, most);
  },
};

async function read(name: string, splits: readonly string[], most: number) {
  const folder = dataPath("collections", name);
  const documents: Texts[] = [];
  for await (const document of readBeirCorpus(folder))
    documents.push({ id: document.id, text: indexedText(document, document.id) });
  const random = mulberry32(19);
  const queries: MistypedQuery[] = [];
  const judged: Awaited<ReturnType<typeof readBeirQrels>> = new Map();
  for (const split of splits) {
    const qrels = await readBeirQrels(folder, split);
    for (const { id, text } of await readBeirQueries(folder, qrels)) {
      if (queries.length === most) break;
      queries.push({ id, text, mistyped: mistype(text, random) });
      judged.set(id, qrels.get(id)!);
    }
  }
  return { documents, queries, judged };
}

async function measure(
  name: string,
  open: (documents: readonly Texts[]) => Promise<Ask>,
  documents: readonly Texts[],
  queries: readonly MistypedQuery[],
  judged: Awaited<ReturnType<typeof readBeirQrels>>,
): Promise<string[]> {
  const ask = await open(documents);
  const run = async (of: (query: MistypedQuery) => string, corrects: boolean) => {
    const [found, times] = [new Map<string, { id: string; score: number }[]>(), [] as number[]];
    for (const query of queries.slice(0, WARM_UP)) await ask(of(query), corrects);
    for (const query of queries) {
      const started = performance.now();
      const ids = await ask(of(query), corrects);
      times.push(performance.now() - started);
      found.set(
        query.id,
        ids.map((id, i) => ({ id, score: -i })),
      );
    }
    const { means } = evaluate(found, judged, ["ndcg@10"], { rule: "stable" });
    return { quality: means.get("ndcg@10")!, ms: times.sort((a, b) => a - b)[times.length >> 1] };
  };
  const clean = await run(({ text }) => text, false);
  const wrong = await run(({ mistyped }) => mistyped, false);
  const corrected = await run(({ mistyped }) => mistyped, true);
  const qualities = [clean, wrong, corrected].map(({ quality }) => quality.toFixed(4).replace(/^0/, ""));
  return [name, ...qualities, wrong.ms.toFixed(3), corrected.ms.toFixed(3)];
}

async function buildSluice(documents: readonly Texts[]): Promise<Ask> {
  const index = await Sluice.build(documents, { analyzer: english, encoder: "none" });
  return async (text, typos) => (await index.search(text, { k: 10, typos })).hits.map(({ id }) => id);
}

/** A package of a peer, installed for benches only. */
async function load<T>(engine: string, name: string): Promise<T> {
  const spec = ENGINES.find((one) => one.name === engine)!;
  await install(spec, printProgress);
  return createRequire(join(peerFolder(spec), "package.json"))(name) as T;
}

const BM25 = { k: 0.9, b: 0.4, d: 0 };

async function buildMinisearch(documents: readonly Texts[]): Promise<Ask> {
  type MiniSearch = new (
    options: object,
  ) => { addAll(documents: readonly Texts[]): void; search(text: string, options: object): Texts[] };
  const index = new (await load<MiniSearch>("minisearch", "minisearch"))({ fields: ["text"] });
  index.addAll(documents);
  return (text, corrects) =>
    index
      .search(text, { bm25: BM25, ...(corrects && { fuzzy: 0.2 }) })
      .slice(0, 10)
      .map(({ id }) => id);
}

async function buildOrama(documents: readonly Texts[]): Promise<Ask> {
  interface Orama {
    create(options: object): object;
    insertMultiple(index: object, documents: readonly Texts[], batch: number): Promise<unknown>;
    search(index: object, query: object): Promise<{ hits: Texts[] }>;
  }
  const { create, insertMultiple, search } = await load<Orama>("orama", "@orama/orama");
  const index = create({ schema: { text: "string" } });
  // In one batch: between batches it waits for a timer that does not keep the process alive.
  await insertMultiple(index, documents, documents.length);
  return async (term, corrects) => {
    const how = corrects ? { tolerance: 1 } : {};
    const query = { term, properties: ["text"], threshold: 1, relevance: BM25, limit: 10, ...how };
    return (await search(index, query)).hits.map(({ id }) => id);
  };
}
