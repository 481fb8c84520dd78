// Sets of documents and facets → how many of the documents have each value, or a value in each range. Columns hold a code for
// each value, so that codes are counted, and only the values that occur are read.

import type { Condition, Scalar } from "../../documents/filter.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Bits } from "../../support/numbers/bits.ts";
import type { CheckedFacet, FacetRange } from "../options/facet-options.ts";
import { compareScalars } from "./field-order.ts";

/** How many documents have a value. */
export interface FacetValue {
  readonly value: Scalar;
  readonly docs: number;
}

/** How many documents have a value in a range. */
export interface CountedRange extends FacetRange {
  readonly docs: number;
}

/** What was counted of a field. */
export interface Facet {
  readonly field: string;
  /** Documents that have a value. */
  readonly docs: number;
  /** The values that most documents have, the most frequent first. A list counts once for each different value in it. */
  readonly values?: readonly FacetValue[];
  /** How many distinct values there are; `values` may be cut. */
  readonly distinct?: number;
  /** The ranges that were asked for, in their order. */
  readonly ranges?: readonly CountedRange[];
}

/** Counts facets among documents: `within[i]` are those of segments[i]. */
export async function countFacets(
  segments: readonly Segment[],
  within: readonly Bits[],
  facets: readonly CheckedFacet[],
): Promise<Facet[]> {
  const columns = await Promise.all(segments.map((segment) => segment.columns()));
  return facets.map(({ field, limit, ranges }): Facet => {
    if (ranges) {
      const countAccepted = (condition: Condition) =>
        columns.reduce((sum, each, i) => sum + each.matching(condition).and(within[i]).count(), 0);
      const counted = ranges.map(({ range, condition }) => ({ ...range, docs: countAccepted(condition) }));
      return { field, docs: countAccepted({ kind: "exists", field }), ranges: counted };
    }
    const counts = columns.map((each, i) => each.columnOf(field)?.countValues(within[i]));
    const joined = new Map<Scalar, number>();
    for (const { values } of counts.filter((count) => count !== undefined)) {
      for (const [value, docs] of values) joined.set(value, (joined.get(value) ?? 0) + docs);
    }
    return {
      field,
      docs: counts.reduce((sum, count) => sum + (count?.docs ?? 0), 0),
      values: mostFrequent(joined, limit),
      distinct: joined.size,
    };
  });
}

/** The values that most documents have, the most frequent first. Values that are too rare for the list are not sorted. */
function mostFrequent(counts: ReadonlyMap<Scalar, number>, limit: number): FacetValue[] {
  const least = Uint32Array.from(counts.values()).sort().at(-limit) ?? 0;
  const values: FacetValue[] = [];
  for (const [value, docs] of counts) if (docs >= least) values.push({ value, docs });
  return values.sort(byDocs).slice(0, limit);
}

const byDocs = (a: FacetValue, b: FacetValue) => b.docs - a.docs || compareScalars(a.value, b.value);
