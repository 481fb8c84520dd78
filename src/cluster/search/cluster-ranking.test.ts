import fc from "fast-check";
import { expect, test } from "vitest";
import { packedRow, rowsOf } from "../../../test/helpers/rows.ts";
import { Slicing } from "../../densify/slicing.ts";
import { Vocabulary } from "../../densify/vocabulary.ts";
import { searchByDefinition } from "../../rank/definition.ts";
import { toFloat16 } from "../../support/numbers/float16.ts";
import { Turns } from "../../support/work/turns.ts";
import type { ClusterView } from "../commit/cluster-index.ts";
import { createStoredRow, packStoredRow } from "../rows/stored-row.ts";
import { rankOnCluster } from "./cluster-ranking.ts";

const DIMS = 5;
const SEMANTIC_DIMS = 2;

const value = fc.constantFrom(0, 0, 0.25, 0.5, 1, 1.75);
const written = fc.record({
  value: fc.array(value, { minLength: DIMS, maxLength: DIMS }),
  index: fc.array(fc.nat(2), { minLength: DIMS, maxLength: DIMS }),
  cls: fc.array(fc.constantFrom(-0.5, 0, 0.25, 1), { minLength: SEMANTIC_DIMS, maxLength: SEMANTIC_DIMS }),
});

/** A commit with these rows, on a cluster that finds all of them. */
function viewOf(documents: readonly { value: number[]; index: number[]; cls: number[] }[]): ClusterView {
  const shape = { hasIndices: true, semanticDims: SEMANTIC_DIMS };
  const hits = documents.map(({ value, index, cls }, doc) => {
    const row = createStoredRow(packedRow(value, index), Uint16Array.from(cls, toFloat16));
    return {
      _score: 0,
      _source: { document: {} },
      fields: { id: [String(doc)], serial: [doc], row: [packStoredRow(row, shape).toString("base64")] },
    };
  });
  const slicing = new Slicing(new Vocabulary([]), { strategy: "stride", dims: DIMS });
  return {
    shape,
    record: {
      ...{ docs: hits.length, documents: "index-1", gaps: [], generation: 1 },
      ...{ weightScale: 1, largestWeight: 2, longestVector: 2 },
    },
    snapshot: { slicing, slicingSettings: slicing.settings },
    documents: {},
    connection: { ask: async () => ({ hits: { hits } }) },
  } as unknown as ClusterView;
}

test("documents of a cluster score and rank as by definition", async () => {
  let ranked = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(written, { minLength: 1, maxLength: 12 }),
      written,
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom(0, 0.5, 1),
      async (documents, query, k, lambda) => {
        const request = {
          row: packedRow(query.value, query.index),
          vector: Float32Array.from(query.cls),
          ...{ lambda, k, plan: { kind: "exact" } as const },
        };
        const conditions = { condition: undefined, excludedIds: [] };
        const [found] = await rankOnCluster(viewOf(documents), [request], conditions, new Turns());
        const parts = found.ranked.map(({ doc, score, lexical, semantic }) => ({
          ...{ doc, score, lexical, semantic },
        }));
        const isAsked = request.row.slices.length > 0 || lambda > 0;
        expect(parts).toEqual(isAsked ? searchByDefinition(rowsOf(documents), request).ranked : []);
        ranked += parts.length;
      },
    ),
  );
  expect(ranked).toBeGreaterThan(100);
});
