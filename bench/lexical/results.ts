// Turns the reports of an engine's processes into the figures of the tables.

import { percentiles } from "../../src/lab/eval/percentiles.ts";
import { CUTS, type Cut } from "../hybrid/measure.ts";
import type { BuiltIndex } from "./job.ts";
import type { Passes, QueryTimes } from "./protocol.ts";
import { agreement, type Truth } from "./truth.ts";

interface Figures {
  readonly p50: number;
  readonly p95: number;
  /** Queries in each pass. */
  readonly asked: number;
  /** The best agreement with an exact ranking, and the mark of that ranking. */
  readonly agreement: number;
  readonly mark: string;
}

export interface WayResult {
  readonly name: string;
  readonly exact: boolean;
  readonly at: Readonly<Record<Cut, Figures>>;
}

export interface Result {
  readonly engine: string;
  readonly note?: string;
  readonly ways: readonly WayResult[];
  /** Milliseconds until the index can be searched. */
  readonly buildMs: number;
  /** Milliseconds to open an index on disk; undefined for engines in memory. */
  readonly openMs?: number;
  readonly diskBytes?: number;
  readonly rssBytes: number;
  /** The most memory that building or searching took. */
  readonly peakBytes: number;
}

export function resultOf(
  engine: string,
  built: BuiltIndex,
  asked: QueryTimes,
  truths: readonly Truth[],
): Result {
  const { isInMemory, diskBytes } = built;
  return {
    engine,
    note: asked.note,
    ways: asked.ways.map(({ name, exact, at }) => ({
      name,
      exact,
      at: Object.fromEntries(CUTS.map((k) => [k, figuresOf(at[k], truths, k)])) as Record<Cut, Figures>,
    })),
    buildMs: isInMemory ? asked.openMs : built.buildMs,
    ...(!isInMemory && { openMs: asked.openMs, diskBytes }),
    rssBytes: asked.rssBytes,
    peakBytes: Math.max(built.peakBytes, asked.peakBytes),
  };
}

function figuresOf({ times, found }: Passes, truths: readonly Truth[], k: Cut): Figures {
  // Take the best time of each query, so that other work on the machine does not affect the 95th percentile.
  const best = found.map((_, query) => Math.min(...times.map((pass) => pass[query])));
  const agreements = truths.map((truth) => ({ mark: truth.mark, agreement: agreement(truth, found, k) }));
  const nearest = agreements.reduce((a, b) => (b.agreement > a.agreement ? b : a));
  const { p50, p95 } = percentiles(best);
  return { p50, p95, asked: found.length, ...nearest };
}
