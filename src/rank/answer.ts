// Queries and a snapshot of an index → ranked documents, and explanations of their scores. Every kind of index uses it, in
// memory, in a folder or in a browser.

import { droppedTerms } from "../densify/counts.ts";
import type { Fields } from "../documents/document.ts";
import { type Document, textOf } from "../documents/document.ts";
import { checkFilter } from "../documents/filter.ts";
import { UsageError } from "../errors.ts";
import { checkQueries, type EncodedQuery, type Query, type QueryTerm } from "../query/query.ts";
import type { AskedQuery, QueryEncoder, QueryTextEncoder } from "../query/query-encoder.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { wrong } from "../support/options.ts";
import { Turns } from "../support/turns.ts";
import type { Scored } from "./best.ts";
import { explainScore, type ScoreParts } from "./explain.ts";
import { leastMeaningfulScore, normOf } from "./made-up.ts";
import type { EngineStats, SearchStats } from "./ranking.ts";
import type { SearchOptions } from "./search-options.ts";
import { type SearchMeans, type SnapshotOptions, searchSnapshot } from "./search-snapshot.ts";

/** A document that a search found. `Hit<Fields<Article>>` is one of your own documents. */
export interface Hit<FieldsType = Fields> {
  readonly id: string;
  /** lexical + semantic. */
  readonly score: number;
  readonly lexical: number;
  /** λ included. */
  readonly semantic: number;
  /** The document as it was given, without id, weights and vector. */
  readonly document: FieldsType;
}

/** What a search returns. */
export interface Answer<FieldsType = Fields> {
  readonly hits: Hit<FieldsType>[];
  /** What happened to each term of the query. */
  readonly terms: readonly QueryTerm[];
  readonly stats: SearchStats;
  /** Says how the answer differs from what was asked: only words were searched, because the query has no vector. */
  readonly notice?: string;
}

/** Why a document has its score. */
export interface Explanation<FieldsType = Fields> extends ScoreParts {
  readonly id: string;
  readonly lambda: number;
  readonly document: FieldsType;
  readonly terms: readonly QueryTerm[];
  /** Missed terms that the document's text does contain: a heavier term of the document has their slot. */
  readonly lost: readonly string[];
  /** Set if only the words of the query count; see `Answer`. Then `lambda` is 0. */
  readonly notice?: string;
}

/** @internal An answer whose documents are not read yet. */
export interface Ranked extends Pick<Answer, "terms" | "stats" | "notice"> {
  readonly docs: readonly Scored[];
}

/** The most queries that are searched together. They share what is read. More: more memory for scores and candidates. */
const AT_ONCE = 256;

/** @internal The rankings of queries that have the same options. */
export function rankAll<Model extends QueryTextEncoder>(
  snapshot: Snapshot,
  asker: QueryEncoder<Model>,
  queries: readonly Query[],
  options: SearchOptions & { readonly lambda: number },
  means: SearchMeans,
  turns = new Turns(options.signal),
): Promise<Ranked[]> {
  checkQueries(queries);
  const { offset = 0, filter, exclude = [] } = options;
  const condition = filter && checkFilter(filter);
  turns.signal?.throwIfAborted();
  const excluded = new Set<number>();
  for (const id of exclude) {
    const doc = snapshot.docOf(id);
    if (doc !== undefined) excluded.add(doc);
  }
  const where = { offset, excluded, turns, ...(condition && { condition }), ...means };
  const ranker = { snapshot, asker, options, means, where, turns };
  return queries.length <= AT_ONCE ? rankSome(ranker, queries) : rankMany(ranker, queries);
}

/** What is the same for all questions of a search. */
interface Ranker<Model extends QueryTextEncoder> {
  readonly snapshot: Snapshot;
  readonly asker: QueryEncoder<Model>;
  readonly options: SearchOptions & { readonly lambda: number };
  readonly means: SearchMeans;
  readonly where: SnapshotOptions;
  readonly turns: Turns;
}

async function rankMany<Model extends QueryTextEncoder>(
  ranker: Ranker<Model>,
  queries: readonly Query[],
): Promise<Ranked[]> {
  const ranked: Ranked[] = [];
  for (let from = 0; from < queries.length; from += AT_ONCE) {
    ranked.push(...(await rankSome(ranker, queries.slice(from, from + AT_ONCE))));
  }
  return ranked;
}

async function rankSome<Model extends QueryTextEncoder>(
  ranker: Ranker<Model>,
  queries: readonly Query[],
): Promise<Ranked[]> {
  if (queries.length === 0) return [];
  const { snapshot, asker, options, where, turns } = ranker;
  const { k = 10, plan = { kind: "auto" }, lambda } = options;
  const asked = await asker.encodedAll(snapshot, queries, lambda, turns);
  turns.signal?.throwIfAborted();
  const requests = asked.map(({ row, vector, notice }) => {
    return { row, ...(vector && { vector }), lambda: notice ? 0 : lambda, k, plan };
  });
  const rankings = await searchSnapshot(snapshot, requests, where);
  const dropped = droppedTerms(snapshot.counts);
  const ranked: Ranked[] = [];
  for (let i = 0; i < rankings.length; i++) {
    const { docs, stats: engineStats } = rankings[i];
    const stats: SearchStats = withDroppedTerms(engineStats, dropped);
    const { terms, isEmpty, notice } = asked[i];
    if (isEmpty) {
      ranked.push({ docs: [], terms, stats: { ...stats, answeredBy: "nothing" } });
    } else if (isByMeaning(asked[i])) {
      const cut = Math.max(options.minScore ?? 0, await leastScore(ranker, asked[i]));
      ranked.push({ docs: reaching(docs, cut), terms, stats: { ...stats, answeredBy: "meaning" } });
    } else {
      const hits = reaching(docs, options.minScore);
      ranked.push({ docs: hits, terms, stats, ...(notice && { notice }) });
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
async function leastScore<Model extends QueryTextEncoder>(
  { snapshot, asker, options, means, turns }: Ranker<Model>,
  { terms, vector }: AskedQuery,
): Promise<number> {
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

function findLostTerms({ weighting }: Snapshot, { missed }: ScoreParts, document: Fields): string[] {
  if (weighting.kind !== "bm25") return [];
  const held = new Set(weighting.analyzer.terms(textOf(document as Document, "the document")));
  return missed.map(({ term }) => term).filter((term) => held.has(term));
}

/** @internal The doc of the document with an id. Throws if there is none. */
export function docOf(snapshot: Snapshot, id: string): number {
  if (typeof id !== "string") throw wrong("an id", "a text", id);
  const doc = snapshot.docOf(id);
  if (doc === undefined) throw noDocument(id);
  return doc;
}

/** @internal */
export function noDocument(id: string): UsageError {
  return new UsageError(`no document has the id ${JSON.stringify(id)}`, undefined, "ERR_SLUICE_NO_DOCUMENT");
}
