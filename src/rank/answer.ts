// Queries and a snapshot of an index → ranked documents, and explanations of their scores. Every kind of index uses it, in
// memory, in a folder or in a browser. It also has the options of a search, and checks them.

import { droppedTerms } from "../densify/counts.ts";
import type { Fields } from "../documents/document.ts";
import { type Document, textOf } from "../documents/document.ts";
import { checkFilter, type Filter } from "../documents/filter.ts";
import { UsageError } from "../errors.ts";
import type { AskedQuery, Asker, QuestionModel } from "../query/asker.ts";
import { checkPlan, type Plan } from "../query/plan.ts";
import { checkQueries, type EncodedQuery, type Query, type QueryTerm } from "../query/query.ts";
import { checkLambda } from "../store/lambda.ts";
import type { Snapshot } from "../store/snapshot.ts";
import {
  checkFunction,
  checkIterable,
  checkNumber,
  checkOptions,
  checkSignal,
  isObject,
  type KnownOptions,
  MOST_DOCS,
  shown,
  wrong,
} from "../support/options.ts";
import { Turns } from "../support/turns.ts";
import type { Scored } from "./best.ts";
import { explainScore, type ScoreParts } from "./explain.ts";
import { type GpuOptions, KERNELS, type KernelName } from "./kernel-options.ts";
import { leastMeaningfulScore, normOf } from "./made-up.ts";
import type { EngineStats, SearchStats } from "./request.ts";
import type { RerankPart } from "./rerank-parts.ts";
import { type SnapshotOptions, searchSnapshotForAll } from "./search-snapshot.ts";

export interface KernelOptions {
  /**
   * What scores documents. `wasm`, the default, is the CPU. `webgpu` is a GPU; the first search uploads the rows. `auto` takes
   * a GPU if there is one that fits this index. The `kernel` property of an index says which it is, and why.
   */
  kernel?: KernelName;
  /** How to use the GPU. */
  gpu?: GpuOptions;
}

export interface SearchOptions {
  /** The most hits to return; 10 when left out. */
  k?: number;
  /** How many of the best hits to skip, for the next page. Pages fit together as long as the index does not change. */
  offset?: number;
  /** How to search; `auto` when left out. */
  plan?: Plan;
  /** Weight of the semantic part, instead of the index's own. */
  lambda?: number;
  /** A condition on the fields of documents: { year: { lt: 1933 } }. */
  filter?: Filter;
  /** Ids that must not be among the hits; others take their places. */
  exclude?: Iterable<string>;
  /** Leaves out documents that score less. Scores have no maximum. `offset` and `k` count among the documents that remain. */
  minScore?: number;
  /** Aborting it stops the search within about 10 ms. The search then rejects with the signal's reason. */
  signal?: AbortSignal;
}

const SEARCH_OPTIONS: KnownOptions<SearchOptions> = {
  k: true,
  offset: true,
  plan: true,
  lambda: true,
  filter: true,
  exclude: true,
  minScore: true,
  signal: true,
};

/** Throws if an option of a search is unknown or wrong. `what` names the function in the error. */
export function checkSearchOptions(options: SearchOptions, what = "search"): void {
  checkOptions(options, SEARCH_OPTIONS, what);
  const { k, offset, plan, lambda, filter, exclude, minScore, signal } = options;
  checkNumber("k", k, { least: 1, most: MOST_DOCS, isWhole: true });
  checkNumber("offset", offset, { least: 0, most: MOST_DOCS, isWhole: true });
  checkNumber("minScore", minScore, { least: -Number.MAX_VALUE });
  if (plan !== undefined) checkPlan(plan);
  checkWeight(lambda);
  if (filter !== undefined && !isObject(filter)) throw wrong("filter", "an object of fields", filter);
  checkIterable("exclude", "ids", exclude);
  checkSignal(signal);
}

/** Throws if an option of `explain` is unknown or wrong. */
export function checkExplainOptions(options: { lambda?: number }): void {
  checkOptions(options, { lambda: true }, "explain");
  checkWeight(options.lambda);
}

/** Throws if λ is not a weight. `undefined` passes. */
export function checkWeight(lambda: unknown): void {
  if (lambda === undefined) return;
  if (typeof lambda !== "number") throw wrong("lambda", "a number", lambda);
  checkLambda(lambda);
}

/** The names of the kernel options. */
export const KERNEL_OPTIONS: KnownOptions<KernelOptions> = { kernel: true, gpu: true };
const GPU_OPTIONS: KnownOptions<GpuOptions> = { memoryBytes: true, powerPreference: true, onUpload: true };

export function checkKernelOptions({ kernel, gpu }: KernelOptions): void {
  if (kernel !== undefined && !KERNELS.includes(kernel))
    throw new UsageError(`there is no kernel ${shown(kernel)}`, `one of ${KERNELS.join(", ")}`);
  if (gpu === undefined) return;
  checkOptions(gpu, GPU_OPTIONS, "gpu");
  checkNumber("gpu.memoryBytes", gpu.memoryBytes, { least: 0 });
  checkFunction("gpu.onUpload", gpu.onUpload);
}

export interface Hit {
  readonly id: string;
  /** lexical + semantic. */
  readonly score: number;
  readonly lexical: number;
  /** λ included. */
  readonly semantic: number;
  /** The document as it was given, without id, weights and vector. */
  readonly document: Fields;
  /** If the search was reranked: why the hit is at its place. `score` is still that of the first stage. */
  readonly rerank?: RerankPart;
}

export interface Answer {
  readonly hits: Hit[];
  /** What happened to each term of the query. */
  readonly terms: readonly QueryTerm[];
  readonly stats: SearchStats;
}

export interface Explanation extends ScoreParts {
  readonly id: string;
  readonly lambda: number;
  readonly document: Fields;
  readonly terms: readonly QueryTerm[];
  /** Missed terms that the document's text does contain: a heavier term of the document has their slot. */
  readonly lost: readonly string[];
}

/** @internal An answer whose documents are not read yet. */
export interface Ranked extends Pick<Answer, "terms" | "stats"> {
  readonly docs: readonly Scored[];
}

/** @internal What an index searches with: threads, a GPU, and memory for rows. */
export type Means = Pick<SnapshotOptions, "pool" | "device" | "rowBytes">;

/** The most queries that are searched together. They share what is read. More: more memory for scores and candidates. */
const AT_ONCE = 256;

/** @internal The rankings of queries that have the same options. */
export function rankAll<Model extends QuestionModel>(
  snapshot: Snapshot,
  asker: Asker<Model>,
  queries: readonly Query[],
  options: SearchOptions & { readonly lambda: number },
  means: Means,
  turns = new Turns(options.signal),
): Promise<Ranked[]> {
  checkQueries(queries);
  const { offset = 0, filter, exclude = [] } = options;
  const condition = filter && checkFilter(filter);
  turns.signal?.throwIfAborted();
  const excluded = new Set<number>();
  for (const id of exclude) {
    const number = snapshot.numberOf(id);
    if (number !== undefined) excluded.add(number);
  }
  const where = { offset, excluded, turns, ...(condition && { condition }), ...means };
  const ranker = { snapshot, asker, options, where, turns };
  return queries.length <= AT_ONCE ? rankSome(ranker, queries) : rankMany(ranker, queries);
}

/** What is the same for all questions of a search. */
interface Ranker<Model extends QuestionModel> {
  readonly snapshot: Snapshot;
  readonly asker: Asker<Model>;
  readonly options: SearchOptions & { readonly lambda: number };
  readonly where: SnapshotOptions;
  readonly turns: Turns;
}

async function rankMany<Model extends QuestionModel>(
  ranker: Ranker<Model>,
  queries: readonly Query[],
): Promise<Ranked[]> {
  const ranked: Ranked[] = [];
  for (let from = 0; from < queries.length; from += AT_ONCE) {
    ranked.push(...(await rankSome(ranker, queries.slice(from, from + AT_ONCE))));
  }
  return ranked;
}

async function rankSome<Model extends QuestionModel>(
  ranker: Ranker<Model>,
  queries: readonly Query[],
): Promise<Ranked[]> {
  if (queries.length === 0) return [];
  const { snapshot, asker, options, where, turns } = ranker;
  const { k = 10, plan = { kind: "auto" }, lambda } = options;
  const asked = await asker.encodedAll(snapshot, queries, lambda, turns);
  turns.signal?.throwIfAborted();
  const requests = asked.map(({ row, vector }) => ({ row, ...(vector && { vector }), lambda, k, plan }));
  const rankings = await searchSnapshotForAll(snapshot, requests, where);
  const dropped = droppedTerms(snapshot.counts);
  const ranked: Ranked[] = [];
  for (let i = 0; i < rankings.length; i++) {
    const { docs, stats: engineStats } = rankings[i];
    const stats: SearchStats = withDroppedTerms(engineStats, dropped);
    const { terms, isEmpty } = asked[i];
    if (isEmpty) {
      ranked.push({ docs: [], terms, stats: { ...stats, answeredBy: "nothing" } });
    } else if (isByMeaning(asked[i])) {
      const cut = Math.max(options.minScore ?? 0, await leastScore(ranker, asked[i]));
      ranked.push({ docs: reaching(docs, cut), terms, stats: { ...stats, answeredBy: "meaning" } });
    } else {
      ranked.push({ docs: reaching(docs, options.minScore), terms, stats });
    }
  }
  return ranked;
}

/** Adds to the object itself: a copy of all its fields would take longer than a short search does. */
function withDroppedTerms(stats: EngineStats, droppedTerms: number): SearchStats {
  return Object.assign(stats, { droppedTerms });
}

/** Whether the index knows no word of a question, so that its vector must say something. */
function isByMeaning({ isByModel, terms }: AskedQuery): boolean {
  return isByModel && terms.every(({ fate }) => fate === "unknown");
}

/** What a document must score to be a hit of such a question. */
async function leastScore<Model extends QuestionModel>(
  { snapshot, asker, options, where, turns }: Ranker<Model>,
  { terms, vector }: AskedQuery,
): Promise<number> {
  const { pool, device, rowBytes } = where;
  const means = {
    ...(pool && { pool }),
    ...(device && { device }),
    ...(rowBytes !== undefined && { rowBytes }),
  };
  const least = await turns.until(leastMeaningfulScore(snapshot, asker, terms, means));
  return options.lambda * normOf(vector!) * least;
}

function reaching(docs: readonly Scored[], least: number | undefined): readonly Scored[] {
  return least === undefined ? docs : docs.filter(({ score }) => score >= least);
}

/** @internal Explains the score of a document. `doc` is its number in the snapshot, `document` the document as it was given. */
export async function explained(
  snapshot: Snapshot,
  { row, vector, terms }: EncodedQuery,
  doc: number,
  lambda: number,
  document: Fields,
): Promise<Explanation> {
  const { source, first } = snapshot.segmentOf(doc);
  const stored = { ...source.rowSync(doc - first), semantic: await source.vector(doc - first) };
  const parts = explainScore(snapshot.slicing, stored, row, vector, lambda);
  const lost = findLostTerms(snapshot, parts, document);
  return { id: snapshot.idAt(doc), lambda, document, terms, lost, ...parts };
}

function findLostTerms({ lexical }: Snapshot, { missed }: ScoreParts, document: Fields): string[] {
  if (lexical.kind !== "bm25") return [];
  const held = new Set(lexical.analyzer.terms(textOf(document as Document, "the document")));
  return missed.map(({ term }) => term).filter((term) => held.has(term));
}

/** @internal The number of the document with an id. Throws if there is none. */
export function numberOf(snapshot: Snapshot, id: string): number {
  if (typeof id !== "string") throw wrong("an id", "a text", id);
  const doc = snapshot.numberOf(id);
  if (doc === undefined) throw noDocument(id);
  return doc;
}

/** @internal */
export function noDocument(id: string): UsageError {
  return new UsageError(`no document has the id ${JSON.stringify(id)}`, undefined, "ERR_SLUICE_NO_DOCUMENT");
}
