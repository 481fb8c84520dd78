// Defines an experiment: collections come in, tables and plots go out. Also holds what all experiments share: building
// indexes, timing runs, and writing figures beside a baseline.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { Document } from "../../documents/document.ts";
import type { BuildOptions } from "../../open/open-options.ts";
import type { Query } from "../../query/ask/query.ts";
import type { TextQuery } from "../../read/queries.ts";
import type { VectorsById } from "../../read/weights/vector-files.ts";
import type { ReportPlot, ReportTable } from "../../report/report.ts";
import type { SearchOptions } from "../../search/options/search-options.ts";
import { Sluice } from "../../sluice.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { type Evaluation, evaluate } from "../eval/evaluate.ts";
import type { Qrels, Run } from "../eval/judgments.ts";
import { percentiles } from "../eval/percentiles.ts";
import { compare, comparisonCell } from "../eval/table.ts";
import { tuneLambda } from "../eval/tune.ts";

export interface JudgedQueries {
  readonly queries: readonly TextQuery[];
  readonly qrels: Qrels;
}

export interface Collection extends JudgedQueries {
  readonly name: string;
  readonly documents: readonly Document[];
  /** Queries to tune λ on. They are never the queries that are measured. */
  readonly training?: JudgedQueries;
  /** Leave out the document that has the query's own id (ArguAna, Quora). */
  readonly excludeSelf?: boolean;
  /** Vectors of the documents and of all queries, by id. */
  readonly vectors?: { readonly documents: VectorsById; readonly queries: VectorsById };
}

export interface ExperimentOptions {
  /** Weight of the semantic part. Default: tuned on the training queries of each collection. */
  readonly lambda?: number | undefined;
  /** A second analyzer to measure beside English: word pieces. */
  readonly wordPieces?: Analyzer | undefined;
  /** Encodes texts; `latency` times it. */
  readonly encode?: ((texts: readonly string[]) => Promise<unknown>) | undefined;
  /** For `beir`: other systems, with a run for each collection. */
  readonly runs?: readonly { readonly model: string; readonly runs: ReadonlyMap<string, Run> }[] | undefined;
  /** For `showcase`: the query and the document to show. */
  readonly query?: string | undefined;
  readonly document?: string | undefined;
  readonly log?: ((text: string) => void) | undefined;
}

export interface Experiment {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly needsVectors: boolean;
  run(collections: readonly Collection[], options: ExperimentOptions): Promise<Findings>;
}

export interface Findings {
  readonly tables: readonly ReportTable[];
  readonly plots?: readonly ReportPlot[];
  readonly notes?: readonly string[];
}

export const METRICS = ["ndcg@10", "recall@100"] as const;

/** The quality and the costs of one run over the test queries of a collection. */
export interface MeasuredRun {
  readonly name: string;
  readonly evaluation: Evaluation;
  /** Bytes of the rows per document. */
  readonly bytes: number;
  /** Terms per document that kept a slot. */
  readonly tokens: number;
  /** Milliseconds per query. */
  readonly p50: number;
  readonly p99: number;
  /** Mean number of query dimensions that the first stage used. */
  readonly usedDims: number;
}

/** Adds its vector to every document, for an index with a semantic part. */
export function withVectors({ name, documents, vectors }: Collection): Document[] {
  return documents.map((document) => {
    const vector = vectors?.documents.get(document.id);
    if (!vector) throw new SluiceError(`${name}: no vector for the document ${JSON.stringify(document.id)}`);
    return { ...document, vector };
  });
}

/** Keeps only the id and the vector of every document. */
export function onlyVectors(collection: Collection): Document[] {
  return withVectors(collection).map(({ id, vector }) => ({ id, vector }));
}

/** Turns judged queries into queries for a search: texts, or texts with vectors if `hybrid`. */
export function searchQueries(
  { name, vectors }: Collection,
  { queries }: JudgedQueries,
  isHybrid: boolean,
): { id: string; query: Query }[] {
  return queries.map(({ id, text }) => {
    if (!isHybrid) return { id, query: text };
    const vector = vectors?.queries.get(id);
    if (!vector) throw new SluiceError(`${name}: no vector for the query ${JSON.stringify(id)}`);
    return { id, query: { text, vector } };
  });
}

/** Search options that leave out the query's own document, if the collection asks for it. */
export function excludeOptions({ excludeSelf }: Collection, query: string): { exclude?: string[] } {
  return excludeSelf ? { exclude: [query] } : {};
}

/** Searches all test queries of a collection, one at a time, and evaluates the run. */
export async function measure(
  name: string,
  index: Sluice,
  collection: Collection,
  { metrics, ...options }: SearchOptions & { metrics?: readonly string[] } = {},
): Promise<MeasuredRun & { run: Run }> {
  const isHybrid = index.info().semanticDims > 0 && options.lambda !== 0;
  const run: Run = new Map();
  const times: number[] = [];
  let usedDims = 0;
  for (const { id, query } of searchQueries(collection, collection, isHybrid)) {
    const started = performance.now();
    const { hits, stats } = await index.search(query, {
      k: 100,
      ...excludeOptions(collection, id),
      ...options,
    });
    times.push(performance.now() - started);
    usedDims += stats.usedDims;
    run.set(
      id,
      hits.map(({ id, score }) => ({ id, score })),
    );
  }
  const { densifyCounts: counts, rowBytes } = index.info();
  return {
    name,
    run,
    ...evaluateRun(run, collection, metrics),
    bytes: rowBytes / Math.max(1, counts.docs),
    tokens: counts.kept / Math.max(1, counts.docs),
    usedDims: usedDims / Math.max(1, run.size),
    ...percentiles(times),
  };
}

/** Evaluates a run of a collection. */
export function evaluateRun(
  run: Run,
  { qrels }: Collection,
  metrics: readonly string[] = METRICS,
): { evaluation: Evaluation } {
  return { evaluation: evaluate(run, qrels, metrics, { rule: "stable" }) };
}

/** Returns the given λ, or tunes it on the training queries. */
export async function chooseLambda(
  index: Sluice,
  collection: Collection,
  options: ExperimentOptions,
): Promise<number> {
  if (options.lambda !== undefined) return options.lambda;
  const { training, name } = collection;
  if (!training) {
    throw new SluiceError(`${name}: no training queries to tune λ on`, "give the option lambda");
  }
  const { lambda, value } = await tuneLambda(
    index,
    searchQueries(collection, training, true),
    training.qrels,
    {
      excludeSelf: collection.excludeSelf ?? false,
    },
  );
  options.log?.(
    `${name}: λ = ${lambda} (nDCG@10 ${value.toFixed(4)} on ${training.queries.length} training queries)`,
  );
  return lambda;
}

/** Builds one index with a lexical and a semantic part. */
export function buildHybrid(collection: Collection, options: BuildOptions): Promise<Sluice> {
  return Sluice.build(withVectors(collection), { encoder: "none", ...options });
}

/** Formats the metrics of a run as cells: the mean, the difference to a baseline in percent, a dagger if significant. */
export function metricCells(
  measured: { evaluation: Evaluation },
  baseline?: { evaluation: Evaluation },
): string[] {
  const { evaluation } = measured;
  if (!baseline || baseline === measured)
    return [...evaluation.means.values()].map((mean) => mean.toFixed(4));
  return compare(baseline.evaluation, evaluation).map(comparisonCell);
}

export const COSTS = ["bytes/doc", "ms p50", "ms p99"];

export function costCells({ bytes, p50, p99 }: MeasuredRun): string[] {
  return [bytes.toFixed(0), p50.toFixed(2), p99.toFixed(2)];
}

export const SIGNIFICANCE = "† p < 0.05 against the first row, paired t-test, two-sided.";

/** Makes a table of runs. The first run is the baseline. */
export function runsTable(
  caption: string,
  runs: readonly MeasuredRun[],
  metrics: readonly string[] = ["nDCG@10", "R@100"],
): ReportTable {
  return {
    caption,
    header: ["", "tokens/doc", ...metrics, ...COSTS],
    rows: runs.map((run) => [
      run.name,
      run.tokens.toFixed(2),
      ...metricCells(run, runs[0]),
      ...costCells(run),
    ]),
  };
}
