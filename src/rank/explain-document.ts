// A query and the id of a document → why the document scores what it scores; or a query alone → what becomes of its terms.
// An index in Node and one in a page share it. It checks the options, too.

import type { Fields } from "../documents/document.ts";
import { explainQuery, type QueryExplanation } from "../query/explain-query.ts";
import type { Plan } from "../query/plan.ts";
import { checkQuery, type Query } from "../query/query.ts";
import type { QueryEncoder, QueryTextEncoder } from "../query/query-encoder.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { checkOptions, checkSignal, type KnownOptions } from "../support/options.ts";
import { Turns } from "../support/turns.ts";
import { docOf, type Explanation, explained } from "./answer.ts";
import { checkWeight } from "./search-options.ts";

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
export async function explainDocument<Encoder extends QueryTextEncoder>(
  snapshot: Snapshot,
  encoder: QueryEncoder<Encoder>,
  query: Query,
  id: string,
  options: ExplainOptions,
  documentOf: (doc: number) => Fields | Promise<Fields>,
): Promise<Explanation> {
  checkOptions(options, EXPLAIN_OPTIONS, "explain");
  const { lambda, turns } = prepare(snapshot, query, options);
  const doc = docOf(snapshot, id);
  const encoded = await encoder.encoded(snapshot, query, lambda, turns);
  const { notice } = encoded;
  const explanation = await explained(snapshot, encoded, doc, notice ? 0 : lambda, await documentOf(doc));
  return { ...explanation, ...(notice && { notice }) };
}

/** @internal Explains a query for a plan. No document is read. */
export async function explainQueryFor<Encoder extends QueryTextEncoder>(
  snapshot: Snapshot,
  encoder: QueryEncoder<Encoder>,
  query: Query,
  options: ExplainQueryOptions,
): Promise<QueryExplanation> {
  checkOptions(options, EXPLAIN_QUERY_OPTIONS, "explainQuery");
  const { lambda, turns } = prepare(snapshot, query, options);
  const encoded = await encoder.encoded(snapshot, query, lambda, turns);
  const { notice } = encoded;
  const explanation = explainQuery(
    snapshot.slicing,
    encoded,
    notice ? 0 : lambda,
    options.plan ?? { kind: "auto" },
  );
  return { ...explanation, ...(notice && { notice }) };
}

function prepare(snapshot: Snapshot, query: Query, { lambda = snapshot.lambda, signal }: ExplainOptions) {
  checkQuery(query);
  checkWeight(lambda);
  checkSignal(signal);
  signal?.throwIfAborted();
  return { lambda, turns: new Turns(signal) };
}
