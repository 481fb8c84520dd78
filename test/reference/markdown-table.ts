// Rows of cells → a table of Markdown with aligned columns.

/** A column is not padded beyond this, so that one long cell does not make all rows long. */
const MOST_PADDING = 60;

export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [columns, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = columns.map((_, i) =>
    Math.min(MOST_PADDING, Math.max(...cells.map((row) => [...row[i]].length))),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => cell + " ".repeat(Math.max(0, widths[i] - [...cell].length))).join(" | ")} |`;
  const [head, ...body] = cells.map(line);
  return [head, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body].join("\n");
}
