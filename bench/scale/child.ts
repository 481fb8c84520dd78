// The processes of bench/scale: some make the files, another searches them, so that its memory is that of searching only.
//
//   child.js make FOLDER DOCS PART OF              prints how many documents each file has that it made
//   child.js search FOLDER DOCS THREADS [all]     prints a line of JSON for each plan; without "all" for the exact ones

import type { Plan } from "../../src/index.ts";
import { percentiles } from "../../src/lab/index.ts";
import { runEngine } from "../../src/rank/engine.ts";
import { chooseFirstStages } from "../../src/scan/first-stages.ts";
import { ScanPool } from "../../src/scan/wasm/scan-pool.ts";
import { openSegments, writeSegments } from "./segments.ts";
import { Shape } from "./shape.ts";

const QUERIES = 40;
const ROUNDS = 3;
const K = 1000;

/** The plans that are measured with any number of threads, with the number of hits. */
const EXACT: readonly (readonly [string, Plan, number])[] = [
  ["exact", { kind: "exact" }, K],
  ["exact, top 10", { kind: "exact" }, 10],
];

const APPROXIMATE: Record<string, Plan> = {
  // With all semantic dimensions: applying θ to single dimensions lost 2 % of the top 1000 at half a million.
  "pruned θ 0.3": { kind: "pruned", theta: 0.3, semanticSelection: "all" },
  // Fewer candidates mean a higher threshold. 2,000 still find 99 % of the top 1000.
  "pruned θ 0.3, 2,000": { kind: "pruned", theta: 0.3, semanticSelection: "all", candidates: 2000 },
  "pruned mass 0.8": { kind: "pruned", mass: 0.8 },
  "inner product": { kind: "inner-product" },
  "PQ 64 × 4 bits": { kind: "quantized" },
};

/** The measurements of one plan at one number of documents. */
export interface ScaleRow {
  readonly docs: number;
  readonly threads: number;
  readonly plan: string;
  readonly p50: number;
  readonly p95: number;
  readonly firstMs: number;
  readonly recall: number;
  readonly certified: number;
  readonly megabytes: number;
  readonly scored: number;
  readonly rss: number;
}

const [job, folder, documents, ...rest] = process.argv.slice(2);
const shape = await Shape.load(QUERIES);
if (job === "make") {
  const [part, of] = rest.map(Number);
  await writeSegments(folder, Number(documents), shape, (made) => console.log(made), { part, of });
} else {
  const [threads, which] = rest;
  const approximate = Object.entries(APPROXIMATE).map(([name, plan]) => [name, plan, K] as const);
  await measureAll(Number(documents), Number(threads), which === "all" ? [...EXACT, ...approximate] : EXACT);
}

async function measureAll(docs: number, threads: number, plans: typeof EXACT): Promise<void> {
  const pool = threads > 1 ? new ScanPool(threads) : undefined;
  const stages = chooseFirstStages(pool);
  const segments = await openSegments(folder, docs, pool);
  /** For each query, the exact ranking. */
  const truth: number[][] = [];
  for (const [name, plan, k] of plans) {
    const times: number[][] = shape.queries.map(() => []);
    let [recall, certified, bytes, scored, firstMs] = [0, 0, 0, 0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, query] of shape.queries.entries()) {
        const start = performance.now();
        const [{ ranked: hits, stats }] = await runEngine(
          segments,
          [{ ...query, lambda: 1, k, plan }],
          stages,
        );
        times[i].push(performance.now() - start);
        if (round > 0) continue;
        if (name === "exact") truth[i] = hits.map(({ doc }) => doc);
        const best = new Set(truth[i].slice(0, k));
        recall += hits.filter(({ doc }) => best.has(doc)).length / best.size;
        certified += stats.exact ? 1 : 0;
        bytes += stats.scan.bytes;
        scored += stats.scored;
        firstMs += stats.firstStageMs;
      }
    }
    const best = times.map((all) => Math.min(...all));
    const { p50, p95 } = percentiles(best);
    const perQuery = (sum: number) => sum / shape.queries.length;
    const measured: ScaleRow = {
      docs,
      threads,
      plan: name,
      p50,
      p95,
      firstMs: perQuery(firstMs),
      recall: perQuery(recall),
      certified: perQuery(certified),
      megabytes: perQuery(bytes) / 1e6,
      scored: perQuery(scored),
      rss: process.memoryUsage().rss,
    };
    console.log(JSON.stringify(measured));
  }
  // Threads that were started keep a process alive.
  await pool?.close();
}
