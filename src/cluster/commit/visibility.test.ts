import fc from "fast-check";
import { expect, test } from "vitest";
import { gapsAfter, isVisible, type Visible, visibleFilter } from "./visibility.ts";

interface Clause {
  readonly bool?: { readonly filter?: readonly Clause[]; readonly must_not?: readonly Clause[] };
  readonly range?: Record<string, { readonly gte?: number; readonly lte?: number }>;
}

/** Whether OpenSearch would find a version. A field is in a range if one of its values is. */
function finds({ bool, range }: Clause, version: Record<string, readonly number[]>): boolean {
  if (range) {
    const [[field, { gte = 0, lte = Number.POSITIVE_INFINITY }]] = Object.entries(range);
    return version[field].some((value) => value >= gte && value <= lte);
  }
  const { filter = [], must_not: none = [] } = bool!;
  return filter.every((clause) => finds(clause, version)) && !none.some((clause) => finds(clause, version));
}

test("the filter finds the versions that were alive, and nothing of writers that never committed", () => {
  const generations = fc.integer({ min: 1, max: 13 });
  const writers = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(writers, generations, fc.array(generations, { maxLength: 4 }), (commits, born, died) => {
      const committed = new Set<number>();
      let visible: Visible = { generation: 0, gaps: [] };
      for (const [i, isCommitted] of commits.entries()) {
        const generation = i + 1; // each writer takes the next one
        if (!isCommitted) continue;
        committed.add(generation);
        visible = { generation, gaps: gapsAfter(visible, generation) };
        const expected = committed.has(born) && !died.some((each) => committed.has(each));
        expect(isVisible({ born, died }, visible)).toBe(expected);
        expect(finds(visibleFilter(visible) as Clause, { born: [born], died })).toBe(expected);
      }
    }),
    { numRuns: 1000 },
  );
});
