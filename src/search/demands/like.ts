// A query for documents like another → the query that finds them: the vector of that document, and its heaviest terms. A document
// that was cut has the terms of all its passages, and the mean of their vectors. Neither it nor a passage of it is a hit.

import type { Row } from "../../densify/rows.ts";
import { noDocumentError } from "../../documents/no-document.ts";
import { partsGivenBy } from "../../encode/contract/encoding.ts";
import { passageId } from "../../passages/passage.ts";
import type { PlainQuery } from "../../query/ask/query.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { idf } from "../../weigh/bm25.ts";

/** How many terms of a document are searched for. More: slower, and words that say less take part. */
const LIKE_TERMS = 25;
/** How many passages of a document that was cut stand for it, the first ones. More: slower. */
const LIKE_PASSAGES = 50;
/** How many passages are looked up at once. A cluster is asked once for all of them. */
const LOOKED_UP_AT_ONCE = 50;

/** Reads documents that queries name, wherever they are. */
export interface LikeReader {
  /** The documents with these ids; undefined in the place of an id that no document has. */
  find(ids: readonly string[]): Promise<(LikeDocument | undefined)[]>;
}

/** A document as others can be found by it. */
export interface LikeDocument {
  readonly id: string;
  /** The id of the document that it is a passage of; undefined if it is none. */
  readonly passageOf: string | undefined;
  readRow(): Row;
  readVector(): Promise<Float32Array | undefined>;
}

/** A query that finds documents like another, and what must not be among its hits. */
interface ResolvedLike {
  readonly query: PlainQuery;
  /** The ids of that document and of all its passages: a document is most like itself. */
  readonly excludedIds: readonly string[];
}

/**
 * The query for documents like the one with this id: a document, a passage, or a document that was cut into passages. A passage
 * stands for itself, and all of its document is left out.
 */
export async function resolveLike(
  snapshot: Snapshot,
  id: string,
  reader = createSnapshotReader(snapshot),
): Promise<ResolvedLike> {
  const [document] = await reader.find([id]);
  const whole = document ? document.passageOf : id;
  const passages = whole === undefined ? [] : await findPassages(reader, whole);
  const named = document ? [document] : passages.slice(0, LIKE_PASSAGES);
  if (named.length === 0) throw noDocumentError(id);
  const vectors = await Promise.all(named.map((each) => each.readVector()));
  const query = createLikeQuery(
    snapshot,
    named.map((each) => each.readRow()),
    meanOf(vectors),
  );
  return { query, excludedIds: [...new Set([id, ...passages.map((passage) => passage.id)])] };
}

/** The passages of a document, in order. */
async function findPassages(reader: LikeReader, documentId: string): Promise<LikeDocument[]> {
  const passages: LikeDocument[] = [];
  for (;;) {
    const ids = Array.from({ length: LOOKED_UP_AT_ONCE }, (_, i) =>
      passageId(documentId, passages.length + i + 1),
    );
    for (const passage of await reader.find(ids)) {
      if (passage?.passageOf !== documentId) return passages;
      passages.push(passage);
    }
  }
}

/** Reads documents of the segments of a snapshot. */
function createSnapshotReader(snapshot: Snapshot): LikeReader {
  const toDocument = async (id: string): Promise<LikeDocument | undefined> => {
    const doc = snapshot.docOf(id);
    if (doc === undefined) return undefined;
    const { source, first } = snapshot.segmentOf(doc);
    return {
      id,
      passageOf: await readOrigin(snapshot, doc),
      readRow: () => source.readRow(doc - first),
      readVector: () => snapshot.readVector(doc),
    };
  };
  return { find: (ids) => Promise.all(ids.map(toDocument)) };
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

/** The query for documents like the one with these rows and this vector. */
function createLikeQuery(
  snapshot: Snapshot,
  rows: readonly Row[],
  vector: Float32Array | undefined,
): PlainQuery {
  const { encoder } = snapshot;
  const hasFactors = encoder !== undefined && partsGivenBy(encoder.description.kind).termFactors;
  return {
    weights: heaviestTerms(snapshot, rows),
    ...(hasFactors && { termFactors: {} }),
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
