// The input and output of a search on a device: queries, plans and options in; documents with scores out.

import type { QueryRow } from "../../densify/rows.ts";
import { BATCH_TUNING, type BatchTuning } from "./batch-shader.ts";
import type { StageTime } from "./recorder.ts";
import { SCAN_TUNING, type ScanKind, type ScanTuning } from "./scan-shader.ts";
import { BATCH_WIDTH } from "./workspace.ts";

export type DevicePlan =
  | { readonly kind: "exact" }
  | { readonly kind: "stages"; readonly by: "gated" | "inner-product"; readonly candidates: number }
  | { readonly kind: "certified"; readonly by: "ceiling" | "bytes"; readonly candidates: number };

/** A query as a device takes it. */
export interface DeviceQuery {
  /** The query; its semantic part is multiplied by λ. */
  readonly query: QueryRow;
  /** The part of the query that the first stage uses; by default all of it. A first stage by bytes always uses all. */
  readonly selected?: QueryRow;
}

/** What a device answers. */
export interface DeviceAnswer {
  /** Best first; equal scores go to the lower `doc`. */
  readonly docs: Uint32Array;
  readonly scores: Float32Array;
  /** Whether no other document belongs here, except for scores that differ by less than twice the error. */
  readonly exact: boolean;
  /** How far a score can be from the definition, at most. */
  readonly error: number;
  /** Documents that were rescored. */
  readonly candidates: number;
  /** With a certified plan: the most that a document can score that was not rescored. */
  readonly bound?: number;
}

export interface DeviceSearchOptions {
  /** Leaves out documents with a score of 0 or less: for queries without a semantic part. */
  readonly skipsZeros?: boolean;
  /** Called with the time of each stage, if the device has timestamps. */
  readonly onStages?: (times: StageTime[]) => void;
}

export interface DeviceTuning {
  /** A tuning for all kinds of scans. By default each kind of scan has its own tuning. */
  readonly scan?: ScanTuning;
  readonly batch: BatchTuning;
  /** The number of queries from which exact scans share a pass. */
  readonly shareFrom: number;
  /** How many queries are searched at a time. */
  readonly queries: number;
  /**
   * How many documents a query of a batch may collect. If it collects more, it is searched again alone, with room for
   * all.
   */
  readonly capacity: number;
}

export const DEVICE_TUNING: DeviceTuning = {
  batch: BATCH_TUNING,
  shareFrom: 3,
  queries: 64,
  capacity: 65_536,
};

/** The kind of scan that a plan's first stage needs. */
export function chooseScanKind(plan: DevicePlan, indexBytes: 1 | 2): ScanKind {
  return {
    values: plan.kind === "certified" && plan.by === "bytes" ? "bytes" : "float16",
    isGated: !(plan.kind === "stages" && plan.by === "inner-product"),
    hasCeiling: plan.kind === "certified" && plan.by === "ceiling",
    indexBytes,
  };
}

export const scanTuning = ({ scan }: DeviceTuning, values: ScanKind["values"]): ScanTuning =>
  scan ?? SCAN_TUNING[values];

/** Queries whose sums a thread of a shared pass holds. */
export function batchWidth({ batch }: DeviceTuning, queries: number): number {
  return Math.min(batch.queries, queries <= 4 ? 4 : queries <= 8 ? 8 : BATCH_WIDTH);
}
