// Sets of documents and facets → how many of the documents have each value, or a value in each range. Columns hold a code for
// each value, so that codes are counted, and only the values that occur are read.

import type { Condition, Scalar } from "../../documents/filter.ts";
import type { Columns } from "../../segment/columns/columns.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Bits } from "../../support/numbers/bits.ts";
import type { Turns } from "../../support/work/turns.ts";
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

/** What was counted of a field whose values were asked for. */
export interface ValueFacet {
  readonly field: string;
  /** Documents that have a value. */
  readonly docs: number;
  /** The values that most documents have, the most frequent first. A list counts once for each different value in it. */
  readonly values: readonly FacetValue[];
  /** How many distinct values there are; `values` may be cut. */
  readonly distinct: number;
  readonly ranges?: undefined;
}

/** What was counted of a field with ranges. */
export interface RangeFacet {
  readonly field: string;
  /** Documents that have a value. */
  readonly docs: number;
  /** The ranges that were asked for, in their order. */
  readonly ranges: readonly CountedRange[];
  readonly values?: undefined;
  readonly distinct?: undefined;
}

/** What was counted of a field: its values, or ranges of them. */
export type Facet = ValueFacet | RangeFacet;

/** Counts facets among documents: `within[i]` are the documents of segments[i]. */
export async function countFacets(
  segments: readonly Segment[],
  within: readonly Bits[],
  facets: readonly CheckedFacet[],
  turns: Turns,
): Promise<Facet[]> {
  const columns = await Promise.all(segments.map((segment) => segment.columns()));
  const counted: Facet[] = [];
  for (const facet of facets) {
    counted.push(await turns.run(countFacet(columns, within, facet)));
    if (turns.isDue) await turns.next();
  }
  return counted;
}

/** Yields after each test of a range and each column. */
function* countFacet(
  columns: readonly Columns[],
  within: readonly Bits[],
  { field, limit, ranges }: CheckedFacet,
): Generator<undefined, Facet> {
  if (ranges) {
    function* countAccepted(condition: Condition): Generator<undefined, number> {
      let docs = 0;
      for (const [i, each] of columns.entries())
        docs += (yield* each.findMatchingInSteps(condition)).and(within[i]).count();
      return docs;
    }
    const counted: CountedRange[] = [];
    for (const { range, condition } of ranges)
      counted.push({ ...range, docs: yield* countAccepted(condition) });
    return { field, docs: yield* countAccepted({ kind: "exists", field }), ranges: counted };
  }
  let docs = 0;
  const joined = new Map<Scalar, number>();
  for (const [i, each] of columns.entries()) {
    const count = each.columnOf(field)?.countValues(within[i]);
    docs += count?.docs ?? 0;
    for (const [value, having] of count?.values ?? []) joined.set(value, (joined.get(value) ?? 0) + having);
    yield;
  }
  return { field, docs, values: mostFrequent(joined, limit), distinct: joined.size };
}

/** The values that most documents have, the most frequent first. Values that are too rare for the list are not sorted. */
function mostFrequent(counts: ReadonlyMap<Scalar, number>, limit: number): FacetValue[] {
  const least = Uint32Array.from(counts.values()).sort().at(-limit) ?? 0;
  const values: FacetValue[] = [];
  for (const [value, docs] of counts) if (docs >= least) values.push({ value, docs });
  return values.sort(byDocs).slice(0, limit);
}

const byDocs = (a: FacetValue, b: FacetValue) => b.docs - a.docs || compareScalars(a.value, b.value);
