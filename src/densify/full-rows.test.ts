// Rows that are built without a contest are those of the densifier, once they are in order.

import fc from "fast-check";
import { expect, test } from "vitest";
import { english } from "../analyze/analyzers/english.ts";
import { createFloat16Weigher, createWeigher } from "../weigh/weigher.ts";
import type { Weighting } from "../weigh/weighting.ts";
import { Densifier } from "./densify.ts";
import { FullRowsBuilder } from "./full-rows.ts";
import { RowsBuilder, sortSlots } from "./rows.ts";
import { Slicing } from "./slicing.ts";
import { Vocabulary } from "./vocabulary.ts";

const MOST_TERMS = 40;
const slicing = new Slicing(new Vocabulary(Array.from({ length: MOST_TERMS }, (_, id) => `t${id}`)), {
  strategy: "full",
});

function weightingOf(kind: Weighting["kind"], k1: number, b: number): Weighting {
  if (kind === "weights") return { kind, analyzer: english };
  const statistics = { docs: 10, length: 123, documentFrequencies: new Uint32Array(MOST_TERMS).fill(2) };
  return { kind, analyzer: english, parameters: { k1, b }, statistics };
}

const count = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 5 }) },
  fc.constantFrom(0, 0.25, 255, 256, 1e5, 1e-12, 60_000),
);
const document = fc.record({
  ids: fc.uniqueArray(fc.nat(MOST_TERMS - 1)),
  counts: fc.array(count, { minLength: MOST_TERMS, maxLength: MOST_TERMS }),
  factors: fc.option(fc.constantFrom(0, 0.5, 1, 2), { nil: undefined }),
  length: fc.nat(5000),
});

test("full rows are the rows of the densifier", () => {
  const parameters = fc.tuple(fc.constantFrom(0, 0.9, 1e9), fc.constantFrom(0, 0.4, 1));
  fc.assert(
    fc.property(
      fc.array(document, { maxLength: 8 }),
      fc.constantFrom("bm25" as const, "weights" as const),
      parameters,
      (documents, kind, [k1, b]) => {
        const weighting = weightingOf(kind, k1, b);
        const { dims, perSlice } = slicing.settings;
        const terms = documents.reduce((sum, { ids }) => sum + ids.length, 0);
        const write = createFloat16Weigher(weighting);
        const full = new FullRowsBuilder(dims, documents.length, terms, write);
        const [plain, densifier, weigh] = [
          new RowsBuilder(dims, perSlice),
          new Densifier(slicing),
          createWeigher(weighting),
        ];
        for (const { ids, counts: all, factors: factor, length } of documents) {
          const counts = all
            .slice(0, ids.length)
            .map((count) => (kind === "weights" ? Math.min(count, 65_504) : count || 1));
          const factors = factor !== undefined && kind === "bm25" ? ids.map(() => factor) : undefined;
          const given = { ids, counts, ...(factors && { factors }) };
          const { row, weightless } = densifier.densify(weigh(given, length));
          plain.add(row);
          expect(full.add(given, length)).toBe(weightless);
        }
        const rows = full.finish();
        sortSlots(rows);
        expect(rows).toEqual(plain.finish());
      },
    ),
  );
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 70_000])(
  "a weight of %s is refused, and adds nothing",
  (weight) => {
    const full = new FullRowsBuilder(
      MOST_TERMS,
      2,
      4,
      createFloat16Weigher({ kind: "weights", analyzer: english }),
    );
    expect(full.add({ ids: [3, 1], counts: [1, weight] }, 2)).toBeUndefined();
    expect(full.add({ ids: [5], counts: [2] }, 1)).toBe(0);
    expect(Array.from(full.finish().slices)).toEqual([5]);
    expect(full.finish().docs).toBe(1);
  },
);
