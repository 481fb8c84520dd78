// The same query at every setting of a knob, one request after the other: how long the server searched, as it measured
// itself, without the time that a model takes to encode the query; and how much of the exact ranking is left. Some rounds;
// the fastest time counts, since other work on the machine only ever adds.

import { useEffect, useState } from "preact/hooks";
import type { SearchAnswer } from "../../src/server/schemas.ts";
import { search } from "../api/calls.ts";
import { overlapOf } from "./compare.ts";
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

const ROUNDS = 5;
/** No further round is begun after this long. */
const LONGEST_MS = 5000;
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
  const points = gridOf(knob, heaviest).map((value) => ({ value, ms: Number.POSITIVE_INFINITY, overlap: 0 }));
  let exactMs = Number.POSITIVE_INFINITY;
  const started = performance.now();
  for (let round = 0; round < ROUNDS && performance.now() - started < LONGEST_MS; round++) {
    const exact = await search(index, { ...request, plan: { kind: "exact" } }, signal);
    exactMs = Math.min(exactMs, stagesMs(exact));
    for (const point of points) {
      const plan = planOf({ knob, value: point.value, candidates, lambda });
      const answer = await search(beside, { ...request, plan }, signal);
      point.ms = Math.min(point.ms, stagesMs(answer));
      point.overlap = overlapOf(exact.hits, answer.hits);
      show({ points: points.filter(({ ms }) => ms < Number.POSITIVE_INFINITY), exactMs, busy: true });
    }
  }
  show({ points, exactMs, busy: false });
}

const stagesMs = ({ stats }: SearchAnswer) => stats.firstStageMs + stats.secondStageMs;
