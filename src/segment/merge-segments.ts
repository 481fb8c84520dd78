// Neighboring segments → one, without deleted documents. Rows are copied. If the average length of documents has changed too much
// since they were weighted, they are weighted again from the stored texts, with the factors that their segments keep.

import { type Counts, createTally } from "../densify/counts.ts";
import type { Rows } from "../densify/rows.ts";
import type { Slicing } from "../densify/slicing.ts";
import type { Document, Fields } from "../documents/document.ts";
import type { Bits } from "../support/numbers/bits.ts";
import { type OnProgress, PROGRESS_STEP } from "../support/options/progress.ts";
import { Turns, waitInBackground } from "../support/work/turns.ts";
import { averageLength } from "../weigh/bm25.ts";
import { documentTerms } from "../weigh/terms.ts";
import type { Weighting } from "../weigh/weighting.ts";
import { ColumnsBuilder } from "./columns/columns-builder.ts";
import { FactorListsBuilder } from "./rows/factor-lists.ts";
import { type FieldLists, joinFieldLists } from "./rows/field-lists.ts";
import { IdsBuilder } from "./rows/ids.ts";
import { joinRows } from "./rows/join-rows.ts";
import { joinPositionLists, type PositionLists } from "./rows/position-lists.ts";
import type { JoinedLists } from "./rows/term-lists.ts";
import type { AverageLengths, SegmentSource } from "./segment.ts";
import { SegmentBuilder } from "./segment-builder.ts";
import type { SegmentContent } from "./segment-file.ts";

/** Rows are weighted again if the average length differs by more than this share. */
const MOST_DRIFT = 0.05;

/** A segment that becomes part of another, and which of its documents are deleted. */
interface SegmentToMerge {
  readonly source: SegmentSource;
  readonly deleted: Bits | undefined;
}

interface MergeInput {
  readonly segments: readonly SegmentToMerge[];
  readonly slicing: Slicing;
  readonly weighting: Weighting;
  readonly semanticDims: number;
  fieldsOf(serial: number): Fields;
  /** Weights rows again in any case. */
  readonly reweigh: boolean;
  readonly onProgress?: OnProgress | undefined;
  /** Throws if the merge is to stop. */
  checkpoint(): void;
}

/** The merged segment; undefined if no document is left. */
export async function mergeSegments(input: MergeInput): Promise<SegmentContent | undefined> {
  const docs = input.segments.reduce(
    (sum, { source, deleted }) => sum + source.rowCount - (deleted?.count() ?? 0),
    0,
  );
  if (docs === 0) return undefined;
  const step = createStepper(docs, input);
  const isStale =
    input.weighting.kind === "bm25" &&
    (input.reweigh || input.segments.some((state) => hasDrifted(state, input)));
  if (isStale) return reweighSegments(input, step);
  return copySegments(input.segments, input.slicing.settings.dims, input.semanticDims, step);
}

function hasDrifted({ source }: SegmentToMerge, { weighting }: MergeInput): boolean {
  const { averages } = source.meta;
  if (weighting.kind !== "bm25" || !averages) return false;
  const now = averageLength(weighting.statistics);
  return averages.low * (1 + MOST_DRIFT) < now || averages.high > now * (1 + MOST_DRIFT);
}

/** Counts documents, and lets other work run after each turn. */
function createStepper(
  total: number,
  { onProgress, checkpoint }: MergeInput,
): () => Promise<void> | undefined {
  const turns = new Turns(undefined, waitInBackground);
  let done = 0;
  return () => {
    done++;
    const isStep = done % PROGRESS_STEP === 0 || done === total;
    if (isStep) {
      onProgress?.({ stage: "merging", done, total });
      checkpoint();
    }
    return isStep || turns.isDue ? turns.next() : undefined;
  };
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
    ...(await joinLists(segments)),
    counts: recount(rows, counts),
    ...(averages.length > 0 && { averages: joinAverages(averages) }),
  };
}

/** Positions and counts by field are copied even if rows are weighted again: they do not depend on weights. */
async function joinLists(
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

/** Lost terms are not counted by document, so those of deleted documents count until rows are weighted again. */
const LOSSES = ["collisions", "discarded", "unknown", "weightless"] as const;

function recount({ docs, starts }: Rows, losses: Counts): Counts {
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

async function reweighSegments(
  { segments, slicing, weighting, semanticDims, fieldsOf }: MergeInput,
  step: () => Promise<void> | undefined,
): Promise<SegmentContent> {
  const builder = new SegmentBuilder(slicing, weighting);
  const columns = new ColumnsBuilder();
  const live = segments.reduce(
    (sum, { source, deleted }) => sum + source.rowCount - (deleted?.count() ?? 0),
    0,
  );
  const semantic = new Uint16Array(live * semanticDims);
  let vectorsEnd = 0;
  for (const { source, deleted } of segments) {
    const vectors = (await source.sections.loadSection("semantic")) as Uint16Array;
    const lists = await source.loadFactors();
    for (let local = 0; local < source.rowCount; local++) {
      if (deleted?.get(local)) continue;
      const serial = source.serials[local];
      const fields = fieldsOf(serial);
      const { bag, length } = documentTerms(fields as Document, weighting, `document ${serial}`);
      const known = [...bag].flatMap(([term, count]) => {
        const id = slicing.vocabulary.findId(term);
        return id === undefined ? [] : [[id, count] as const];
      });
      const factors = lists?.at(local);
      builder.add({
        id: source.ids.bytesAt(local),
        serial,
        terms: {
          ids: known.map(([id]) => id),
          counts: known.map(([, count]) => count),
          ...(factors && { factors }),
        },
        length,
        unknown: bag.size - known.length,
      });
      columns.add(fields);
      semantic.set(vectors.subarray(local * semanticDims, (local + 1) * semanticDims), vectorsEnd);
      vectorsEnd += semanticDims;
      const pause = step();
      if (pause) await pause;
    }
  }
  const written = await new Turns(undefined, waitInBackground).run(columns.finishInSteps());
  const content = builder.finish({ semanticDims, semantic }, written);
  return { ...content, ...(await joinLists(segments)) };
}
