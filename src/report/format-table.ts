// Figures → a Markdown table that is also readable in a terminal.

/** Formats a Markdown table. The first column is aligned left, the others right. */
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
