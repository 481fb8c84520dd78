// What an experiment is: collections in, tables and plots out. And what all of them need: indexes built once, runs that
// are timed, figures beside a baseline.

import type { Analyzer } from "../../analyze/analyzer.ts";
import type { Document } from "../../documents/document.ts";
import { UsageError } from "../../errors.ts";
import type { Query } from "../../query/query.ts";
import type { SearchOptions } from "../../rank/answer.ts";
import type { Embeddings } from "../../read/embeddings.ts";
import type { TextQuery } from "../../read/queries.ts";
import { Sluice } from "../../sluice.ts";
import type { BuildOptions } from "../../store/index-options.ts";
import { type Evaluation, evaluate } from "../eval/evaluate.ts";
import type { Qrels, Run } from "../eval/judgements.ts";
import { percentiles } from "../eval/percentiles.ts";
import { compare, comparisonCell } from "../eval/table.ts";
import { tuneLambda } from "../eval/tune.ts";
import type { ReportPlot, ReportTable } from "../report/report.ts";

export interface JudgedQueries {
  readonly queries: readonly TextQuery[];
  readonly qrels: Qrels;
}

export interface Collection extends JudgedQueries {
  readonly name: string;
  readonly documents: readonly Document[];
  /** Queries to choose λ on, never the ones that are measured. */
  readonly training?: JudgedQueries;
  /** Leave out the document whose id is the query's: ArguAna, Quora (SPEC 5.4). */
  readonly excludeSelf?: boolean;
  /** Embeddings of the documents and of all queries, by id. */
  readonly vectors?: { readonly documents: Embeddings; readonly queries: Embeddings };
}

export interface ExperimentOptions {
  /** Weight of the semantic part; without it λ is tuned on the training queries of each collection. */
  lambda?: number;
  /** A second way to cut words, beside English: word pieces. */
  wordPieces?: Analyzer;
  /** How texts are encoded, to time it. */
  encode?: (texts: readonly string[]) => Promise<unknown>;
  /** For `beir`: other models, by their runs of each collection. */
  runs?: readonly { readonly model: string; readonly runs: ReadonlyMap<string, Run> }[];
  /** For `showcase`. */
  query?: string;
  document?: string;
  log?: (text: string) => void;
}

export interface Experiment {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly needsVectors: boolean;
  run(collections: readonly Collection[], options: ExperimentOptions): Promise<Findings>;
}

export interface Findings {
  readonly tables: ReportTable[];
  readonly plots?: ReportPlot[];
  readonly notes?: string[];
}

export const METRICS = ["ndcg@10", "recall@100"] as const;

/** A run over the test queries of a collection, and what it took. */
export interface Measured {
  readonly name: string;
  readonly evaluation: Evaluation;
  /** Bytes of the rows, per document. */
  readonly bytes: number;
  readonly tokens: number;
  readonly p50: number;
  readonly p99: number;
  /** Dimensions of a query that the first stage looked at, on average. */
  readonly usedDims: number;
}

/** Documents with their vectors, for an index with a semantic part. */
export function withVectors({ name, documents, vectors }: Collection): Document[] {
  return documents.map((document) => {
    const vector = vectors?.documents.get(document.id);
    if (!vector) throw new UsageError(`${name}: no vector for the document ${JSON.stringify(document.id)}`);
    return { ...document, vector };
  });
}

/** Documents that are nothing but their vectors. */
export function onlyVectors(collection: Collection): Document[] {
  return withVectors(collection).map(({ id, vector }) => ({ id, vector }));
}

export function askedOf(
  { name, vectors }: Collection,
  { queries }: JudgedQueries,
  hybrid: boolean,
): { id: string; query: Query }[] {
  return queries.map(({ id, text }) => {
    if (!hybrid) return { id, query: text };
    const vector = vectors?.queries.get(id);
    if (!vector) throw new UsageError(`${name}: no vector for the query ${JSON.stringify(id)}`);
    return { id, query: { text, vector } };
  });
}

/** What a search must leave out for this query. */
export function excluding({ excludeSelf }: Collection, query: string): { exclude?: string[] } {
  return excludeSelf ? { exclude: [query] } : {};
}

export async function measure(
  name: string,
  index: Sluice,
  collection: Collection,
  { metrics, ...options }: SearchOptions & { metrics?: readonly string[] } = {},
): Promise<Measured & { run: Run }> {
  const hybrid = index.info().semanticDims > 0 && options.lambda !== 0;
  const run: Run = new Map();
  const times: number[] = [];
  let usedDims = 0;
  for (const { id, query } of askedOf(collection, collection, hybrid)) {
    const started = performance.now();
    const { hits, stats } = await index.search(query, { k: 100, ...excluding(collection, id), ...options });
    times.push(performance.now() - started);
    usedDims += stats.usedDims;
    run.set(
      id,
      hits.map(({ id, score }) => ({ id, score })),
    );
  }
  const { counts, rowBytes } = index.info();
  return {
    name,
    run,
    ...judged(run, collection, metrics),
    bytes: rowBytes / Math.max(1, counts.docs),
    tokens: counts.kept / Math.max(1, counts.docs),
    usedDims: usedDims / Math.max(1, run.size),
    ...percentiles(times),
  };
}

export function judged(
  run: Run,
  { qrels }: Collection,
  metrics: readonly string[] = METRICS,
): { evaluation: Evaluation } {
  return { evaluation: evaluate(run, qrels, metrics, { rule: "stable" }) };
}

/** λ as given, or as tuned on the training queries; the reason when neither can be. */
export async function lambdaFor(
  index: Sluice,
  collection: Collection,
  options: ExperimentOptions,
): Promise<number> {
  if (options.lambda !== undefined) return options.lambda;
  const { training, name } = collection;
  if (!training) {
    throw new UsageError(`${name}: no training queries to choose λ on`, "give --lambda");
  }
  const { lambda, value } = await tuneLambda(index, askedOf(collection, training, true), training.qrels, {
    excludeSelf: collection.excludeSelf ?? false,
  });
  options.log?.(
    `${name}: λ = ${lambda} (nDCG@10 ${value.toFixed(4)} on ${training.queries.length} training queries)`,
  );
  return lambda;
}

/** One index with both parts. */
export function buildHybrid(collection: Collection, options: BuildOptions): Promise<Sluice> {
  return Sluice.build(withVectors(collection), options);
}

/** Metrics in cells, with the difference to a baseline in percent; a dagger where it is significant. */
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

export function costCells({ bytes, p50, p99 }: Measured): string[] {
  return [bytes.toFixed(0), p50.toFixed(2), p99.toFixed(2)];
}

export const SIGNIFICANCE = "† p < 0.05 against the first row, paired t-test, two-sided.";

/** A table of runs, the first of which is the baseline. */
export function runsTable(
  caption: string,
  runs: readonly Measured[],
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
