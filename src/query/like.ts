// A query for documents like another → the query that finds them: the vector of that document, and its heaviest terms. A document
// that was cut has the terms of all its passages, and the mean of their vectors.

import type { Row } from "../densify/rows.ts";
import { passageId } from "../passages/passage.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { idf } from "../weigh/bm25.ts";
import type { PlainQueryParts, Query } from "./query.ts";
import { noDocumentError } from "./require-doc.ts";

/** How many terms of a document are searched for. More: slower, and words that say less take part. */
const LIKE_TERMS = 25;
/** How many passages of a document that was cut stand for it, the first ones. More: slower. */
const LIKE_PASSAGES = 50;

/** The id that a query names, if it asks for documents like another. */
export function likeId(query: Query): string | undefined {
  return typeof query === "string" ? undefined : query.like;
}

/** The ids that must not be among the hits: these, and the one that a query names. A document is most like itself. */
export function excludeLike(excludedIds: readonly string[], query: Query): readonly string[] {
  const like = likeId(query);
  return like === undefined ? excludedIds : [...excludedIds, like];
}

/**
 * The ids of `excludeLike`, and those of all passages of the document that the query names, or names a passage of: they are the
 * document itself.
 */
export async function excludeLikeWithPassages(
  snapshot: Snapshot,
  excludedIds: readonly string[],
  query: Query,
): Promise<readonly string[]> {
  const like = likeId(query);
  if (like === undefined) return excludedIds;
  const doc = snapshot.docOf(like);
  const whole = doc === undefined ? like : await readOrigin(snapshot, doc);
  const passages = whole === undefined ? [] : await findPassages(snapshot, whole);
  return [...excludedIds, like, ...passages.map((passage) => snapshot.idAt(passage))];
}

/** The query for documents like the one with this id, which may have been cut. */
export async function createLikeQuery(snapshot: Snapshot, id: string): Promise<PlainQueryParts> {
  const doc = snapshot.docOf(id);
  const docs = doc === undefined ? await findPassages(snapshot, id, LIKE_PASSAGES) : [doc];
  if (docs.length === 0) throw noDocumentError(id);
  const rows = docs.map((each) => {
    const { source, first } = snapshot.segmentOf(each);
    return source.readRow(each - first);
  });
  const vectors = await Promise.all(docs.map((each) => snapshot.readVector(each)));
  return createLikeQueryFromRows(snapshot, rows, meanOf(vectors));
}

/** The docs of the passages of a document, in order, at most so many. */
async function findPassages(
  snapshot: Snapshot,
  documentId: string,
  most = snapshot.rowCount,
): Promise<number[]> {
  const docs: number[] = [];
  while (docs.length < most) {
    const doc = snapshot.docOf(passageId(documentId, docs.length + 1));
    if (doc === undefined || (await readOrigin(snapshot, doc)) !== documentId) break;
    docs.push(doc);
  }
  return docs;
}

/** The id of the document that a document is a passage of; undefined if it is none. */
async function readOrigin(snapshot: Snapshot, doc: number): Promise<string | undefined> {
  const segment = snapshot.segmentOf(doc);
  const column = (await segment.columns()).columnOf("passage.of");
  const code = column?.codeOf(doc - segment.first) ?? 0;
  const value = code === 0 ? undefined : column!.entry(code);
  return typeof value === "string" ? value : undefined;
}

/** The mean of vectors, as long as they are on average: passages that say different things would make a shorter one. */
function meanOf(vectors: readonly (Float32Array | undefined)[]): Float32Array | undefined {
  const given = vectors.filter((vector) => vector !== undefined);
  if (given.length < 2) return given[0];
  const sum = given[0].map((_, i) => given.reduce((total, vector) => total + vector[i], 0));
  const wanted = given.reduce((total, vector) => total + Math.hypot(...vector), 0) / given.length;
  const length = Math.hypot(...sum);
  return length === 0 ? sum : sum.map((value) => (value * wanted) / length);
}

/** The query for documents like the one with this row and this vector. */
export function createLikeQueryFromRow(
  snapshot: Snapshot,
  row: Row,
  vector: Float32Array | undefined,
): PlainQueryParts {
  return createLikeQueryFromRows(snapshot, [row], vector);
}

function createLikeQueryFromRows(
  snapshot: Snapshot,
  rows: readonly Row[],
  vector: Float32Array | undefined,
): PlainQueryParts {
  const isAnchored = snapshot.encoder?.description.kind === "anchored";
  return {
    weights: heaviestTerms(snapshot, rows),
    ...(isAnchored && { termFactors: {} }),
    ...(vector && { vector }),
  };
}

/**
 * The terms that weigh the most in all rows together. With BM25, rows hold weights without the idf, and a term of the query counts
 * once. Other weights are taken as they are, the mean of all rows.
 */
function heaviestTerms({ slicing, weighting }: Snapshot, rows: readonly Row[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { slices, indices, values } of rows) {
    slices.forEach((slice, i) => {
      const term = slicing.termAt(slice, indices[i]);
      if (term !== undefined) sums.set(term, (sums.get(term) ?? 0) + values[i]);
    });
  }
  const terms = Array.from(sums, ([term, sum]) => {
    if (weighting.kind === "weights") return { term, weight: sum / rows.length, importance: sum };
    const { docs, documentFrequencies } = weighting.statistics;
    const frequency = documentFrequencies[slicing.vocabulary.findId(term)!];
    return { term, weight: 1, importance: sum * idf(docs, frequency) };
  });
  terms.sort((a, b) => b.importance - a.importance || (a.term < b.term ? -1 : 1));
  return new Map(terms.slice(0, LIKE_TERMS).map(({ term, weight }) => [term, weight]));
}
