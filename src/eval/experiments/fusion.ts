// Table 7: one index for both parts, beside each part alone and beside two lists combined.

import { Sluice } from "../../sluice.ts";
import { type FusionMethod, fuseRuns } from "../fuse.ts";
import type { Run } from "../judgements.ts";
import {
  buildHybrid,
  type Collection,
  type Experiment,
  type ExperimentOptions,
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
const ALPHAS = [0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2];
const SCALED_ALPHAS = [0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3];

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
  const lists = async (subject: Collection) => ({
    first: (await measure("", lexical, subject, { k: LIST })).run,
    second: (await measure("", semantic, subject, { k: LIST, lambda: 1 })).run,
  });
  const test = await lists(collection);
  const training = collection.training && (await lists({ ...collection, ...collection.training }));
  const chosen: string[] = [`λ = ${lambda}`];
  for (const kind of ["linear", "min-max", "rrf"] as const) {
    const method = bestMethod(kind, collection, training);
    if (method.kind !== "rrf") chosen.push(`α = ${method.alpha} (${kind})`);
    const fused = fuseRuns(test.first, test.second, method);
    const bytes = bm25.bytes + embedding.bytes;
    const times = { p50: bm25.p50 + embedding.p50, p99: bm25.p99 + embedding.p99 };
    runs.push({
      name: `two lists, ${kind}`,
      ...judged(fused, collection),
      bytes,
      tokens: bm25.tokens,
      ...times,
    });
  }
  return { runs, parameters: chosen.join(", ") };
}

/** The α that is best on the training queries; the usual one where there are none. */
function bestMethod(
  kind: FusionMethod["kind"],
  collection: Collection,
  training: { first: Run; second: Run } | undefined,
): FusionMethod {
  if (kind === "rrf") return { kind };
  const alphas = kind === "linear" ? ALPHAS : SCALED_ALPHAS;
  if (!training || !collection.training) return { kind, alpha: kind === "linear" ? 0.1 : 1 };
  const { qrels } = collection.training;
  const value = (alpha: number) =>
    judged(fuseRuns(training.first, training.second, { kind, alpha }), {
      ...collection,
      qrels,
    }).evaluation.means.get("ndcg@10")!;
  const values = alphas.map(value);
  return { kind, alpha: alphas[values.indexOf(Math.max(...values))] };
}
