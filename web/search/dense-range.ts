// The numbers of a field → the part of their range that holds most of them. One year 3000 among years of a century would make one
// bar of all the others. Then only the bulk is cut into bars, and what is below or above it is counted in a bar of its own.

import { search } from "../api/calls.ts";
import { type Bulk, countedRanges, type Field, isFilterable } from "./field.ts";

/** The share of the documents that is in the bulk. */
const SHARE = 0.9;
/** The bulk is cut out if so few bars hold it, of about 16. */
const FEW_BARS = 4;
/** A bulk may have a bulk. Each round makes it at most a third as wide. */
const MOST_ROUNDS = 8;

/** What was counted in a range of numbers. */
interface CountedRange {
  readonly gte?: string | number | undefined;
  readonly lt?: string | number | undefined;
  readonly docs: number;
}

/** The fields with the bulks of their numbers, where they need one. */
export async function withBulks(
  index: string,
  fields: readonly Field[],
  signal: AbortSignal,
): Promise<readonly Field[]> {
  const bulks = new Map<string, Bulk>();
  let open = fields.filter((field) => field.range !== undefined && !field.choices && isFilterable(field));
  for (let round = 0; round < MOST_ROUNDS && open.length > 0; round++) {
    const facets = open.map(({ name, range }) => ({
      field: name,
      ranges: countedRanges(range!, bulks.get(name)),
    }));
    // An index that takes no text as a query cannot count so. Its bars are all of the same width.
    const answer = await search(index, { query: "", k: 0, among: "filter", facets }, signal).catch(() => {});
    open = open.filter(({ name, range }) => {
      const counted = answer?.facets?.find(({ field }) => field === name)?.ranges ?? [];
      const bulk = narrowerBulk(range!, counted);
      if (bulk) bulks.set(name, bulk);
      return bulk !== undefined;
    });
  }
  return fields.map((field) => ({
    ...field,
    ...(bulks.has(field.name) && { bulk: bulks.get(field.name)! }),
  }));
}

/** The fewest neighboring ranges that hold the share, if they are few enough to be one bulk. */
export function narrowerBulk(
  { min, max }: NonNullable<Field["range"]>,
  counted: readonly CountedRange[],
): Bulk | undefined {
  const enough = SHARE * counted.reduce((sum, { docs }) => sum + docs, 0);
  if (enough === 0 || counted.length <= FEW_BARS) return undefined;
  for (let length = 1; length <= FEW_BARS; length++) {
    for (let first = 0; first + length <= counted.length; first++) {
      const run = counted.slice(first, first + length);
      if (run.reduce((sum, { docs }) => sum + docs, 0) < enough) continue;
      const [begin = min, end = max] = [run[0].gte, run.at(-1)!.lt].map(
        (bound) => bound as number | undefined,
      );
      return roundedBulk({ min, max }, begin, end);
    }
  }
  return undefined;
}

/** Rounded outwards to about two digits of its width. */
function roundedBulk(
  { min, max }: NonNullable<Field["range"]>,
  begin: number,
  end: number,
): Bulk | undefined {
  const isWhole = Number.isInteger(min) && Number.isInteger(max);
  const step =
    10 ** Math.max(Math.floor(Math.log10(end - begin)) - 1, isWhole ? 0 : Number.NEGATIVE_INFINITY);
  const from = exact(Math.floor(begin / step) * step);
  const below = exact(Math.ceil(end / step) * step);
  if (from <= min && below > max) return undefined;
  return { ...(from > min && { from }), ...(below <= max && { below }) };
}

/** Without the last digits, which a product of floats has wrong. */
const exact = (value: number) => Number(value.toPrecision(12));
