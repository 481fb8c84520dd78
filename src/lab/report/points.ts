// A plot → a table of its points, for those who cannot see it or want the figures.

import { valueText } from "./axis.ts";
import type { ReportPlot, ReportTable } from "./report.ts";

export function pointsTable({ caption, x, y, series }: ReportPlot): ReportTable {
  const labelled = series.some(({ points }) => points.some(({ label }) => label !== undefined));
  const rows = series.flatMap(({ name, points }) =>
    points.map((point) => [
      name,
      ...(labelled ? [point.label ?? ""] : []),
      valueText(x, point.x),
      valueText(y, point.y),
    ]),
  );
  return { caption, header: ["series", ...(labelled ? ["point"] : []), x.label, y.label], rows };
}
