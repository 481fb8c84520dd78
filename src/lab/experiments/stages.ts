// The paper's two figures and Table 12: how much quality a first stage loses, how much rescoring brings back, and how
// long each takes.

import { Densifier } from "../../densify/densify.ts";
import { rowAt } from "../../densify/rows.ts";
import { getInternals } from "../../internals.ts";
import { withoutDemands } from "../../query/ask/query.ts";
import type { Plan } from "../../query/plan/plan.ts";
import { applyLambda } from "../../query/plan/select-dimensions.ts";
import { QueryDensifier } from "../../query/prepare/query-densifier.ts";
import { gatedInnerProducts } from "../../rank/definition.ts";
import type { ReportPlot, ReportTable, Series } from "../../report/report.ts";
import type { SparseVector } from "../../segment/codes/code-vectors.ts";
import { Sluice } from "../../sluice.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { topK } from "../../support/numbers/topk.ts";
import type { Run } from "../eval/judgments.ts";
import { percentiles } from "../eval/percentiles.ts";
import { trainPq } from "../quantize/pq.ts";
import { sparseVectors } from "../quantize/sparse-vectors.ts";
import {
  buildHybrid,
  type Collection,
  chooseLambda,
  type Experiment,
  evaluateRun,
  type MeasuredRun,
  measure,
  metricCells,
  SIGNIFICANCE,
  searchQueries,
  withVectors,
} from "./experiment.ts";
import { TABLE_12 } from "./paper.ts";

/**
 * Query weights up to θ are left out of the first stage. 0.3 is the paper's θ for hybrid rows. BM25's query weights are
 * idfs, mostly between 1 and 9, so the other two are larger. No semantic dimension weighs that much, so at these two the
 * whole semantic part stays in.
 */
const THETAS = [0.3, 2, 4];
/** Shares of a query's weight that the first stage keeps. */
const MASSES = [0.8, 0.5];
/** Cutoffs of the recall curve. */
const CUTOFFS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
/** Documents that the second stage rescores. More take longer and lose less. */
const CANDIDATES = 1000;

function firstStages(): [string, Plan][] {
  return [
    ["exact", { kind: "exact" }],
    ...THETAS.map((theta): [string, Plan] => [
      theta < 1 ? `θ ${theta}` : `θ ${theta}, all semantic`,
      { kind: "pruned", theta, rescore: false, ...(theta >= 1 && { semanticSelection: "all" }) },
    ]),
    ...MASSES.map((mass): [string, Plan] => [`mass ${mass}`, { kind: "pruned", mass, rescore: false }]),
    ["inner product", { kind: "inner-product", rescore: false }],
  ];
}

export const recallCurve: Experiment = {
  name: "recall-curve",
  title: "Recall of a first stage",
  about: "Recall at growing cutoffs for each kind of first stage, without rescoring.",
  needsVectors: true,

  async run(collections, options) {
    const tables: ReportTable[] = [];
    const plots: ReportPlot[] = [];
    for (const collection of collections) {
      const dhr = await buildHybrid(collection, { dims: 768 });
      const lambda = await chooseLambda(dhr, collection, options);
      const subjects: [string, Sluice, number][] = [
        ["DLR 768", await Sluice.build(collection.documents, { encoder: "none", dims: 768 }), 0],
        ["DHR 768", dhr, lambda],
      ];
      const cutoffs = CUTOFFS.filter((cutoff) => cutoff < collection.documents.length);
      for (const [name, index, weight] of subjects) {
        const series: Series[] = [];
        const rows: string[][] = [];
        for (const [stage, plan] of firstStages()) {
          options.log?.(`${collection.name}: ${name}, ${stage}`);
          const metrics = cutoffs.map((cutoff) => `recall@${cutoff}`);
          const { evaluation } = await measure(stage, index, collection, {
            plan,
            lambda: weight,
            k: cutoffs.at(-1)!,
            metrics,
          });
          const recalls = metrics.map((metric) => evaluation.means.get(metric)!);
          series.push({ name: stage, points: cutoffs.map((x, i) => ({ x, y: recalls[i] })) });
          rows.push([stage, ...recalls.map((recall) => recall.toFixed(4))]);
        }
        const caption = `${collection.name}, ${name}${weight > 0 ? `, λ = ${weight}` : ""}`;
        tables.push({ caption, header: ["", ...cutoffs.map((cutoff) => `R@${cutoff}`)], rows });
        plots.push({
          caption,
          x: { label: "cutoff", scale: "log" },
          y: { label: "recall", percent: true },
          series,
        });
      }
    }
    return { tables, plots, notes: ["The exact ranking is GIP over all dimensions."] };
  },
};

export const tradeoff: Experiment = {
  name: "tradeoff",
  title: "Two stages: quality against time",
  about: `Each first stage alone, and with its ${CANDIDATES} best candidates rescored exactly.`,
  needsVectors: true,

  async run(collections, options) {
    const tables: ReportTable[] = [];
    const plots: ReportPlot[] = [];
    for (const collection of collections) {
      const dhr = await buildHybrid(collection, { dims: 768 });
      const lambda = await chooseLambda(dhr, collection, options);
      const alone: MeasuredRun[] = [];
      const rescored: MeasuredRun[] = [];
      for (const [stage, plan] of firstStages()) {
        options.log?.(`${collection.name}: ${stage}`);
        alone.push(await measure(stage, dhr, collection, { plan, lambda }));
        if (plan.kind === "exact") continue;
        const two = { ...plan, rescore: true, candidates: CANDIDATES };
        rescored.push(await measure(`${stage}, rescored`, dhr, collection, { plan: two, lambda }));
      }
      const rows = [...alone, ...rescored];
      tables.push({
        caption: `${collection.name}, DHR 768, λ = ${lambda}, ${alone[0].bytes.toFixed(0)} bytes per document`,
        header: ["", "dims used", "nDCG@10", "R@100", "ms p50", "ms p99"],
        rows: rows.map((run) => [
          run.name,
          run.usedDims.toFixed(1),
          ...metricCells(run, alone[0]),
          run.p50.toFixed(2),
          run.p99.toFixed(2),
        ]),
      });
      const points = (runs: readonly MeasuredRun[]) =>
        runs.map(({ name, p50, evaluation }) => ({
          x: p50,
          y: evaluation.means.get("recall@100")!,
          label: name.replace(", rescored", ""),
        }));
      plots.push({
        caption: `${collection.name}: R@100 against the median time of a query`,
        x: { label: "ms per query" },
        y: { label: "R@100" },
        scattered: true,
        series: [
          { name: "one stage", points: points(alone) },
          { name: `${CANDIDATES} candidates rescored`, points: points(rescored) },
        ],
      });
    }
    return {
      tables,
      plots,
      notes: [
        SIGNIFICANCE,
        "One thread, scalar kernel. The kernel reads whole rows, so selecting dimensions saves little time.",
      ],
    };
  },
};

export const latency: Experiment = {
  name: "latency",
  title: "Where the time goes",
  about: `Median milliseconds of each stage, one query at a time. The second stage rescores ${CANDIDATES} candidates.`,
  needsVectors: true,

  async run(collections, options) {
    const tables: ReportTable[] = [];
    for (const collection of collections) {
      const index = await Sluice.build(withVectors(collection), { encoder: "none", dims: 768 });
      const lambda = await chooseLambda(index, collection, options);
      const encodeMs = options.encode ? await measureEncoding(collection, options.encode) : undefined;
      const plans: [string, Plan][] = [
        ["GIP", { kind: "exact" }],
        [`θ ${THETAS[0]}, then GIP`, { kind: "pruned", theta: THETAS[0], candidates: CANDIDATES }],
        ["mass 0.5, then GIP", { kind: "pruned", mass: 0.5, candidates: CANDIDATES }],
        ["inner product, then GIP", { kind: "inner-product", candidates: CANDIDATES }],
      ];
      const runs: Staged[] = [];
      for (const [name, plan] of plans) runs.push(await measureStages(name, index, collection, plan, lambda));
      for (const parts of [128, 64]) {
        options.log?.(`${collection.name}: PQ ${parts}`);
        runs.push(await measureQuantized(parts, getInternals(index).snapshot, collection, lambda));
      }
      tables.push({
        caption: `${collection.name}, DHR 768, λ = ${lambda}, ${collection.documents.length} documents`,
        header: ["", "encode ms", "first ms", "second ms", "total ms", "p99", "nDCG@10", "R@100"],
        rows: runs.map((run) => [
          run.name,
          encodeMs?.toFixed(1) ?? "–",
          run.first.toFixed(2),
          run.second.toFixed(2),
          ((encodeMs ?? 0) + run.first + run.second).toFixed(2),
          run.p99.toFixed(2),
          ...metricCells(run, runs[0]),
        ]),
      });
    }
    return {
      tables: [...tables, TABLE_12],
      notes: [SIGNIFICANCE, "p99 covers both stages, without encoding."],
    };
  },
};

/** Milliseconds of each stage (median, and p99 of both together), and the quality. */
interface Staged {
  readonly name: string;
  readonly first: number;
  readonly second: number;
  readonly p99: number;
  readonly evaluation: MeasuredRun["evaluation"];
}

async function measureStages(
  name: string,
  index: Sluice,
  collection: Collection,
  plan: Plan,
  lambda: number,
): Promise<Staged> {
  const run: Run = new Map();
  const [first, second, both]: [number[], number[], number[]] = [[], [], []];
  for (const { id, query } of searchQueries(collection, collection, true)) {
    const { hits, stats } = await index.search(query, { k: 100, plan, lambda });
    run.set(id, hits);
    first.push(stats.firstStageMs);
    second.push(stats.secondStageMs);
    both.push(stats.firstStageMs + stats.secondStageMs);
  }
  return {
    name,
    first: percentiles(first).p50,
    second: percentiles(second).p50,
    p99: percentiles(both).p99,
    ...evaluateRun(run, collection),
  };
}

/**
 * The paper's first stage on compressed values: a product quantizer over slot values and embedding. It ignores the
 * indices of the slots.
 */
async function measureQuantized(
  parts: number,
  snapshot: Snapshot,
  collection: Collection,
  lambda: number,
): Promise<Staged> {
  const rows = await snapshot.segments[0].loadRows();
  const root = Math.sqrt(lambda);
  const dims = rows.dims + rows.semanticDims;
  const asVector = (
    row: { slices: ArrayLike<number>; values: ArrayLike<number> },
    semantic: ArrayLike<number>,
  ): SparseVector => ({
    columns: [...Array.from(row.slices), ...Array.from(semantic, (_, i) => rows.dims + i)],
    values: [...Array.from(row.values), ...Array.from(semantic, (x) => root * x)],
  });
  const documents = withVectors(collection).map(({ vector }, doc) => asVector(rowAt(rows, doc), vector!));
  const quantizer = trainPq(sparseVectors(documents, dims), parts);
  const codes = quantizer.encode(sparseVectors(documents, dims));
  const densifier = new QueryDensifier(
    snapshot.weighting,
    new Densifier(snapshot.slicing),
    rows.semanticDims,
  );
  const run: Run = new Map();
  const [first, second, both]: [number[], number[], number[]] = [[], [], []];
  const scores = new Float64Array(rows.docs);
  for (const { id, query } of searchQueries(collection, collection, true)) {
    const { row, vector } = densifier.densify(withoutDemands(query));
    const started = performance.now();
    quantizer.computeScores(codes, asVector(row, vector!), scores);
    const candidates = topK(scores, CANDIDATES).sort();
    const middle = performance.now();
    const exact = gatedInnerProducts(applyLambda(row, vector, lambda), rows, candidates);
    const best = Array.from(topK(exact, 100), (i) => ({ id: snapshot.ids[candidates[i]], score: exact[i] }));
    const end = performance.now();
    run.set(id, best);
    first.push(middle - started);
    second.push(end - middle);
    both.push(end - started);
  }
  return {
    name: `PQ ${parts}, then GIP`,
    first: percentiles(first).p50,
    second: percentiles(second).p50,
    p99: percentiles(both).p99,
    ...evaluateRun(run, collection),
  };
}

/** Queries that are encoded to time the encoder. More give a steadier median. */
const ENCODED = 30;

/** Median milliseconds to encode one query. */
async function measureEncoding(
  collection: Collection,
  encode: (texts: readonly string[]) => Promise<unknown>,
): Promise<number> {
  const times: number[] = [];
  for (const { text } of collection.queries.slice(0, ENCODED)) {
    const started = performance.now();
    await encode([text]);
    times.push(performance.now() - started);
  }
  return percentiles(times).p50;
}
