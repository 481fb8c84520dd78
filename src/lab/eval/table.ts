// Figures → a table a person can read, in a terminal and in Markdown alike; and runs beside each other in one.

import type { Evaluation } from "./evaluate.ts";
import { pairedTTest } from "./significance.ts";

/** A Markdown table with aligned columns: the first to the left, the others to the right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) =>
    Math.max(3, ...[header, ...rows].map((row) => [...row[column]].length)),
  );
  const pad = (cell: string, column: number) => {
    const space = " ".repeat(widths[column] - [...cell].length);
    return column === 0 ? cell + space : space + cell;
  };
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(header), line(rule), ...rows.map(line)].join("\n");
}

export interface NamedEvaluation {
  readonly name: string;
  readonly evaluation: Evaluation;
}

export interface Comparison {
  readonly metric: string;
  readonly mean: number;
  /** Relative to the baseline, in percent, over the queries both have; undefined where the baseline is 0. */
  readonly percent: number | undefined;
  readonly p: number;
}

/** How a run differs from a baseline, metric by metric, over the queries both have. */
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

/** The first run is the baseline; a dagger marks a difference to it that is significant (p < 0.05). */
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

/** A mean, its difference to the baseline in percent, and a dagger where that is significant. */
export function comparisonCell({ mean, percent, p }: Comparison): string {
  const change =
    percent === undefined ? "" : ` (${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(1)} %)`;
  return `${mean.toFixed(4)}${change}${p < 0.05 ? "†" : ""}`;
}
