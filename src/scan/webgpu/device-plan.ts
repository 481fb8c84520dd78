// What a device is asked, and what it answers.

import type { QueryRow } from "../../densify/rows.ts";
import { BATCH_TUNING, type BatchTuning } from "./batch-shader.ts";
import type { StageTime } from "./recorder.ts";
import { SCAN_TUNING, type ScanKind, type ScanTuning } from "./scan-shader.ts";
import { BATCH_WIDTH } from "./workspace.ts";

export type DevicePlan =
  | { readonly kind: "exact" }
  | { readonly kind: "stages"; readonly by: "gated" | "inner-product"; readonly candidates: number }
  | { readonly kind: "certified"; readonly by: "ceiling" | "bytes"; readonly candidates: number };

export interface Question {
  /** With λ in its semantic part. */
  readonly query: QueryRow;
  /** The part that the first stage looks at; all of it where there is none. Bytes are always asked everything. */
  readonly selected?: QueryRow;
}

export interface Answer {
  /** Best first, equal scores by lower number. */
  readonly docs: Uint32Array;
  readonly scores: Float32Array;
  /** Whether no other document can belong here, but for scores that differ by less than twice the error. */
  readonly exact: boolean;
  /** How far a score can be from the definition, at most. */
  readonly error: number;
  /** Documents that were rescored. */
  readonly candidates: number;
  /** Of a certified plan: the most that a document which was not rescored can score. */
  readonly bound?: number;
}

export interface SearchOptions {
  /** Documents with a score of 0 or less are no hits: for queries without a semantic part. */
  readonly positive?: boolean;
  /** Called with the time each stage took, where the device has timestamps. */
  readonly onStages?: (times: StageTime[]) => void;
}

export interface Tuning {
  /** One for all kinds of scans; by default each has its own. */
  readonly scan?: ScanTuning;
  readonly batch: BatchTuning;
  /** From so many queries on, exact scans share a pass. */
  readonly shareFrom: number;
  /** Queries at a time. */
  readonly queries: number;
  /** Documents that a query of a batch may collect before it is asked again alone, with room for all. */
  readonly capacity: number;
}

export const TUNING: Tuning = {
  batch: BATCH_TUNING,
  shareFrom: 3,
  queries: 64,
  capacity: 65_536,
};

/** How a plan's first stage scans rows whose indices take so many bytes. */
export function scanKindOf(plan: DevicePlan, indexBytes: 1 | 2): ScanKind {
  return {
    values: plan.kind === "certified" && plan.by === "bytes" ? "bytes" : "float16",
    gated: !(plan.kind === "stages" && plan.by === "inner-product"),
    ceiling: plan.kind === "certified" && plan.by === "ceiling",
    indexBytes,
  };
}

export const scanTuning = ({ scan }: Tuning, values: ScanKind["values"]): ScanTuning =>
  scan ?? SCAN_TUNING[values];

/** Queries whose sums a thread of a shared pass holds. */
export function batchWidth({ batch }: Tuning, queries: number): number {
  return Math.min(batch.queries, queries <= 4 ? 4 : queries <= 8 ? 8 : BATCH_WIDTH);
}
