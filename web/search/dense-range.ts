// The numbers of a field → the dense range: the part of their range that holds most of them. One year 3000 among years of a
// century would put all other years into one bar. So only the dense range is cut into bars. Numbers below it are counted in one
// bar, and numbers above it in another.

import { search } from "../api/calls.ts";
import { countedRanges, type DenseRange, type Field, isFilterable } from "./field.ts";

/** The share of the documents whose numbers are in the dense range. */
const SHARE = 0.9;
/** A range is dense if at most so many bars, of about 16, hold the share. */
const FEW_BARS = 4;
/** Searches for a narrower dense range within the one that was found. Each round makes it at most a third as wide. */
const MOST_ROUNDS = 8;

/** What was counted in a range of numbers. */
interface CountedRange {
  readonly gte?: string | number | undefined;
  readonly lt?: string | number | undefined;
  readonly docs: number;
}

/** Adds dense ranges to the fields whose numbers have one. */
export async function addDenseRanges(
  index: string,
  fields: readonly Field[],
  signal: AbortSignal,
): Promise<readonly Field[]> {
  const denseRanges = new Map<string, DenseRange>();
  let open = fields.filter((field) => field.range !== undefined && !field.choices && isFilterable(field));
  for (let round = 0; round < MOST_ROUNDS && open.length > 0; round++) {
    const facets = open.map(({ name, range }) => ({
      field: name,
      ranges: countedRanges(range!, denseRanges.get(name)),
    }));
    // An index that takes no text as a query cannot count so. Its bars are all of the same width.
    const answer = await search(index, { query: "", k: 0, among: "filter", facets }, signal).catch(() => {});
    open = open.filter(({ name, range }) => {
      const counted = answer?.facets?.find(({ field }) => field === name)?.ranges ?? [];
      const denseRange = narrowerDenseRange(range!, counted);
      if (denseRange) denseRanges.set(name, denseRange);
      return denseRange !== undefined;
    });
  }
  return fields.map((field) => ({
    ...field,
    ...(denseRanges.has(field.name) && { denseRange: denseRanges.get(field.name)! }),
  }));
}

/** The fewest neighboring ranges that hold the share, if they are few enough to be one dense range. */
export function narrowerDenseRange(
  { min, max }: NonNullable<Field["range"]>,
  counted: readonly CountedRange[],
): DenseRange | undefined {
  const enough = SHARE * counted.reduce((sum, { docs }) => sum + docs, 0);
  if (enough === 0 || counted.length <= FEW_BARS) return undefined;
  for (let length = 1; length <= FEW_BARS; length++) {
    for (let first = 0; first + length <= counted.length; first++) {
      const run = counted.slice(first, first + length);
      if (run.reduce((sum, { docs }) => sum + docs, 0) < enough) continue;
      const [begin = min, end = max] = [run[0].gte, run.at(-1)!.lt].map(
        (bound) => bound as number | undefined,
      );
      return roundedDenseRange({ min, max }, begin, end);
    }
  }
  return undefined;
}

/** Rounded outwards to about two digits of its width. */
function roundedDenseRange(
  { min, max }: NonNullable<Field["range"]>,
  begin: number,
  end: number,
): DenseRange | undefined {
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
