// Writes a report as Markdown that is readable as plain text and on GitHub.

import { plainText } from "./escape.ts";
import { formatTable } from "./format-table.ts";
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

/** Puts a text on one line and escapes it: it ends no cell and begins no tag, link or emphasis. */
function inline(text: string): string {
  return plainText(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\|[*`~]|<(?=[a-z/!?])|&(?=#?\w+;)/gi, "\\$&")
    .replace(/^(?:#|>|[-+]\s)/, "\\$&");
}

/** Writes a code span. Its fence has more backticks than the text has in a row. */
function code(text: string): string {
  const line = plainText(text).replace(/\s+/g, " ").trim();
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}
