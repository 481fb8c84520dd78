// Queries → the words that shaders read. They are sent to the device before its passes are recorded.

import { computeCeiling, computeLeftOutBounds, nonZeroDims, semanticLength } from "./bounds.ts";
import {
  batchWidth,
  type DevicePlan,
  type DeviceQuery,
  type DeviceSearchOptions,
  type DeviceTuning,
  scanTuning,
} from "./device-plan.ts";
import { layOutBatch, layOutDense, type QueryHeader } from "./query-words.ts";
import { denseWords } from "./rescore-shaders.ts";
import type { ResidentRows } from "./resident-rows.ts";
import { BIN_SHIFT, BINS, float32Up, scoreToKey } from "./wgsl.ts";
import { BATCH_WIDTH, type Workspace } from "./workspace.ts";

const NO_WORDS = new Uint32Array();

/** With `shared`, one pass serves all queries; it reads a table of them instead of their entries. */
export function uploadQueries(
  { device, shape, statistics }: ResidentRows,
  tuning: DeviceTuning,
  space: Workspace,
  queries: readonly DeviceQuery[],
  plan: DevicePlan,
  sizes: Pick<QueryHeader, "first" | "second">,
  { skipsZeros = false }: DeviceSearchOptions,
  isShared: boolean,
): void {
  const { queue } = device.gpu;
  const padded = Math.ceil(queries.length / BATCH_WIDTH) * BATCH_WIDTH;
  const { queryWords: words } = space;
  words.start(padded);
  if (isShared) words.words.fill(0, 0, words.usedWords);
  const bytes = plan.kind === "certified" && plan.by === "bytes";
  const hasCeiling = plan.kind === "certified" && plan.by === "ceiling";
  queries.forEach(({ query, selected = query }, i) => {
    const asked = bytes || plan.kind === "exact" ? query : selected;
    const left = hasCeiling ? computeLeftOutBounds(query, asked, statistics) : { length: 0, most: 0 };
    const isGated = !(plan.kind === "stages" && plan.by === "inner-product");
    // Rounding up to bytes adds at most a 255th of a slice's largest value, and half a percent to a vector.
    const within = computeCeiling(asked, statistics, isGated && !bytes) * (bytes ? 1.02 : 1);
    const slack =
      bytes || hasCeiling
        ? (nonZeroDims(query) + 16) * 2 ** -23 * (within + left.length * statistics.maxLength)
        : 0;
    const most = within + Math.min(left.most, left.length * statistics.maxLength) + slack;
    const header: QueryHeader = {
      ...sizes,
      lowKey: lowKeyFor(most),
      leastKey: skipsZeros && plan.kind === "exact" ? scoreToKey(0) + 1 : 1,
      capacity: space.size.capacity,
      leftLength: float32Up(left.length),
      leftMost: float32Up(left.most),
      slack: float32Up(slack),
      semanticLength: float32Up(semanticLength(query) * (1 + 2 ** -20)),
    };
    const entries = isShared ? { ...query, slices: NO_WORDS, semantic: undefined } : asked;
    const { unroll } = scanTuning(tuning, bytes ? "bytes" : "float16");
    words.write(i, entries, header, unroll, bytes ? statistics.byteScales : undefined);
  });
  let used = words.usedWords;
  if (plan.kind !== "exact") {
    const each = denseWords(shape);
    space.denseWords.fill(0, 0, queries.length * each);
    for (const [i, { query }] of queries.entries()) {
      layOutDense(query, shape.dims, space.denseWords, i * each);
    }
    used = words.words.length + queries.length * each;
  }
  queue.writeBuffer(space.input, 0, space.inputWords, 0, used);
  if (isShared) {
    const width = batchWidth(tuning, queries.length);
    const groups = Math.ceil(queries.length / width);
    const tabled = groups * (shape.dims * 2 + shape.semanticDims) * width;
    space.tableWords.fill(0, 0, tabled);
    layOutBatch(
      queries.map(({ query, selected = query }) => (plan.kind === "exact" ? query : selected)),
      shape,
      width,
      space.tableWords,
    );
    queue.writeBuffer(space.table, 0, space.tableWords, 0, tabled);
  }
}

/** Lowest sort key of the histogram, so that its bins end at the highest possible score. Never below the key of 0. */
function lowKeyFor(most: number): number {
  return Math.max(0x8000_0000, scoreToKey(float32Up(most)) - (BINS - 1) * 2 ** BIN_SHIFT);
}
