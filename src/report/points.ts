// Turns a plot into a table of its points, for readers who cannot see the plot or want the figures.

import { valueText } from "./axis.ts";
import type { ReportPlot, ReportTable } from "./report.ts";

export function pointsTable({ caption, x, y, series }: ReportPlot): ReportTable {
  const hasLabels = series.some(({ points }) => points.some(({ label }) => label !== undefined));
  const rows = series.flatMap(({ name, points }) =>
    points.map((point) => [
      name,
      ...(hasLabels ? [point.label ?? ""] : []),
      valueText(x, point.x),
      valueText(y, point.y),
    ]),
  );
  return { caption, header: ["series", ...(hasLabels ? ["point"] : []), x.label, y.label], rows };
}
