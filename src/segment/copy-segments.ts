// Neighboring segments → one, without deleted documents. Their rows are copied as they are: nothing is weighed again.

import { createTally, type DensifyCounts } from "../densify/counts.ts";
import type { Rows } from "../densify/rows.ts";
import type { Bits } from "../support/numbers/bits.ts";
import { Turns, waitInBackground } from "../support/work/turns.ts";
import { ColumnsBuilder } from "./columns/columns-builder.ts";
import { FactorListsBuilder } from "./rows/factor-lists.ts";
import { type FieldLists, joinFieldLists } from "./rows/field-lists.ts";
import { IdsBuilder } from "./rows/ids.ts";
import { joinRows } from "./rows/join-rows.ts";
import { joinPositionLists, type PositionLists } from "./rows/position-lists.ts";
import type { JoinedLists } from "./rows/term-lists.ts";
import type { AverageLengths, SegmentSource } from "./segment.ts";
import type { SegmentContent } from "./segment-file.ts";

/** A segment that becomes part of another, and which of its documents are deleted. */
export interface SegmentToMerge {
  readonly source: SegmentSource;
  readonly deleted: Bits | undefined;
}

/** Copies the rows of one segment after another. `step` is called, and awaited, for every document. */
export async function copySegments(
  segments: readonly SegmentToMerge[],
  dims: number,
  semanticDims: number,
  step: () => Promise<void> | undefined,
): Promise<SegmentContent> {
  const ids = new IdsBuilder();
  const serials: number[] = [];
  const columns = new ColumnsBuilder();
  const parts: { rows: Rows; deleted: Bits | undefined }[] = [];
  const lists = new FactorListsBuilder();
  const counts = createTally();
  for (const { source, deleted } of segments) {
    const [metadata, factors] = [await source.columns(), await source.loadFactors()];
    parts.push({ rows: await source.loadRows(), deleted });
    for (let local = 0; local < source.rowCount; local++) {
      if (deleted?.get(local)) continue;
      ids.add(source.ids.bytesAt(local));
      serials.push(source.serials[local]);
      columns.addFrom(metadata, local);
      lists.add(factors?.at(local));
      const pause = step();
      if (pause) await pause;
    }
    for (const key of LOSSES) counts[key] += source.meta.counts[key];
  }
  const rows = joinRows(parts, dims, semanticDims);
  const averages = segments.flatMap(({ source }) => source.meta.averages ?? []);
  return {
    rows,
    ids: ids.finish(),
    serials: Float64Array.from(serials),
    columns: await new Turns(undefined, waitInBackground).run(columns.finishInSteps()),
    factors: lists.finish(),
    ...(await joinSegmentLists(segments)),
    counts: recount(rows, counts),
    ...(averages.length > 0 && { averages: joinAverages(averages) }),
  };
}

/** The positions and the counts by field of all segments. They do not depend on weights. */
export async function joinSegmentLists(
  segments: readonly SegmentToMerge[],
): Promise<Pick<SegmentContent, "positions" | "fieldLists">> {
  const positions: JoinedLists<PositionLists>[] = [];
  const counts: JoinedLists<FieldLists>[] = [];
  let next = 0;
  for (const { source, deleted } of segments) {
    const [ownPositions, ownCounts] = [await source.loadPositions(), await source.loadFieldLists()];
    if (!ownPositions && !ownCounts) return {};
    const newLocal = Int32Array.from({ length: source.rowCount }, (_, local) =>
      deleted?.get(local) ? -1 : next++,
    );
    if (ownPositions) positions.push({ lists: ownPositions, newLocal });
    if (ownCounts) counts.push({ lists: ownCounts, newLocal });
  }
  return {
    ...(positions.length > 0 && { positions: joinPositionLists(positions) }),
    ...(counts.length > 0 && { fieldLists: joinFieldLists(counts) }),
  };
}

/** Lost terms are not counted by document. So the lost terms of deleted documents count until rows are weighed again. */
const LOSSES = ["collisions", "discarded", "unknown", "weightless"] as const;

function recount({ docs, starts }: Rows, losses: DensifyCounts): DensifyCounts {
  const kept = starts[docs];
  const lost = LOSSES.reduce((sum, key) => sum + losses[key], 0);
  let empty = 0;
  for (let doc = 0; doc < docs; doc++) if (starts[doc] === starts[doc + 1]) empty++;
  return { ...losses, docs, empty, kept, terms: kept + lost };
}

function joinAverages(averages: readonly AverageLengths[]): AverageLengths {
  return {
    low: Math.min(...averages.map(({ low }) => low)),
    high: Math.max(...averages.map(({ high }) => high)),
  };
}
