// Measures reranking: what a cross-encoder makes of the best hits of BM25, and of BM25 with MiniLM's vectors.

import { parseArgs } from "node:util";
import { indexedText } from "../src/documents/document.ts";
import { CrossEncoder } from "../src/encode/index.ts";
import { type Query, Sluice } from "../src/index.ts";
import {
  evaluate,
  formatTable,
  pairedTTest,
  readBeirCorpus,
  readBeirQrels,
  readBeirQueries,
} from "../src/lab/index.ts";
import { readVectors } from "../src/read/index.ts";
import type { PairScorer } from "../src/search/index.ts";
import { fetchCrossEncoder } from "../test/helpers/models.ts";
import { type Bench, dataPath } from "./support/bench.ts";

const COLLECTIONS = ["scifact", "nfcorpus"];
const TOP = 50;
const MIXES = [0, 0.1, 0.25, 0.5, 1];
/** Weight of MiniLM's cosine, relative to BM25. data/README.md has published figures for this weight. */
const LAMBDA = 20;

const OPTIONS = {
  queries: { type: "string", default: "100" },
  keep: { type: "boolean", default: false },
} as const;

export const rerank: Bench & { readonly flags: string } = {
  name: "rerank",
  flags: "[--queries N]",
  about:
    `nDCG@10 after ms-marco-MiniLM-L-12-v2, a cross-encoder in int8, reordered the best ${TOP} hits, by mix: 0 is the order ` +
    `of the first stage, 1 that of the model. First stages: BM25, and BM25 + ${LAMBDA} · cosine of MiniLM's vectors. The first ` +
    "--queries test queries of each collection (100). p is of a paired t-test against mix 0. ms is the model's time for a query.",

  async run(print) {
    const { values: flags } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const fetched = await fetchCrossEncoder();
    if ("reason" in fetched) throw new Error(fetched.reason);
    const model = await CrossEncoder.open(fetched.path);
    const rows: string[][] = [];
    for (const name of COLLECTIONS) rows.push(...(await measure(name, model, Number(flags.queries))));
    print(`\n${formatTable(["", "first stage", ...MIXES.map((mix) => `mix ${mix}`), "ms"], rows)}`);
    await model.close();
  },
};

async function measure(name: string, model: CrossEncoder, most: number): Promise<string[][]> {
  const folder = dataPath("collections", name);
  const vectorsOf = (of: string) => readVectors(dataPath("vectors", "minilm-l6-v2", `${name}.${of}.npy`));
  const [ofDocuments, ofQueries] = [await vectorsOf("docs"), await vectorsOf("test-queries")];
  const documents = [];
  for await (const document of readBeirCorpus(folder))
    documents.push({
      id: document.id,
      text: indexedText(document, document.id),
      vector: ofDocuments.get(document.id)!,
    });
  const index = await Sluice.build(documents, { encoder: "none", dims: "full" });
  const qrels = await readBeirQrels(folder, "test");
  const queries = (await readBeirQueries(folder, qrels)).slice(0, most);
  const judged = new Map(queries.map(({ id }) => [id, qrels.get(id)!]));
  const scorer = remembering(model);
  const rows: string[][] = [];
  for (const [stage, lambda] of [
    ["BM25", 0],
    ["BM25 + MiniLM", LAMBDA],
  ] as const) {
    const before = { ms: scorer.ms, pairs: scorer.pairs };
    const found: number[][] = [];
    for (const mix of MIXES) {
      const run = new Map();
      for (const [at, { id, text }] of queries.entries()) {
        const query: Query = { text, vector: ofQueries.get(id)! };
        const { hits } = await index.search(query, {
          k: 10,
          lambda,
          rerank: { model: scorer, top: TOP, mix },
        });
        run.set(
          id,
          hits.map(({ id }, i) => ({ id, score: -i })),
        );
        process.stderr.write(`\r${name}, ${stage}, mix ${mix}: ${at + 1} of ${queries.length} `);
      }
      const { perQuery } = evaluate(run, judged, ["ndcg@10"], { rule: "stable" });
      found.push([...perQuery.get("ndcg@10")!.values()]);
    }
    const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    const cells = found.map((values, i) =>
      i === 0
        ? figure(mean(values))
        : `${figure(mean(values))} (p ${figure(pairedTTest(values, found[0]).p)})`,
    );
    // Pairs of the first row are remembered in the second, so their time is per pair.
    const ms = ((scorer.ms - before.ms) / Math.max(1, scorer.pairs - before.pairs)) * TOP;
    rows.push([`${name}, ${queries.length} queries`, stage, ...cells, ms.toFixed(0)]);
  }
  await index.close();
  return rows;
}

/** Asks the model once about each pair: all mixes need the same scores. */
function remembering(model: CrossEncoder): PairScorer & { ms: number; pairs: number } {
  const known = new Map<string, number>();
  return {
    path: model.path,
    ms: 0,
    pairs: 0,
    async score(query, texts) {
      const missing = texts.filter((text) => !known.has(`${query}\n${text}`));
      const started = performance.now();
      const scores = await model.score(query, missing);
      this.ms += performance.now() - started;
      this.pairs += missing.length;
      for (const [i, text] of missing.entries()) known.set(`${query}\n${text}`, scores[i]);
      return texts.map((text) => known.get(`${query}\n${text}`)!);
    },
  };
}

/** Formats a figure like .5274. */
function figure(value: number): string {
  return value.toFixed(4).replace(/^0/, "");
}
