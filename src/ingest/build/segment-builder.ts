// Documents with counted terms, one at a time → the content of a segment: weigh/ weighs the terms of each, densify/ makes a row of
// them, and the rows are collected, with ids and serial numbers. Vectors and metadata are joined at the end.

import { createTally, type DensifyCounts } from "../../densify/counts.ts";
import { Densifier } from "../../densify/densify.ts";
import { type Rows, RowsBuilder } from "../../densify/rows.ts";
import type { Slicing } from "../../densify/slicing.ts";
import type { ColumnsData } from "../../segment/columns/columns-format.ts";
import { FactorListsBuilder } from "../../segment/rows/factor-lists.ts";
import { buildFieldLists } from "../../segment/rows/field-lists.ts";
import { IdsBuilder } from "../../segment/rows/ids.ts";
import { buildPositionLists, type Occurrences } from "../../segment/rows/position-lists.ts";
import type { AverageLengths } from "../../segment/segment.ts";
import type { SegmentContent } from "../../segment/segment-file.ts";
import { runToEnd } from "../../support/work/turns.ts";
import { averageLength, idfs } from "../../weigh/bm25.ts";
import { createWeigher } from "../../weigh/weigher.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import type { SegmentDocument } from "../collect/segment-document.ts";

export class SegmentBuilder {
  readonly #densifier: Densifier;
  readonly #weigh: ReturnType<typeof createWeigher>;
  readonly #importance: Float64Array | undefined;
  readonly #averages: AverageLengths | undefined;
  readonly #rows: RowsBuilder;
  readonly #ids = new IdsBuilder();
  readonly #factors = new FactorListsBuilder();
  readonly #occurrences: Occurrences[] = [];
  readonly #countedByField: Parameters<typeof buildFieldLists>[0][number][] = [];
  readonly #serials: number[] = [];
  readonly #tally = createTally();

  constructor(slicing: Slicing, weighting: Weighting) {
    const { dims, perSlice } = slicing.settings;
    this.#densifier = new Densifier(slicing);
    this.#weigh = createWeigher(weighting);
    this.#rows = new RowsBuilder(dims, perSlice);
    if (weighting.kind !== "bm25") return;
    this.#importance = idfs(weighting.statistics);
    const average = averageLength(weighting.statistics);
    this.#averages = { low: average, high: average };
  }

  add({ id, serial, terms, length, unknown, occurrences, byField }: SegmentDocument): void {
    const { row, ...lost } = this.#densifier.densify(this.#weigh(terms, length), this.#importance);
    this.#rows.add(row);
    this.#ids.add(id);
    this.#factors.add(terms.factors);
    this.#serials.push(serial);
    if (occurrences) this.#occurrences.push(occurrences);
    if (byField) this.#countedByField.push({ ids: terms.ids, factors: terms.factors, ...byField });
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

  /** Joins the rows with the vectors and the metadata of the same documents, in the same order. */
  finish(vectors: Pick<Rows, "semanticDims" | "semantic">, columns: ColumnsData): SegmentContent {
    return runToEnd(this.finishInSteps(vectors, columns));
  }

  /** `finish` in steps: it yields now and then, so that other work can run. */
  *finishInSteps(
    { semanticDims, semantic }: Pick<Rows, "semanticDims" | "semantic">,
    columns: ColumnsData,
  ): Generator<undefined, SegmentContent> {
    const positions =
      this.#occurrences.length > 0 &&
      (yield* buildPositionLists(this.#occurrences, this.#countedByField.length > 0));
    return {
      rows: { ...this.#rows.finish(), semanticDims, semantic },
      ids: this.#ids.finish(),
      serials: Float64Array.from(this.#serials),
      columns,
      factors: this.#factors.finish(),
      ...(positions && { positions }),
      ...(this.#countedByField.length > 0 && { fieldLists: buildFieldLists(this.#countedByField) }),
      counts: this.#tally satisfies DensifyCounts,
      ...(this.#averages && { averages: this.#averages }),
    };
  }
}
