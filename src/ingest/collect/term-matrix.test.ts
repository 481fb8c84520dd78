import fc from "fast-check";
import { expect, test } from "vitest";
import { TermMatrix } from "./term-matrix.ts";

const count = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 255 }) },
  fc.constantFrom(0, 256, 70_000, 0.5, 1e-9),
);
const texts = fc.array(
  fc.record({
    counts: fc.array(count, { maxLength: 6 }),
    /** Many terms fill a page. */
    repeated: fc.constantFrom(1, 1, 1, 5000),
    hasFactors: fc.boolean(),
  }),
  { maxLength: 12 },
);

test("gives back what it was given, over pages, kinds of counts and factors", () => {
  fc.assert(
    fc.property(texts, (given) => {
      const matrix = new TermMatrix();
      const made = given.map(({ counts: few, repeated, hasFactors }, doc) => {
        const counts = Array.from({ length: few.length * repeated }, (_, i) => few[i % few.length]);
        const ids = counts.map((_, i) => 7 * doc + i);
        const factors = hasFactors ? ids.map((id) => (id % 4) / 4) : undefined;
        matrix.add(ids, counts, factors);
        return { ids, counts, factors };
      });
      expect(matrix.terms).toBe(made.reduce((sum, { ids }) => sum + ids.length, 0));
      for (const [doc, { ids, counts, factors }] of made.entries()) {
        const found = matrix.at(doc);
        expect(Array.from(found.ids)).toEqual(ids);
        expect(Array.from(found.counts)).toEqual(counts);
        expect(Array.from(found.factors ?? ids.map(() => 1))).toEqual(factors ?? ids.map(() => 1));
      }
      matrix.renumber(Uint32Array.from({ length: 40_000 }, (_, id) => id + 3));
      for (const [doc, { ids }] of made.entries())
        expect(Array.from(matrix.at(doc).ids)).toEqual(ids.map((id) => id + 3));
    }),
    { numRuns: 30 },
  );
});
