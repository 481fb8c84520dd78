// Table 7 of the paper: one index for both parts, compared with each part alone and with two merged lists.

import { Sluice } from "../../sluice.ts";
import { type FusionMethod, fuse, fuseRuns } from "../eval/fuse.ts";
import type { Run } from "../eval/judgments.ts";
import { percentiles } from "../eval/percentiles.ts";
import { WeightSearch } from "../eval/tune.ts";
import {
  buildHybrid,
  type Collection,
  chooseLambda,
  type Experiment,
  type ExperimentOptions,
  evaluateRun,
  excludeOptions,
  type MeasuredRun,
  measure,
  onlyVectors,
  runsTable,
  SIGNIFICANCE,
  searchQueries,
} from "./experiment.ts";
import { TABLE_7 } from "./paper.ts";

/** Hits in each of the two lists that are merged. Longer lists take more time and miss fewer documents. */
const LIST = 1000;

export const fusion: Experiment = {
  name: "fusion",
  title: "Independent fusion in one index",
  about:
    "BM25 and an embedding: each alone, in one index at several widths, and as two merged lists of 1,000 hits. " +
    "λ and α are tuned on training queries.",
  needsVectors: true,

  async run(collections, options) {
    const tables = [];
    const notes = [SIGNIFICANCE];
    for (const collection of collections) {
      const { runs, parameters } = await searchRuns(collection, options);
      tables.push(runsTable(`${collection.name}; the first row is the exact sum of both full scores`, runs));
      for (const alone of ["BM25 alone", "embedding alone"]) {
        const rows = [
          runs.find(({ name }) => name === alone)!,
          ...runs.filter(({ name }) => name.startsWith("DHR")),
        ];
        tables.push(runsTable(`${collection.name}; significance against ${alone}`, rows));
      }
      notes.push(`${collection.name}: ${parameters}`);
    }
    return { tables: [...tables, TABLE_7], notes };
  },
};

async function searchRuns(collection: Collection, options: ExperimentOptions) {
  const { log } = options;
  const full = await buildHybrid(collection, { dims: "full" });
  const lambda = await chooseLambda(full, collection, options);
  const runs: MeasuredRun[] = [await measure("DHR full", full, collection, { lambda })];
  for (const dims of [768, 256, 128]) {
    log?.(`${collection.name}: DHR ${dims}`);
    runs.push(await measure(`DHR ${dims}`, await buildHybrid(collection, { dims }), collection, { lambda }));
  }
  const lexical = await Sluice.build(collection.documents, { encoder: "none", dims: "full" });
  const semantic = await Sluice.build(onlyVectors(collection), { encoder: "none" });
  const bm25 = await measure("BM25 alone", lexical, collection);
  const embedding = await measure("embedding alone", semantic, collection, { lambda: 1 });
  runs.push(bm25, embedding);

  log?.(`${collection.name}: two lists`);
  const engines = { lexical, semantic };
  const training =
    collection.training && (await searchBoth(engines, { ...collection, ...collection.training }));
  const chosen: string[] = [`λ = ${lambda}`];
  for (const kind of ["linear", "min-max", "rrf"] as const) {
    const method = bestMethod(kind, collection, training);
    if (method.kind !== "rrf") chosen.push(`α = ${method.alpha} (${kind})`);
    const { fused, times } = await searchBoth(engines, collection, method);
    runs.push({
      name: `two lists, ${kind}`,
      ...evaluateRun(fused, collection),
      bytes: bm25.bytes + embedding.bytes,
      tokens: bm25.tokens,
      usedDims: bm25.usedDims + embedding.usedDims,
      ...percentiles(times),
    });
  }
  return { runs, parameters: chosen.join(", ") };
}

interface FusedRuns {
  readonly first: Run;
  readonly second: Run;
  readonly fused: Run;
  /** Milliseconds per query: both searches and the merge. */
  readonly times: number[];
}

/** Does what a system with two engines does: two searches, then a merge of both lists. */
async function searchBoth(
  { lexical, semantic }: { lexical: Sluice; semantic: Sluice },
  collection: Collection,
  method: FusionMethod = { kind: "rrf" },
): Promise<FusedRuns> {
  const result: FusedRuns = { first: new Map(), second: new Map(), fused: new Map(), times: [] };
  for (const { id, query } of searchQueries(collection, collection, true)) {
    const { text, vector } = query as { text: string; vector: Float32Array };
    const options = { k: LIST, ...excludeOptions(collection, id) };
    const started = performance.now();
    const first = (await lexical.search(text, options)).hits.map(({ id, score }) => ({ id, score }));
    const second = (await semantic.search({ vector }, { ...options, lambda: 1 })).hits.map(
      ({ id, score }) => ({ id, score }),
    );
    result.fused.set(id, fuse(first, second, method).slice(0, LIST));
    result.times.push(performance.now() - started);
    result.first.set(id, first);
    result.second.set(id, second);
  }
  return result;
}

/**
 * Returns the method with the α that is best on the training queries. The search starts at the α at which both lists
 * weigh the same. Without training queries α is 1.
 */
function bestMethod(
  kind: FusionMethod["kind"],
  collection: Collection,
  training: FusedRuns | undefined,
): FusionMethod {
  if (kind === "rrf") return { kind };
  if (!training || !collection.training) return { kind, alpha: 1 };
  const { qrels } = collection.training;
  const found = new WeightSearch((alpha) => {
    const fused = fuseRuns(training.first, training.second, { kind, alpha });
    return evaluateRun(fused, { ...collection, qrels }).evaluation.means.get("ndcg@10")!;
  });
  found.tryAround(kind === "linear" ? evenScale(training) : 1, 2, 4);
  found.tryAround(found.best.weight, 2 ** 0.5, 1);
  return { kind, alpha: found.best.weight };
}

/** The α at which the best scores of both lists weigh the same. */
function evenScale({ first, second }: FusedRuns): number {
  const top = (run: Run) => [...run.values()].reduce((sum, list) => sum + Math.abs(list[0]?.score ?? 0), 0);
  return top(first) > 0 ? top(second) / top(first) : 1;
}
