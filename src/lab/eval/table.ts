// Compares runs in a Markdown table.

import { formatTable } from "../../report/format-table.ts";
import type { Evaluation } from "./evaluate.ts";
import { pairedTTest } from "./significance.ts";

export interface NamedEvaluation {
  readonly name: string;
  readonly evaluation: Evaluation;
}

export interface Comparison {
  readonly metric: string;
  readonly mean: number;
  /** Difference to the baseline in percent, over the queries that both have; undefined if the baseline is 0. */
  readonly percent: number | undefined;
  readonly p: number;
}

/** Compares a run with a baseline, metric by metric, over the queries that both have. */
export function compare(baseline: Evaluation, other: Evaluation): Comparison[] {
  return [...other.means].map(([metric, mean]) => {
    const [ours, theirs] = [other.perQuery.get(metric)!, baseline.perQuery.get(metric)!];
    const shared = [...ours.keys()].filter((query) => theirs.has(query));
    const [a, b] = [shared.map((query) => ours.get(query)!), shared.map((query) => theirs.get(query)!)];
    const [sum, base] = [a, b].map((values) => values.reduce((total, value) => total + value, 0));
    const percent = base === 0 ? undefined : (100 * (sum - base)) / base;
    return { metric, mean, percent, p: pairedTTest(a, b).p };
  });
}

/** Compares runs with the first one. A dagger marks a significant difference (p < 0.05). */
export function comparisonTable(runs: readonly NamedEvaluation[]): string {
  const [baseline, ...others] = runs;
  const metrics = [...baseline.evaluation.means.keys()];
  const rows = [
    [baseline.name, ...metrics.map((metric) => baseline.evaluation.means.get(metric)!.toFixed(4))],
  ];
  for (const { name, evaluation } of others) {
    rows.push([name, ...compare(baseline.evaluation, evaluation).map(comparisonCell)]);
  }
  const table = formatTable(["run", ...metrics], rows);
  return others.length > 0
    ? `${table}\n† p < 0.05 against ${baseline.name}, paired t-test, two-sided`
    : table;
}

/** Formats a mean, its difference to the baseline in percent, and a dagger if the difference is significant. */
export function comparisonCell({ mean, percent, p }: Comparison): string {
  const change =
    percent === undefined ? "" : ` (${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(1)} %)`;
  return `${mean.toFixed(4)}${change}${p < 0.05 ? "†" : ""}`;
}
