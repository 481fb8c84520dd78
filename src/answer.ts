// Questions and a snapshot of an index → ranked documents, and why they rank as they do: what every kind of index does
// alike, wherever its documents are.

import type { Asker, QuestionModel } from "./ask.ts";
import { type Document, textOf } from "./document.ts";
import { UsageError } from "./errors.ts";
import { checkFilter, type Filter } from "./filter.ts";
import type { EncodedQuery, Query, QueryTerm } from "./query.ts";
import type { Scored } from "./search/best.ts";
import { explainScore, type ScoreParts } from "./search/explain.ts";
import type { GpuOptions, KernelName } from "./search/kernels.ts";
import type { Plan } from "./search/plan.ts";
import type { SearchStats } from "./search/request.ts";
import { type SnapshotOptions, searchSnapshotForAll } from "./search/snapshot.ts";
import type { Fields } from "./store/documents.ts";
import { checkLambda } from "./store/lambda.ts";
import type { Snapshot } from "./store/snapshot.ts";
import { Turns } from "./turns.ts";

export interface KernelOptions {
  /**
   * What scores documents: `wasm`, the default; `webgpu`, the rows on a GPU, from the first search on; `auto`, the GPU where
   * there is one that takes this index. `kernel` of an index says which it is, and why.
   */
  kernel?: KernelName;
  /** How to use the GPU. */
  gpu?: GpuOptions;
}

export interface SearchOptions {
  /** How many hits; 10 when left out. */
  k?: number;
  /** How many of the best hits to leave out: the next page. Pages fit together until the index moves on. */
  offset?: number;
  /** How to search; `auto` when left out. */
  plan?: Plan;
  /** Weight of the semantic part, instead of the index's own. */
  lambda?: number;
  /** What a document's fields must fulfil: { year: { lt: 1933 } }. */
  filter?: Filter;
  /** Ids that must not be among the hits; others take their places. */
  exclude?: Iterable<string>;
  /** Stops the search at the next step when it is aborted; it then rejects with the signal's reason. */
  signal?: AbortSignal;
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
}

export interface Answer {
  readonly hits: Hit[];
  /** What became of each term of the query. */
  readonly terms: readonly QueryTerm[];
  readonly stats: SearchStats;
}

export interface Explanation extends ScoreParts {
  readonly id: string;
  readonly lambda: number;
  readonly document: Fields;
  readonly terms: readonly QueryTerm[];
  /** Missed terms that the document's text does hold: the slice went to a heavier term of the document. */
  readonly lost: readonly string[];
}

/** An answer before anyone has looked at documents. */
export interface Ranked extends Pick<Answer, "terms" | "stats"> {
  readonly docs: readonly Scored[];
}

/** Where and how an index searches, beyond what is asked. */
export type Means = Pick<SnapshotOptions, "pool" | "device" | "rowBytes">;

/** The rankings for questions with the same options. `lambda` is the weight where the options name none. */
export async function rankAll<Model extends QuestionModel>(
  snapshot: Snapshot,
  asker: Asker<Model>,
  queries: readonly Query[],
  options: SearchOptions & { readonly lambda: number },
  means: Means,
): Promise<Ranked[]> {
  const { k = 10, offset = 0, plan = { kind: "auto" }, lambda, filter, signal } = options;
  if (!Number.isInteger(k) || k < 1) throw new UsageError(`k must be a whole number of at least 1, not ${k}`);
  if (!Number.isInteger(offset) || offset < 0)
    throw new UsageError(`offset must be a whole number of at least 0, not ${offset}`);
  checkLambda(lambda);
  if (typeof options.exclude === "string") throw new UsageError("exclude is a list of ids, not one text");
  if (queries.length === 0) return [];
  const condition = filter && checkFilter(filter);
  signal?.throwIfAborted();
  const encoded = await encodedAll(snapshot, asker, queries, lambda);
  signal?.throwIfAborted();
  const excluded = new Set<number>();
  for (const id of options.exclude ?? []) {
    const number = snapshot.numberOf(id);
    if (number !== undefined) excluded.add(number);
  }
  const requests = encoded.map(({ row, vector }) => ({ row, ...(vector && { vector }), lambda, k, plan }));
  const rankings = await searchSnapshotForAll(snapshot, requests, {
    offset,
    excluded,
    ...(condition && { condition }),
    turns: new Turns(signal),
    ...means,
  });
  return rankings.map(({ docs, stats }, i) => ({ docs, terms: encoded[i].terms, stats }));
}

/** Texts that a model must encode are encoded together. */
async function encodedAll<Model extends QuestionModel>(
  snapshot: Snapshot,
  asker: Asker<Model>,
  queries: readonly Query[],
  lambda: number,
): Promise<EncodedQuery[]> {
  const asked =
    queries.length > 1 && queries.every((query) => typeof query === "string")
      ? await asker.encodeQueries(snapshot, queries, {})
      : queries;
  return Promise.all(asked.map((query) => asker.encoded(snapshot, query, lambda)));
}

/** Why a document scores what it scores; `number` is its own in the snapshot, `document` what it was given as. */
export async function explained(
  snapshot: Snapshot,
  { row, vector, terms }: EncodedQuery,
  number: number,
  lambda: number,
  document: Fields,
): Promise<Explanation> {
  const { source, first } = snapshot.segmentOf(number);
  const stored = { ...source.rowSync(number - first), semantic: await source.vector(number - first) };
  const parts = explainScore(snapshot.slicing, stored, row, vector, lambda);
  const lost = lostIn(snapshot, parts, document);
  return { id: snapshot.idAt(number), lambda, document, terms, lost, ...parts };
}

function lostIn({ lexical }: Snapshot, { missed }: ScoreParts, document: Fields): string[] {
  if (lexical.kind !== "bm25") return [];
  const held = new Set(lexical.analyzer.terms(textOf(document as Document, "the document")));
  return missed.map(({ term }) => term).filter((term) => held.has(term));
}

/** The number of the document with an id, which must be there. */
export function numberOf(snapshot: Snapshot, id: string): number {
  const number = snapshot.numberOf(id);
  if (number === undefined) throw noDocument(id);
  return number;
}

export function noDocument(id: string): UsageError {
  return new UsageError(`no document has the id ${JSON.stringify(id)}`, undefined, "ERR_SLUICE_NO_DOCUMENT");
}
