// Measures one way of an engine to search: its time, and how well it agrees with the exact ranking.

import { warmUp } from "../support/warm-up.ts";
import type { EmbeddedQuery, Rankings } from "./contract/dataset.ts";
import type { Way } from "./contract/engine.ts";
import { overlap } from "./truth.ts";

/** The k that are measured. */
export const CUTS = [10, 1000] as const;
export type Cut = (typeof CUTS)[number];

const REPETITIONS = 3;
/** A repetition that takes longer stops. Later repetitions use the same number of queries. */
const REPETITION_MS = 10_000;
/** How long each of several settings is tried. */
const TRIAL_MS = 5000;

interface Measurement {
  readonly p50: number;
  readonly p95: number;
  /** Queries in each repetition. */
  readonly asked: number;
  /** For each exact ranking: the mean share of its first k that was found. */
  readonly agreements: readonly number[];
  /** The best of the agreements. */
  readonly agreement: number;
  /** The name of the settings that agreed best. */
  readonly form: string;
}

export interface MeasuredWay extends Pick<Way, "kind" | "name" | "exact"> {
  readonly at: Readonly<Record<Cut, Measurement>>;
}

export async function measureWay(
  way: Way,
  queries: readonly EmbeddedQuery[],
  rankings: Rankings,
): Promise<MeasuredWay> {
  const { kind, name, exact } = way;
  const at = {} as Record<Cut, Measurement>;
  for (const k of CUTS) at[k] = await measure(way, queries, rankings[kind], k);
  return { kind, name, exact, at };
}

async function measure(
  { forms }: Way,
  queries: readonly EmbeddedQuery[],
  rankings: readonly Uint32Array[],
  k: number,
): Promise<Measurement> {
  const form = await findBestForm(forms, queries, rankings, k);
  const ask = forms[form];
  let asked = queries.length;
  let agreements: number[] = [];

  const pass = async () => {
    const times: number[] = [];
    const overlaps = rankings.map(() => 0);
    let sum = 0;
    for (let i = 0; i < asked && sum < REPETITION_MS; i++) {
      const started = performance.now();
      const found = await ask(queries[i], k);
      const ms = performance.now() - started;
      times.push(ms);
      sum += ms;
      for (const [r, ranking] of rankings.entries()) overlaps[r] += overlap(ranking, i, found, k);
    }
    asked = times.length;
    agreements = overlaps.map((sum) => sum / asked);
    return { times, mean: sum / asked };
  };

  await warmUp(async () => (await pass()).mean);
  let best = { p50: Number.POSITIVE_INFINITY, p95: Number.POSITIVE_INFINITY };
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const times = (await pass()).times.sort((a, b) => a - b);
    const percentile = (share: number) => times[Math.min(asked - 1, Math.floor(asked * share))];
    const now = { p50: percentile(0.5), p95: percentile(0.95) };
    if (now.p50 < best.p50) best = now;
  }
  return { ...best, asked, agreements, agreement: Math.max(...agreements), form };
}

async function findBestForm(
  forms: Way["forms"],
  queries: readonly EmbeddedQuery[],
  rankings: readonly Uint32Array[],
  k: number,
): Promise<string> {
  const names = Object.keys(forms);
  if (names.length === 1) return names[0];
  // All settings are tried with as many queries as the first had time for.
  let asked = queries.length;
  let best = { name: names[0], sum: -1 };
  for (const [attempt, name] of names.entries()) {
    const sums = rankings.map(() => 0);
    const started = performance.now();
    for (let i = 0; i < asked; i++) {
      const found = await forms[name](queries[i], k);
      for (const [r, ranking] of rankings.entries()) sums[r] += overlap(ranking, i, found, k);
      if (attempt === 0 && performance.now() - started > TRIAL_MS) asked = i + 1;
    }
    const sum = Math.max(...sums);
    if (sum > best.sum) best = { name, sum };
  }
  return best.name;
}
