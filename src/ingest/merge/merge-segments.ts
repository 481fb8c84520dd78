// Neighboring segments → one, without deleted documents. Rows are copied (copy-segments.ts). If the average length of documents has
// changed too much since then, rows are weighed again from the stored texts, with the factors that their segments keep.

import type { Slicing } from "../../densify/slicing.ts";
import type { Document, Fields } from "../../documents/document.ts";
import { ColumnsBuilder } from "../../segment/columns/columns-builder.ts";
import { copySegments, joinSegmentLists, type SegmentToMerge } from "../../segment/copy-segments.ts";
import type { SegmentContent } from "../../segment/segment-file.ts";
import { type OnProgress, PROGRESS_STEP } from "../../support/options/progress.ts";
import { Turns, waitInBackground } from "../../support/work/turns.ts";
import { averageLength } from "../../weigh/bm25.ts";
import { documentTerms } from "../../weigh/terms.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import { SegmentBuilder } from "../build/segment-builder.ts";

/** Rows are weighted again if the average length differs by more than this share. */
const MOST_DRIFT = 0.05;

interface MergeInput {
  readonly segments: readonly SegmentToMerge[];
  readonly slicing: Slicing;
  readonly weighting: Weighting;
  readonly semanticDims: number;
  fieldsOf(serial: number): Fields;
  /** Weighs rows again even if the average length has not drifted. */
  readonly reweighs: boolean;
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
    (input.reweighs || input.segments.some((state) => hasDrifted(state, input)));
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
      onProgress?.({ task: "merging", done, total });
      checkpoint();
    }
    return isStep || turns.isDue ? turns.next() : undefined;
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
  return { ...content, ...(await joinSegmentLists(segments)) };
}
