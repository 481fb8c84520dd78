// Sends the same query with every setting, one request after the other. It measures how long the server searched, without
// the time to encode the query, and how much of the exact ranking is left. It takes several rounds and keeps the fastest
// time, because other work on the machine can only add time.

import { useEffect, useState } from "preact/hooks";
import type { SearchAnswer } from "../../src/schemas/index.ts";
import type { AskedQuery } from "../address/asked-query.ts";
import { search } from "../api/calls.ts";
import { overlapOf } from "./compare.ts";
import { gridOf, type Knob, planOf } from "./settings.ts";

interface SweepRequest {
  readonly index: string;
  /** The index that is measured. */
  readonly beside: string;
  readonly asked: AskedQuery;
  readonly knob: Knob;
  readonly heaviest: number;
  readonly candidates: number;
}

interface SweepPoint {
  readonly value: number;
  readonly ms: number;
  readonly overlap: number;
}

interface Sweep {
  readonly points: readonly SweepPoint[];
  /** The time of the exact search, measured between the others. */
  readonly exactMs: number | undefined;
  readonly isBusy: boolean;
}

/** Measurements of each setting; the fastest one counts. */
const ROUNDS = 5;
/** Milliseconds after which no new round starts. */
const LONGEST_MS = 5000;
const K = 10;
/** Milliseconds without a change before measuring starts. */
const REST_MS = 500;
const NOTHING: Sweep = { points: [], exactMs: undefined, isBusy: true };

export function useSweep(request: SweepRequest): Sweep {
  const [sweep, setSweep] = useState(NOTHING);
  const key = JSON.stringify(request);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const show = (next: Sweep) => {
      if (!signal.aborted) setSweep(next);
    };
    show(NOTHING);
    const timer = setTimeout(() => {
      measure(request, signal, show).catch(() => show({ ...NOTHING, isBusy: false }));
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return sweep;
}

async function measure(
  sweep: SweepRequest,
  signal: AbortSignal,
  show: (sweep: Sweep) => void,
): Promise<void> {
  const { index, beside, asked, knob, heaviest, candidates } = sweep;
  const request = { ...asked, k: K, fields: [] };
  const points = gridOf(knob, heaviest).map((value) => ({ value, ms: Number.POSITIVE_INFINITY, overlap: 0 }));
  let exactMs = Number.POSITIVE_INFINITY;
  const started = performance.now();
  for (let round = 0; round < ROUNDS && performance.now() - started < LONGEST_MS; round++) {
    const exact = await search(index, { ...request, plan: { kind: "exact" } }, signal);
    exactMs = Math.min(exactMs, stagesMs(exact));
    for (const point of points) {
      const plan = planOf({ knob, value: point.value, candidates });
      const answer = await search(beside, { ...request, plan }, signal);
      point.ms = Math.min(point.ms, stagesMs(answer));
      point.overlap = overlapOf(exact.hits, answer.hits);
      show({ points: points.filter(({ ms }) => ms < Number.POSITIVE_INFINITY), exactMs, isBusy: true });
    }
  }
  show({ points, exactMs, isBusy: false });
}

const stagesMs = ({ stats }: SearchAnswer) => stats.firstStageMs + stats.secondStageMs;
