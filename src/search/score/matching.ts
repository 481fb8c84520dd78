// A prepared query and a segment → the documents that hold its words. Posting lists say it; a small segment, or one whose
// rows are not inverted, is read row by row.

import type { Row, Rows } from "../../densify/rows.ts";
import { DISCARDED, type Slicing } from "../../densify/slicing.ts";
import type { PreparedQuery } from "../../query/query-preparer.ts";
import { FEW_DOCS } from "../../scan/contract/first-stage.ts";
import { scannerOf } from "../../scan/wasm/load-scanner.ts";
import type { ScanPool } from "../../scan/wasm/thread-pool.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { rowsFit, type SearchResources } from "./search-snapshot.ts";

/** Cells of which a document must hold at least one. */
export type AnyOf = Pick<Row, "slices" | "indices">;

/**
 * What a document must hold: one cell of each entry. `any` is one entry with all cells of the query's row. `all` has an entry
 * for each word of the query; undefined if no document holds one of them. Terms that the encoder added, corrections,
 * completions and synonyms do not count, because they are not words of the query. Nor do terms that the slicing discards: no row
 * holds them.
 */
export function cellsToHold(
  slicing: Slicing,
  { row, terms }: Pick<PreparedQuery, "row" | "terms">,
  match: "any" | "all",
): AnyOf[] | undefined {
  if (match === "any") return [row];
  const words = terms.filter(
    ({ expanded, from, fate }) => !expanded && from === undefined && fate !== "discarded",
  );
  if (words.some(({ fate }) => fate === "unknown")) return undefined;
  const known = words.flatMap(({ term }) => {
    const id = slicing.vocabulary.id(term);
    return id === undefined ? [] : [{ id }];
  });
  return cellsOfTerms(slicing, known);
}

/** The cells of terms, an entry each. No row holds a term that the slicing discards, so it is left out. */
export function cellsOfTerms(slicing: Slicing, terms: readonly { readonly id: number }[]): AnyOf[] {
  return terms.flatMap(({ id }) => {
    if (slicing.slices[id] === DISCARDED) return [];
    return [{ slices: Uint32Array.of(slicing.slices[id]), indices: Uint16Array.of(slicing.indices[id]) }];
  });
}

/** For each segment, the documents that hold one cell of each entry. Without entries, no document does. */
export function documentsHolding(
  snapshot: Snapshot,
  entries: readonly AnyOf[] | undefined,
  resources: SearchResources,
): Promise<Bits[]> {
  const fits = rowsFit(snapshot, resources);
  return Promise.all(snapshot.segments.map((segment) => holdingIn(segment, entries, fits, resources.pool)));
}

async function holdingIn(
  { source, docs }: Segment,
  entries: readonly AnyOf[] | undefined,
  fits: boolean,
  pool: ScanPool | undefined,
): Promise<Bits> {
  if (!entries) return new Bits(docs);
  if (entries.length === 0) return Bits.all(docs);
  const scanner = docs > FEW_DOCS ? await scannerOf(source, fits, pool) : undefined;
  const rows = scanner?.hasLists ? undefined : await source.rows();
  const holders = entries.map((cells) =>
    rows
      ? holdingRows(rows, cells)
      : scanner!.holding({ ...cells, values: new Float32Array(cells.slices.length).fill(1) }, docs),
  );
  return holders.reduce((all, each) => all.and(each));
}

function holdingRows({ docs, starts, slices, indices }: Rows, cells: AnyOf): Bits {
  const indexOf = new Map(Array.from(cells.slices, (slice, i) => [slice, cells.indices[i]]));
  const bits = new Bits(docs);
  for (let local = 0; local < docs; local++) {
    for (let i = starts[local]; i < starts[local + 1]; i++) {
      if (indexOf.get(slices[i]) !== indices[i]) continue;
      bits.set(local);
      break;
    }
  }
  return bits;
}
