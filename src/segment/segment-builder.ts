// Documents, one at a time → the content of a segment: rows, ids, serial numbers and metadata.

import { type Counts, emptyTally } from "../densify/counts.ts";
import { Densifier } from "../densify/densify.ts";
import { type Rows, RowsBuilder } from "../densify/rows.ts";
import type { Slicing } from "../densify/slicing.ts";
import { ColumnsBuilder } from "../documents/columns-builder.ts";
import type { Fields } from "../documents/document.ts";
import { idfs } from "../weigh/bm25.ts";
import type { TermWeights } from "../weigh/term-weights.ts";
import { weigher } from "../weigh/weigher.ts";
import type { Weighting } from "../weigh/weighting.ts";
import { IdsBuilder } from "./ids.ts";
import type { Averages } from "./segment.ts";
import type { SegmentContent } from "./segment-file.ts";

export interface SegmentDocument {
  readonly id: Uint8Array;
  readonly serial: number;
  readonly fields: Fields;
  readonly terms: TermWeights;
  /** How many terms its text has, repetitions included. */
  readonly length: number;
  /** How many of its terms the vocabulary lacks. */
  readonly unknown: number;
}

export class SegmentBuilder {
  readonly #densifier: Densifier;
  readonly #weigh: ReturnType<typeof weigher>;
  readonly #importance: Float64Array | undefined;
  readonly #averages: Averages | undefined;
  readonly #rows: RowsBuilder;
  readonly #ids = new IdsBuilder();
  readonly #columns = new ColumnsBuilder();
  readonly #serials: number[] = [];
  readonly #tally = emptyTally();

  constructor(slicing: Slicing, weighting: Weighting) {
    const { dims, perSlice } = slicing.settings;
    this.#densifier = new Densifier(slicing);
    this.#weigh = weigher(weighting);
    this.#rows = new RowsBuilder(dims, perSlice);
    if (weighting.kind !== "bm25") return;
    this.#importance = idfs(weighting.statistics);
    const average = averageLength(weighting.statistics);
    this.#averages = { low: average, high: average };
  }

  add({ id, serial, fields, terms, length, unknown }: SegmentDocument): void {
    const { row, ...lost } = this.#densifier.densify(this.#weigh(terms, length), this.#importance);
    this.#rows.add(row);
    this.#ids.add(id);
    this.#serials.push(serial);
    this.#columns.add(fields);
    const tally = this.#tally;
    tally.docs++;
    tally.terms += terms.ids.length + unknown;
    tally.unknown += unknown;
    tally.kept += row.slices.length;
    tally.collisions += lost.collisions;
    tally.discarded += lost.discarded;
    tally.weightless += lost.weightless;
    if (row.slices.length === 0) tally.empty++;
  }

  /** Joins the rows with the vectors of the same documents, in the same order. */
  finish({ semanticDims, semantic }: Pick<Rows, "semanticDims" | "semantic">): SegmentContent {
    return {
      rows: { ...this.#rows.finish(), semanticDims, semantic },
      ids: this.#ids.finish(),
      serials: Float64Array.from(this.#serials),
      columns: this.#columns.finish(),
      counts: this.#tally satisfies Counts,
      ...(this.#averages && { averages: this.#averages }),
    };
  }
}

/** The average length; 0 if there are no documents, because JSON has no NaN. */
export function averageLength({ docs, length }: { readonly docs: number; readonly length: number }): number {
  return docs === 0 ? 0 : length / docs;
}
