// Writes a report as one HTML file that needs no other file.

import { escaped } from "./escape.ts";
import { bdi, headRow, page, scrollingTable } from "./page.ts";
import { plotSvg } from "./plot.ts";
import { pointsTable } from "./points.ts";
import {
  ELSEWHERE,
  paragraphs,
  type Report,
  type ReportPlot,
  type ReportTable,
  rowGroups,
} from "./report.ts";

// Pixels. A plot is drawn twice, for a desktop and for a phone: a scaled-down plot would be too small to read.
const WIDE = { width: 800, height: 440 };
const NARROW = { width: 340, height: 330 };
/** Pixels of height added per series on a phone, where the legend takes more rows. Less would make the plot smaller. */
const NARROW_SERIES = 12;

export async function reportHtml(report: Report): Promise<string> {
  const { name, title, about, made, tables, plots, notes } = report;
  const figures = await Promise.all(plots.map(plotHtml));
  const parts = [
    `<header>
<p class="eyebrow">${bdi(name)}</p>
<h1 dir="auto">${escaped(title)}</h1>
${paragraphs(about)
  .map((paragraph) => `<p dir="auto">${escaped(paragraph)}</p>`)
  .join("\n")}
</header>`,
    ...tables.map((table) => `<section>\n${tableHtml(table)}\n</section>`),
    ...figures,
    ...(notes.length > 0 ? [notesHtml(notes)] : []),
    `<footer>Made with <code>${bdi(made.command)}</code> on ${bdi(made.date)}, ${bdi(made.machine)}.</footer>`,
  ];
  return page(title, parts.join("\n"));
}

function tableHtml(table: ReportTable): string {
  const { ours, elsewhere } = rowGroups(table);
  const span = `<tr><th scope="rowgroup" colspan="${table.header.length}">${ELSEWHERE}</th></tr>`;
  const groups = [
    headRow(table.header),
    `<tbody>\n${ours.map(rowHtml).join("\n")}\n</tbody>`,
    ...(elsewhere.length > 0
      ? [`<tbody class="elsewhere">\n${[span, ...elsewhere.map(rowHtml)].join("\n")}\n</tbody>`]
      : []),
  ];
  return scrollingTable(table.caption, groups.join("\n"), table.header.length <= 3 ? "few" : "");
}

function rowHtml([name, ...cells]: readonly string[]): string {
  return `<tr><th scope="row">${bdi(name)}</th>${cells.map((cell) => `<td>${bdi(cell)}</td>`).join("")}</tr>`;
}

async function plotHtml(plot: ReportPlot): Promise<string> {
  const narrowLook = { ...NARROW, height: NARROW.height + NARROW_SERIES * plot.series.length };
  const [wide, narrow] = await Promise.all([plotSvg(plot, WIDE), plotSvg(plot, narrowLook)]);
  return `<figure>
<figcaption dir="auto">${escaped(plot.caption)}</figcaption>
<div class="wide">${wide}</div>
<div class="narrow">${narrow}</div>
<details><summary>The points as a table</summary>
${tableHtml(pointsTable(plot))}
</details>
</figure>`;
}

function notesHtml(notes: readonly string[]): string {
  const items = notes.map((note) => `<li dir="auto">${escaped(note)}</li>`);
  return `<section>\n<h2>Notes</h2>\n<ul>\n${items.join("\n")}\n</ul>\n</section>`;
}
