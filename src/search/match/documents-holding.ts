// A prepared query and a segment → the documents that hold its words. Uses posting lists; small or uninverted segments are
// read row by row.

import type { Row, Rows } from "../../densify/rows.ts";
import { DISCARDED, type Slicing } from "../../densify/slicing.ts";
import type { PreparedQuery } from "../../query/prepare/query-preparer.ts";
import { FEW_DOCS } from "../../scan/contract/first-stage.ts";
import { loadScanner } from "../../scan/load-scanner.ts";
import { doRowsFitInMemory, type SearchResources } from "../../scan/search-resources.ts";
import type { ScanPool } from "../../scan/wasm/scan-pool.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";

/** Cells of which a document must hold at least one. */
type AlternativeCells = Pick<Row, "slices" | "indices">;

/**
 * What a document must hold: one cell of each entry. `any` is one entry with all cells of the query's row. `all` has an entry
 * for each word of the query: the cells of its term, its corrections and its completions; undefined if no document
 * holds one of them, or the query has no words. Terms that the encoder added and synonyms do not count, because they are not
 * words of the query. Nor do terms that the slicing discards: no row holds them.
 */
export function requiredCells(
  slicing: Slicing,
  { row, terms }: Pick<PreparedQuery, "row" | "terms">,
  match: "any" | "all",
): AlternativeCells[] | undefined {
  if (match === "any") return [row];
  const words = requiredWords(slicing, { terms });
  return (
    words &&
    cellsOfWords(
      slicing,
      words.map(({ ids }) => ids),
    )
  );
}

/**
 * The words of a query: for each, the ids of its terms, and the field if it counts in one alone. Undefined if no document can
 * hold them all: a word is unknown, or the query has no words.
 */
export function requiredWords(
  { vocabulary }: Slicing,
  { terms }: Pick<PreparedQuery, "terms">,
): { readonly ids: number[]; readonly field: string | undefined }[] | undefined {
  const words = terms.filter(
    ({ expanded, from, fate }) => !expanded && from === undefined && fate !== "discarded",
  );
  if (words.length === 0) return undefined;
  if (words.some(({ fate, alternatives }) => fate === "unknown" && !alternatives)) return undefined;
  return words.map(({ term, fate, field, alternatives = [] }) => {
    const own = fate === "unknown" ? [] : [term];
    return { ids: [...own, ...alternatives].flatMap((each) => vocabulary.findId(each) ?? []), field };
  });
}

/**
 * The cells of words, an entry each; a word has the ids of the terms that may stand for it. No row holds a term that the slicing
 * discards, so it is left out.
 */
export function cellsOfWords(slicing: Slicing, words: readonly (readonly number[])[]): AlternativeCells[] {
  return words.flatMap((ids) => {
    const held = ids.filter((id) => slicing.slices[id] !== DISCARDED);
    if (held.length === 0) return [];
    const slices = Uint32Array.from(held, (id) => slicing.slices[id]);
    return [{ slices, indices: Uint16Array.from(held, (id) => slicing.indices[id]) }];
  });
}

/** For each segment, the documents that hold one cell of each entry. `undefined`: no document; an empty list: all. */
export function findDocumentsHolding(
  snapshot: Snapshot,
  entries: readonly AlternativeCells[] | undefined,
  resources: SearchResources,
): Promise<Bits[]> {
  const rowsFitInMemory = doRowsFitInMemory(snapshot, resources);
  return Promise.all(
    snapshot.segments.map((segment) => findHolders(segment, entries, rowsFitInMemory, resources.pool)),
  );
}

async function findHolders(
  { source, rowCount }: Segment,
  entries: readonly AlternativeCells[] | undefined,
  rowsFitInMemory: boolean,
  pool: ScanPool | undefined,
): Promise<Bits> {
  if (!entries) return new Bits(rowCount);
  if (entries.length === 0) return Bits.all(rowCount);
  const scanner = rowCount > FEW_DOCS ? await loadScanner(source, rowsFitInMemory, pool) : undefined;
  const rows = scanner?.hasPackedLists ? undefined : await source.loadRows();
  const holders = entries.map((cells) =>
    rows
      ? findHoldersInRows(rows, cells)
      : scanner!.findDocumentsHolding(
          { ...cells, values: new Float32Array(cells.slices.length).fill(1) },
          rowCount,
        ),
  );
  return holders.reduce((all, each) => all.and(each));
}

function findHoldersInRows({ docs, starts, slices, indices }: Rows, cells: AlternativeCells): Bits {
  const wanted = new Map<number, Set<number>>();
  for (const [i, slice] of cells.slices.entries())
    wanted.set(slice, (wanted.get(slice) ?? new Set()).add(cells.indices[i]));
  const bits = new Bits(docs);
  for (let local = 0; local < docs; local++) {
    for (let i = starts[local]; i < starts[local + 1]; i++) {
      if (!wanted.get(slices[i])?.has(indices[i])) continue;
      bits.set(local);
      break;
    }
  }
  return bits;
}
