// The order of the values of fields: false, true, numbers, texts. And the columns of a field in all segments → the rank of
// each code in that order, so that documents of different segments can be compared.

import type { Scalar } from "../../documents/filter.ts";
import type { Column } from "../../segment/columns/columns.ts";

const TYPES = ["boolean", "number", "string"];

/** Values of the same type by their order, texts by UTF-16 code unit; others by their types. */
export function compareScalars(a: Scalar, b: Scalar): number {
  if (typeof a !== typeof b) return TYPES.indexOf(typeof a) - TYPES.indexOf(typeof b);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The ranks of the codes of columns, in the order of their values. */
export interface CodeRanks {
  /** How many ranks there are. Equal values have the same rank. The last is for documents without a value. */
  readonly rankCount: number;
  /** For each column: the rank of each code. */
  readonly ofCodes: readonly Uint32Array[];
}

/** The ranks of the codes of columns. A list has the rank of the value that comes first in the order. */
export function rankFieldValues(
  columns: readonly (Column | undefined)[],
  order: "asc" | "desc" = "asc",
): CodeRanks {
  const all = columns.flatMap((column) => column?.values() ?? []);
  const sorted = [...new Set(all)].sort(compareScalars);
  if (order === "desc") sorted.reverse();
  const rankOf = new Map(sorted.map((value, rank) => [value, rank]));
  const last = sorted.length;
  const ofCodes = columns.map((column) => {
    const ranks = new Uint32Array(column?.codeCount ?? 1).fill(last);
    for (let code = 1; code < ranks.length; code++) {
      const entry = column!.entry(code);
      for (const value of typeof entry === "object" ? entry : [entry]) {
        if (value !== null) ranks[code] = Math.min(ranks[code], rankOf.get(value)!);
      }
    }
    return ranks;
  });
  return { rankCount: last + 1, ofCodes };
}
