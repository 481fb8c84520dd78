// The facets that a search is asked to count, and their checks: values of a field, or ranges of them.

import { type Condition, checkFieldName, checkFilter } from "../../documents/filter.ts";
import { UsageError } from "../../support/errors/usage-error.ts";
import {
  checkNumber,
  checkOptions,
  isObject,
  type KnownOptions,
  wrongValueError,
} from "../../support/options/options.ts";

/** A range of values. All bounds must hold. */
export interface FacetRange {
  readonly lt?: string | number;
  readonly lte?: string | number;
  readonly gt?: string | number;
  readonly gte?: string | number;
}

/** A field whose values are counted. A name alone is short for { field }. With `ranges`, documents in each range are counted. */
export type FacetRequest =
  | string
  | {
      readonly field: string;
      /** The most values to return; 20 by default. */
      readonly limit?: number | undefined;
      readonly ranges?: readonly FacetRange[] | undefined;
    };

/** The default of `limit`. */
const DEFAULT_FACET_LIMIT = 20;
/** The most facets of a search. Each reads a column. */
const MOST_FACETS = 100;
/** The most values, and the most ranges, of a facet. */
const MOST_VALUES = 10_000;

const FACET_OPTIONS: KnownOptions<Exclude<FacetRequest, string>> = { field: true, limit: true, ranges: true };
const RANGE_OPTIONS: KnownOptions<FacetRange> = { lt: true, lte: true, gt: true, gte: true };

/** A facet, once it is checked. */
export interface CheckedFacet {
  readonly field: string;
  readonly limit: number;
  readonly ranges?: readonly CheckedRange[] | undefined;
}

interface CheckedRange {
  readonly range: FacetRange;
  /** What a document of the range fulfills. */
  readonly condition: Condition;
}

/** Throws if the facets of a search are wrong. */
export function checkFacets(facets: readonly FacetRequest[]): CheckedFacet[] {
  if (!Array.isArray(facets)) throw wrongValueError("facets", "a list of fields", facets);
  if (facets.length > MOST_FACETS)
    throw new UsageError(`${facets.length} facets are too many, at most ${MOST_FACETS} are counted`);
  return Array.from(facets, (facet, i) => checkFacet(facet, `facets[${i}]`));
}

function checkFacet(facet: FacetRequest, path: string): CheckedFacet {
  if (!isObject(facet)) {
    checkFieldName(facet, path);
    return { field: facet, limit: DEFAULT_FACET_LIMIT };
  }
  checkOptions(facet, FACET_OPTIONS, path);
  const { field, limit, ranges } = facet;
  checkFieldName(field, `${path}.field`);
  checkNumber(`${path}.limit`, limit, { least: 1, most: MOST_VALUES, isWhole: true });
  if (ranges === undefined) return { field, limit: limit ?? DEFAULT_FACET_LIMIT };
  const expected = "a list of ranges, such as [{ lt: 10 }, { gte: 10 }]";
  if (!Array.isArray(ranges)) throw wrongValueError(`${path}.ranges`, expected, ranges);
  if (ranges.length === 0) throw new UsageError(`${path}.ranges is an empty list, expected ${expected}`);
  if (limit !== undefined)
    throw new UsageError(`${path} has ranges and a limit`, "leave the limit out: every range is counted");
  checkNumber(`the number of ranges in ${path}`, ranges.length, { least: 1, most: MOST_VALUES });
  const checked = Array.from(ranges, (range, i) => checkRange(field, range, `${path}.ranges[${i}]`));
  return { field, limit: DEFAULT_FACET_LIMIT, ranges: checked };
}

function checkRange(field: string, range: FacetRange, path: string): CheckedRange {
  checkOptions(range, RANGE_OPTIONS, path);
  if (Object.keys(range).length === 0)
    throw new UsageError(`${path} is empty, expected ${Object.keys(RANGE_OPTIONS).join(", ")}`);
  // A backslash says that a name is a field, even if it is "not".
  return { range, condition: checkFilter({ [`\\${field}`]: range }) };
}
