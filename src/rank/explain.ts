// A query and a document → why the document scores what it scores; or a query alone → what becomes of its terms. GIP is a sum
// over the cells that both have, so the contributions of terms are not an estimate: they add up to the score. An index in
// Node and one in a page share it.

import type { Row } from "../densify/rows.ts";
import type { Slicing } from "../densify/slicing.ts";
import { type Document, type Fields, textOf } from "../documents/document.ts";
import { explainQuery, type QueryExplanation } from "../query/explain-query.ts";
import type { Plan } from "../query/plan.ts";
import { checkQuery, type EncodedQuery, type Query, type QueryTerm } from "../query/query.ts";
import type { QueryEncoder, QueryTextEncoder } from "../query/query-encoder.ts";
import { weigh } from "../query/select.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { checkOptions, checkSignal, type KnownOptions } from "../support/options.ts";
import { Turns } from "../support/turns.ts";
import { docOf } from "./answer.ts";
import { dotFloat16 } from "./dot.ts";
import { checkWeight } from "./search-options.ts";

export interface MatchedTerm {
  readonly term: string;
  /** The cell that query and document both have. */
  readonly slice: number;
  readonly index: number;
  readonly queryWeight: number;
  readonly documentWeight: number;
  /** queryWeight × documentWeight. */
  readonly contribution: number;
}

/** A term of the query that the document's row does not have. */
export interface MissedTerm {
  readonly term: string;
  readonly queryWeight: number;
  /** The term that the document has in that slice instead, if any. */
  readonly slotHolds?: string;
}

interface ScoreParts {
  readonly score: number;
  readonly lexical: number;
  readonly semantic: number;
  /** Heaviest contribution first. */
  readonly matched: MatchedTerm[];
  readonly missed: MissedTerm[];
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

export interface ExplainOptions {
  /** Weight of the semantic part, instead of the index's own. */
  lambda?: number;
  /** Stops the call while the query is encoded. It then rejects with the signal's reason. */
  signal?: AbortSignal;
}

interface ExplainQueryOptions extends ExplainOptions {
  /** The plan whose first stage is explained; `auto` when left out. */
  plan?: Plan;
}

/** The names of the options of `explain`. */
export const EXPLAIN_OPTIONS: KnownOptions<ExplainOptions> = { lambda: true, signal: true };
/** The names of the options of `explainQuery`. */
export const EXPLAIN_QUERY_OPTIONS: KnownOptions<ExplainQueryOptions> = { ...EXPLAIN_OPTIONS, plan: true };

/** @internal Explains the score of a document. `documentOf` reads a document by its number. */
export async function explainDocument<EncoderType extends QueryTextEncoder>(
  snapshot: Snapshot,
  queryEncoder: QueryEncoder<EncoderType>,
  query: Query,
  id: string,
  options: ExplainOptions,
  documentOf: (doc: number) => Fields | Promise<Fields>,
): Promise<Explanation> {
  checkOptions(options, EXPLAIN_OPTIONS, "explain");
  const { lambda, turns } = prepare(snapshot, query, options);
  const doc = docOf(snapshot, id);
  const encoded = await queryEncoder.encoded(snapshot, query, lambda, turns);
  const { notice } = encoded;
  const explanation = await explained(snapshot, encoded, doc, notice ? 0 : lambda, await documentOf(doc));
  return { ...explanation, ...(notice && { notice }) };
}

/** @internal Explains a query for a plan. No document is read. */
export async function explainQueryFor<EncoderType extends QueryTextEncoder>(
  snapshot: Snapshot,
  queryEncoder: QueryEncoder<EncoderType>,
  query: Query,
  options: ExplainQueryOptions,
): Promise<QueryExplanation> {
  checkOptions(options, EXPLAIN_QUERY_OPTIONS, "explainQuery");
  const { lambda, turns } = prepare(snapshot, query, options);
  const encoded = await queryEncoder.encoded(snapshot, query, lambda, turns);
  const { notice } = encoded;
  const { plan = { kind: "auto" } } = options;
  const explanation = explainQuery(snapshot.slicing, encoded, notice ? 0 : lambda, plan);
  return { ...explanation, ...(notice && { notice }) };
}

/** Explains the score of a document. `doc` is its number in the snapshot, `document` the document as it was given. */
async function explained(
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

/** What is stored of a document for scoring: its row, and its vector in float16 bits. */
interface DocumentRow extends Row {
  readonly semantic: Uint16Array;
}

function explainScore(
  slicing: Slicing,
  document: DocumentRow,
  row: Row,
  vector: Float32Array | undefined,
  lambda: number,
): ScoreParts {
  const termAt = (slice: number, index: number) => slicing.termAt(slice, index)!;
  const slotOf = new Map(Array.from(document.slices, (slice, slot) => [slice, slot]));
  const matched: MatchedTerm[] = [];
  const missed: MissedTerm[] = [];
  let lexical = 0;
  row.slices.forEach((slice, i) => {
    const [term, queryWeight] = [termAt(slice, row.indices[i]), row.values[i]];
    const slot = slotOf.get(slice);
    if (slot === undefined) {
      missed.push({ term, queryWeight });
    } else if (document.indices[slot] === row.indices[i]) {
      const documentWeight = document.values[slot];
      const contribution = queryWeight * documentWeight;
      lexical += contribution;
      matched.push({ term, slice, index: row.indices[i], queryWeight, documentWeight, contribution });
    } else {
      missed.push({ term, queryWeight, slotHolds: termAt(slice, document.indices[slot]) });
    }
  });
  matched.sort((a, b) => b.contribution - a.contribution);
  missed.sort((a, b) => b.queryWeight - a.queryWeight);
  const asked = weigh(row, vector, lambda).semantic;
  const semantic = asked ? dotFloat16(asked, document.semantic, 0) : 0;
  return { score: lexical + semantic, lexical, semantic, matched, missed };
}

function prepare(snapshot: Snapshot, query: Query, { lambda = snapshot.lambda, signal }: ExplainOptions) {
  checkQuery(query);
  checkWeight(lambda);
  checkSignal(signal);
  signal?.throwIfAborted();
  return { lambda, turns: new Turns(signal) };
}
