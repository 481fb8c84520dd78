// The order of the values of fields: false, true, numbers, texts. And the columns of a field in all segments → the place of
// each code in that order, so that documents of different segments can be compared.

import type { Scalar } from "../../documents/filter.ts";
import type { Column } from "../../segment/columns/columns.ts";

const TYPES = ["boolean", "number", "string"];

/** Values of the same type by their order, texts by UTF-16 code unit; others by their types. */
export function compareScalars(a: Scalar, b: Scalar): number {
  if (typeof a !== typeof b) return TYPES.indexOf(typeof a) - TYPES.indexOf(typeof b);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The places of documents, if they are sorted by a field. */
export interface FieldPlaces {
  /** How many places there are. Documents with the same value have the same. The last is for documents without a value. */
  readonly places: number;
  /** For each column: the place of each code. */
  readonly ofCodes: readonly Uint32Array[];
}

/** The places of the codes of columns. A list has the place of the value that comes first in the order. */
export function rankFieldValues(
  columns: readonly (Column | undefined)[],
  order: "asc" | "desc" = "asc",
): FieldPlaces {
  const all = columns.flatMap((column) => column?.values() ?? []);
  const sorted = [...new Set(all)].sort(compareScalars);
  if (order === "desc") sorted.reverse();
  const placeOf = new Map(sorted.map((value, place) => [value, place]));
  const last = sorted.length;
  const ofCodes = columns.map((column) => {
    const places = new Uint32Array(column?.codeCount ?? 1).fill(last);
    for (let code = 1; code < places.length; code++) {
      const entry = column!.entry(code);
      for (const value of typeof entry === "object" ? entry : [entry]) {
        if (value !== null) places[code] = Math.min(places[code], placeOf.get(value)!);
      }
    }
    return places;
  });
  return { places: last + 1, ofCodes };
}
