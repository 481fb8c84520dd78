// A report → Markdown that reads well as it is and on GitHub.

import { formatTable } from "../eval/table.ts";
import { plain } from "./escape.ts";
import { pointsTable } from "./points.ts";
import { ELSEWHERE, paragraphs, type Report, type ReportTable, rowGroups } from "./report.ts";

export function reportMarkdown(report: Report): string {
  const { title, about, made, tables, plots, notes } = report;
  const blocks = [
    `# ${inline(title)}`,
    ...paragraphs(about).map(inline),
    ...tables.map(tableMarkdown),
    ...plots.map((plot) => tableMarkdown(pointsTable(plot))),
    ...(notes.length > 0 ? [notes.map((note) => `- ${inline(note)}`).join("\n")] : []),
    `Made with ${code(made.command)} on ${inline(made.date)}, ${inline(made.machine)}.`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

function tableMarkdown(table: ReportTable): string {
  const { ours, elsewhere } = rowGroups(table);
  const marked = elsewhere.map(([name, ...cells]) => [`${name} ‡`, ...cells]);
  const rows = [...ours, ...marked].map((row) => row.map(inline));
  return [
    `**${inline(table.caption)}**`,
    formatTable(table.header.map(inline), rows),
    ...(marked.length > 0 ? [`‡ ${ELSEWHERE}.`] : []),
  ].join("\n\n");
}

/** A text on one line that Markdown takes as it is: no cell ends early, no tag, link or emphasis begins. */
function inline(text: string): string {
  return plain(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\|[*`~]|<(?=[a-z/!?])|&(?=#?\w+;)/gi, "\\$&")
    .replace(/^(?:#|>|[-+]\s)/, "\\$&");
}

/** A code span, fenced with more backticks than the text has in a row. */
function code(text: string): string {
  const line = plain(text).replace(/\s+/g, " ").trim();
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}
