// The facets that a search is asked to count, and their checks: values of a field, or ranges of them.

import type { Fields } from "../../documents/document.ts";
import { type Condition, checkFieldName, checkOperators, type FieldName } from "../../documents/filter.ts";
import {
  checkNumber,
  checkParts,
  isObject,
  type KnownOptions,
  optionError,
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
export type FacetRequest<FieldsType = Fields> =
  | FieldName<FieldsType>
  | {
      readonly field: FieldName<FieldsType>;
      /** The most values to return; 20 by default. */
      readonly limit?: number | undefined;
      readonly ranges?: readonly FacetRange[] | undefined;
    };

/** The default of `limit`. */
export const DEFAULT_FACET_LIMIT = 20;
/** The most facets of a search. Each reads a column. */
export const MOST_FACETS = 100;
/** The most values, and the most ranges, of a facet. */
export const MOST_VALUES = 10_000;

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
    throw optionError("facets", `facets has ${facets.length} entries, expected at most ${MOST_FACETS}`);
  return Array.from(facets, (facet, i) => checkFacet(facet, `facets[${i}]`));
}

function checkFacet(facet: FacetRequest, path: string): CheckedFacet {
  if (!isObject(facet)) {
    checkFieldName(facet, path);
    return { field: facet, limit: DEFAULT_FACET_LIMIT };
  }
  checkParts(path, facet, FACET_OPTIONS);
  const { field, limit, ranges } = facet;
  checkFieldName(field, `${path}.field`);
  checkNumber(`${path}.limit`, limit, { least: 1, most: MOST_VALUES, isWhole: true });
  if (ranges === undefined) return { field, limit: limit ?? DEFAULT_FACET_LIMIT };
  const expected = "a list of ranges, such as [{ lt: 10 }, { gte: 10 }]";
  if (!Array.isArray(ranges)) throw wrongValueError(`${path}.ranges`, expected, ranges);
  if (ranges.length === 0) throw optionError(path, `${path}.ranges is an empty list, expected ${expected}`);
  if (limit !== undefined)
    throw optionError(path, `${path} has ranges and a limit`, "leave the limit out: every range is counted");
  if (ranges.length > MOST_VALUES)
    throw optionError(path, `${path}.ranges has ${ranges.length} entries, expected at most ${MOST_VALUES}`);
  const checked = Array.from(ranges, (range, i) => checkRange(field, range, `${path}.ranges[${i}]`));
  return { field, limit: DEFAULT_FACET_LIMIT, ranges: checked };
}

function checkRange(field: string, range: FacetRange, path: string): CheckedRange {
  checkParts(path, range, RANGE_OPTIONS);
  if (Object.keys(range).length === 0)
    throw optionError(path, `${path} is empty, expected ${Object.keys(RANGE_OPTIONS).join(", ")}`);
  return { range, condition: checkOperators(field, range, path) };
}
