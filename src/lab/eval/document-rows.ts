// The row that an index holds for a document, as weighted terms or as a query, and both parts of every score.

import { type RevertedTerm, revert } from "../../densify/revert.ts";
import type { Row } from "../../densify/rows.ts";
import { getInternals } from "../../internals.ts";
import { checkQuery, type Query, toQueryParts, withoutDemands } from "../../query/ask/query.ts";
import { gatedInnerProducts } from "../../rank/definition.ts";
import { resolveLike } from "../../search/demands/like.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Sluice } from "../../sluice.ts";
import { requireDoc } from "../../store/snapshot/require-doc.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { toFloat32s } from "../../support/numbers/float16.ts";
import { checkId } from "../../support/options/options.ts";

const EMPTY_ROW: Row = {
  slices: new Uint32Array(0),
  indices: new Uint16Array(0),
  values: new Float32Array(0),
};

/** A document's row as the weighted terms that it stands for, heaviest first; with θ, only those above it. */
export function revertDocument(index: Sluice, id: string, theta?: number): RevertedTerm[] {
  const { segment, local } = find(index, id);
  return revert(index.slicing, segment.source.readRow(local), theta);
}

/** A document's row and vector as a query, for an index with the same slicing. */
export function queryOf(index: Sluice, id: string): Query {
  const { segment, local } = find(index, id);
  const { source } = segment;
  const { semanticDims } = source.meta;
  const vectors = source.sections.sectionSync("semantic") as Uint16Array;
  const semantic = vectors.subarray(local * semanticDims, (local + 1) * semanticDims);
  return {
    row: source.readRow(local),
    slicingSettings: index.slicing.settings,
    ...(semanticDims > 0 && { vector: toFloat32s(semantic) }),
  };
}

/** Both parts of every document's score, in document order. λ is left out of the semantic part. */
export async function scoreParts(
  index: Sluice,
  query: Query,
): Promise<{ lexical: Float64Array; semantic: Float64Array }> {
  checkQuery(query);
  const { snapshot, preparer } = getInternals(index);
  snapshot.retain();
  try {
    const { like } = toQueryParts(query);
    const plain = like === undefined ? withoutDemands(query) : (await resolveLike(snapshot, like)).query;
    const { row, vector, isWordsOnly } = await preparer.prepare(snapshot, plain, 1);
    if (isWordsOnly) throw new SluiceError("the index has a semantic part and the query has no vector");
    const whole = [new Float64Array(snapshot.rowCount), new Float64Array(snapshot.rowCount)];
    for (const segment of snapshot.segments) {
      const rows = await segment.loadRows();
      whole[0].set(gatedInnerProducts(row, rows), segment.first);
      if (vector) whole[1].set(gatedInnerProducts({ ...EMPTY_ROW, semantic: vector }, rows), segment.first);
    }
    const docs = [...snapshot.eachDoc()];
    const [lexical, semantic] = whole.map((all) => Float64Array.from(docs, (doc) => all[doc]));
    return { lexical, semantic };
  } finally {
    snapshot.release();
  }
}

function find(index: Sluice, id: string): { segment: Segment; local: number } {
  const { snapshot } = getInternals(index);
  checkId(id);
  const doc = requireDoc(snapshot, id);
  const segment = snapshot.segmentOf(doc);
  return { segment, local: doc - segment.first };
}
