// The same query at every setting of a knob, one request after the other: how long the server took, as it measured itself,
// and how much of the exact ranking is left. Three rounds; the middle of the times counts.

import { useEffect, useState } from "preact/hooks";
import type { HitAnswer } from "../../src/server/schemas.ts";
import { search } from "../api/calls.ts";
import { median, overlapOf } from "./compare.ts";
import { gridOf, type Knob, planOf } from "./settings.ts";

export interface SweepQuestion {
  readonly index: string;
  /** The index that the knobs are tried on. */
  readonly beside: string;
  readonly query: string;
  readonly knob: Knob;
  readonly heaviest: number;
  readonly candidates: number;
  readonly lambda: number | undefined;
}

export interface SweepPoint {
  readonly value: number;
  readonly ms: number;
  readonly overlap: number;
}

export interface Sweep {
  readonly points: readonly SweepPoint[];
  /** The exact search, measured between the others. */
  readonly exactMs: number | undefined;
  readonly busy: boolean;
}

const ROUNDS = 3;
const K = 10;
/** Sliders and boxes are at rest before the server is kept busy. */
const REST_MS = 500;
const NOTHING: Sweep = { points: [], exactMs: undefined, busy: true };

export function useSweep(question: SweepQuestion): Sweep {
  const [sweep, setSweep] = useState(NOTHING);
  const key = JSON.stringify(question);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const show = (next: Sweep) => {
      if (!signal.aborted) setSweep(next);
    };
    show(NOTHING);
    const timer = setTimeout(() => {
      measure(question, signal, show).catch(() => show({ ...NOTHING, busy: false }));
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return sweep;
}

async function measure(
  question: SweepQuestion,
  signal: AbortSignal,
  show: (sweep: Sweep) => void,
): Promise<void> {
  const { index, beside, query, knob, heaviest, candidates, lambda } = question;
  const request = { query, k: K, fields: [], ...(lambda !== undefined && { lambda }) };
  const grid = gridOf(knob, heaviest);
  const times = grid.map((): number[] => []);
  const overlaps: number[] = [];
  const exactTimes: number[] = [];
  let exactHits: readonly HitAnswer[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const exact = await search(index, { ...request, plan: { kind: "exact" } }, signal);
    exactTimes.push(exact.stats.totalMs);
    exactHits = exact.hits;
    for (const [i, value] of grid.entries()) {
      const plan = planOf({ knob, value, candidates, lambda });
      const { hits, stats } = await search(beside, { ...request, plan }, signal);
      times[i].push(stats.totalMs);
      overlaps[i] = overlapOf(exactHits, hits);
      const points = grid
        .filter((_, j) => times[j].length > 0)
        .map((value, j) => ({ value, ms: median(times[j]), overlap: overlaps[j] }));
      show({ points, exactMs: median(exactTimes), busy: round < ROUNDS - 1 || i < grid.length - 1 });
    }
  }
}
