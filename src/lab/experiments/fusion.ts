// Table 7: one index for both parts, beside each part alone and beside two lists combined.

import { Sluice } from "../../sluice.ts";
import { type FusionMethod, fuse, fuseRuns } from "../eval/fuse.ts";
import type { Run } from "../eval/judgements.ts";
import { percentiles } from "../eval/percentiles.ts";
import {
  askedOf,
  buildHybrid,
  type Collection,
  type Experiment,
  type ExperimentOptions,
  excluding,
  judged,
  lambdaFor,
  type Measured,
  measure,
  onlyVectors,
  runsTable,
  SIGNIFICANCE,
} from "./experiment.ts";
import { TABLE_7 } from "./paper.ts";

/** How deep the two lists are that a system with two engines combines. */
const LIST = 1000;

export const fusion: Experiment = {
  name: "fusion",
  title: "Independent fusion in one index",
  about:
    "BM25 and an embedding: each alone, in one index at several widths, and as two lists of 1,000 hits combined. " +
    "λ and α are chosen on training queries.",
  needsVectors: true,

  async run(collections, options) {
    const tables = [];
    const notes = [SIGNIFICANCE];
    for (const collection of collections) {
      const { runs, parameters } = await runsOf(collection, options);
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

async function runsOf(collection: Collection, options: ExperimentOptions) {
  const { log } = options;
  const full = await buildHybrid(collection, { dims: "full" });
  const lambda = await lambdaFor(full, collection, options);
  const runs: Measured[] = [await measure("DHR full", full, collection, { lambda })];
  for (const dims of [768, 256, 128]) {
    log?.(`${collection.name}: DHR ${dims}`);
    runs.push(await measure(`DHR ${dims}`, await buildHybrid(collection, { dims }), collection, { lambda }));
  }
  const lexical = await Sluice.build(collection.documents, { dims: "full" });
  const semantic = await Sluice.build(onlyVectors(collection));
  const bm25 = await measure("BM25 alone", lexical, collection);
  const embedding = await measure("embedding alone", semantic, collection, { lambda: 1 });
  runs.push(bm25, embedding);

  log?.(`${collection.name}: two lists`);
  const engines = { lexical, semantic };
  const training = collection.training && (await lists(engines, { ...collection, ...collection.training }));
  const chosen: string[] = [`λ = ${lambda}`];
  for (const kind of ["linear", "min-max", "rrf"] as const) {
    const method = bestMethod(kind, collection, training);
    if (method.kind !== "rrf") chosen.push(`α = ${method.alpha} (${kind})`);
    const { fused, times } = await lists(engines, collection, method);
    runs.push({
      name: `two lists, ${kind}`,
      ...judged(fused, collection),
      bytes: bm25.bytes + embedding.bytes,
      tokens: bm25.tokens,
      usedDims: bm25.usedDims + embedding.usedDims,
      ...percentiles(times),
    });
  }
  return { runs, parameters: chosen.join(", ") };
}

interface Lists {
  readonly first: Run;
  readonly second: Run;
  readonly fused: Run;
  /** Both searches and the fusing, per query. */
  readonly times: number[];
}

/** What a system with two engines does: two searches, then one list of the two. */
async function lists(
  { lexical, semantic }: { lexical: Sluice; semantic: Sluice },
  collection: Collection,
  method: FusionMethod = { kind: "rrf" },
): Promise<Lists> {
  const result: Lists = { first: new Map(), second: new Map(), fused: new Map(), times: [] };
  for (const { id, query } of askedOf(collection, collection, true)) {
    const { text, vector } = query as { text: string; vector: Float32Array };
    const options = { k: LIST, ...excluding(collection, id) };
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

/** The α that is best on the training queries, around where both lists weigh the same; 1 there where there are none. */
function bestMethod(
  kind: FusionMethod["kind"],
  collection: Collection,
  training: Lists | undefined,
): FusionMethod {
  if (kind === "rrf") return { kind };
  if (!training || !collection.training) return { kind, alpha: 1 };
  const { qrels } = collection.training;
  const values = new Map<number, number>();
  const tryAround = (centre: number, ratio: number, reach: number) => {
    for (let step = -reach; step <= reach; step++) {
      const alpha = Number((centre * ratio ** step).toPrecision(3));
      if (values.has(alpha)) continue;
      const fused = fuseRuns(training.first, training.second, { kind, alpha });
      values.set(alpha, judged(fused, { ...collection, qrels }).evaluation.means.get("ndcg@10")!);
    }
  };
  const best = () => [...values].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  tryAround(kind === "linear" ? evenScale(training) : 1, 2, 4);
  tryAround(best(), 2 ** 0.5, 1);
  return { kind, alpha: best() };
}

/** The α at which the best scores of both lists weigh the same. */
function evenScale({ first, second }: Lists): number {
  const top = (run: Run) => [...run.values()].reduce((sum, list) => sum + Math.abs(list[0]?.score ?? 0), 0);
  return top(first) > 0 ? top(second) / top(first) : 1;
}
