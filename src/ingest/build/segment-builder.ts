// Documents with counted terms, one at a time → the content of a segment: weigh/ weighs the terms of each, densify/ makes a row of
// them, and the rows are collected, with ids and serial numbers. Vectors and metadata are joined at the end.

import { createTally, type DensifyCounts } from "../../densify/counts.ts";
import { type Densified, Densifier } from "../../densify/densify.ts";
import { FullRowsBuilder } from "../../densify/full-rows.ts";
import { type Rows, RowsBuilder, sortSlots } from "../../densify/rows.ts";
import type { Slicing } from "../../densify/slicing.ts";
import type { ColumnsData } from "../../segment/columns/columns-format.ts";
import { type CodeOptions, readsSlotsInOrder } from "../../segment/layout.ts";
import { FactorListsBuilder } from "../../segment/rows/factor-lists.ts";
import { buildFieldLists } from "../../segment/rows/field-lists.ts";
import { IdsBuilder } from "../../segment/rows/ids.ts";
import { buildPositionLists, type Occurrences } from "../../segment/rows/position-lists.ts";
import type { AverageLengths } from "../../segment/segment.ts";
import type { SegmentContent } from "../../segment/segment-file.ts";
import { runToEnd } from "../../support/work/turns.ts";
import { averageLength, idfs } from "../../weigh/bm25.ts";
import type { TermCounts } from "../../weigh/term-weights.ts";
import { createFloat16Weigher, createWeigher } from "../../weigh/weigher.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import type { SegmentDocument } from "../collect/segment-document.ts";

/** What is known of a segment before its first document, if its rows are only laid out. */
interface ExpectedRows {
  /** How many documents and terms come at most. */
  readonly docs: number;
  readonly terms: number;
  /** The shape of product codes in the layout. */
  readonly quantize: CodeOptions | undefined;
}

export class SegmentBuilder {
  readonly #densifier: Densifier;
  readonly #weigh: ReturnType<typeof createWeigher>;
  readonly #weighting: Weighting;
  /** BM25's idf of each term, once it is needed. */
  #importance: Float64Array | undefined;
  readonly #averages: AverageLengths | undefined;
  readonly #rows: RowsBuilder;
  /** Instead of `#rows`, if every term has a slice for itself. */
  readonly #fullRows: FullRowsBuilder | undefined;
  readonly #expected: ExpectedRows | undefined;
  readonly #ids = new IdsBuilder();
  readonly #factors = new FactorListsBuilder();
  readonly #occurrences: Occurrences[] = [];
  readonly #countedByField: Parameters<typeof buildFieldLists>[0][number][] = [];
  readonly #serials: number[] = [];
  readonly #tally = createTally();

  /** With `expected`, the slots of the rows are in the order that their layout needs. */
  constructor(slicing: Slicing, weighting: Weighting, expected?: ExpectedRows) {
    const { dims, perSlice, strategy } = slicing.settings;
    this.#densifier = new Densifier(slicing);
    this.#weighting = weighting;
    this.#weigh = createWeigher(weighting);
    this.#rows = new RowsBuilder(dims, perSlice);
    if (expected && strategy === "full") {
      const { docs, terms } = expected;
      this.#fullRows = new FullRowsBuilder(dims, docs, terms, createFloat16Weigher(weighting));
      this.#expected = expected;
    }
    if (weighting.kind !== "bm25") return;
    const average = averageLength(weighting.statistics);
    this.#averages = { low: average, high: average };
  }

  add({ id, serial, terms, length, unknown, occurrences, byField }: SegmentDocument): void {
    const count = terms.ids.length;
    const lost = this.#addRow(terms, length);
    this.#ids.add(id);
    this.#factors.add(terms.factors);
    this.#serials.push(serial);
    if (occurrences) this.#occurrences.push(occurrences);
    if (byField) this.#countedByField.push({ ids: terms.ids, factors: terms.factors, ...byField });
    const kept = count - lost.collisions - lost.discarded - lost.weightless;
    const tally = this.#tally;
    tally.docs++;
    tally.terms += count + unknown;
    tally.unknown += unknown;
    tally.kept += kept;
    tally.collisions += lost.collisions;
    tally.discarded += lost.discarded;
    tally.weightless += lost.weightless;
    if (kept === 0) tally.empty++;
  }

  /** Adds the row of a document. Returns which of its terms were lost. */
  #addRow(terms: TermCounts, length: number): Omit<Densified, "row"> {
    const weightless = this.#fullRows?.add(terms, length);
    if (weightless !== undefined) return { collisions: 0, discarded: 0, weightless };
    const { row, ...lost } = this.#densifier.densify(this.#weigh(terms, length), this.#idfs());
    this.#rows.add(row);
    return lost;
  }

  #idfs(): Float64Array | undefined {
    if (this.#weighting.kind === "bm25") this.#importance ??= idfs(this.#weighting.statistics);
    return this.#importance;
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
    const lexical = (this.#fullRows ?? this.#rows).finish();
    if (this.#expected && readsSlotsInOrder(lexical, this.#expected.quantize)) sortSlots(lexical);
    return {
      rows: { ...lexical, semanticDims, semantic },
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
