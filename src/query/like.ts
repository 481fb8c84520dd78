// A query for documents like another → the query that finds them: the vector of that document, and its heaviest terms.

import type { Row } from "../densify/rows.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { idf } from "../weigh/bm25.ts";
import type { Query, QueryParts } from "./query.ts";
import { requireDoc } from "./require-doc.ts";

/** How many terms of a document are searched for. More: slower, and words that say less take part. */
const LIKE_TERMS = 25;

/** The id that a query names, if it asks for documents like another. */
export function likeId(query: Query): string | undefined {
  return typeof query === "string" ? undefined : query.like;
}

/** The ids that must not be among the hits: these, and the one that a query names. A document is most like itself. */
export function excludeLike(excludedIds: readonly string[], query: Query): readonly string[] {
  const like = likeId(query);
  return like === undefined ? excludedIds : [...excludedIds, like];
}

/** The query for documents like the one with this id. */
export async function createLikeQuery(snapshot: Snapshot, id: string): Promise<QueryParts> {
  const doc = requireDoc(snapshot, id);
  const { source, first } = snapshot.segmentOf(doc);
  return createLikeQueryFromRow(snapshot, source.readRow(doc - first), await snapshot.readVector(doc));
}

/** The query for documents like the one with this row and this vector. */
export function createLikeQueryFromRow(
  snapshot: Snapshot,
  row: Row,
  vector: Float32Array | undefined,
): QueryParts {
  const isAnchored = snapshot.encoder?.description.kind === "anchored";
  return {
    weights: heaviestTerms(snapshot, row),
    ...(isAnchored && { termFactors: {} }),
    ...(vector && { vector }),
  };
}

/** With BM25, rows hold weights without the idf, and a term of the query counts once. Other weights are taken as they are. */
function heaviestTerms(
  { slicing, weighting }: Snapshot,
  { slices, indices, values }: Row,
): Map<string, number> {
  const terms: { term: string; weight: number; importance: number }[] = [];
  slices.forEach((slice, i) => {
    const term = slicing.termAt(slice, indices[i]);
    if (term === undefined) return;
    if (weighting.kind === "weights") {
      terms.push({ term, weight: values[i], importance: values[i] });
      return;
    }
    const { docs, documentFrequencies } = weighting.statistics;
    const frequency = documentFrequencies[slicing.vocabulary.id(term)!];
    terms.push({ term, weight: 1, importance: values[i] * idf(docs, frequency) });
  });
  terms.sort((a, b) => b.importance - a.importance || (a.term < b.term ? -1 : 1));
  return new Map(terms.slice(0, LIKE_TERMS).map(({ term, weight }) => [term, weight]));
}
