// Reads the figures out of the tables that a bench prints, so that the output of any build can be compared.

/** A number as tables write it: commas, a percent sign or one of the marks that hybrid and lexical explain. */
const NUMBER = /^(-?[\d,]*\.?\d+)\s*(?:%|\*|[LFI]{1,3})?$/;

/** Figures by name: heading, texts of the row, column. A row's first cell is its name unless it is the only row. */
export function figuresOf(markdown: string): Map<string, number> {
  const figures = new Map<string, number>();
  let heading = "";
  for (const block of markdown.split(/\n{2,}|(?<=\n)(?=#)/)) {
    heading = /^#+ ([^:\n]+)/m.exec(block)?.[1] ?? heading;
    const [header, , ...rows] = block
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map(cellsOf);
    for (const row of rows) {
      const isName = (i: number) => !NUMBER.test(row[i]) || (i === 0 && rows.length > 1);
      const names = [heading, ...row.filter((_, i) => isName(i))];
      let group = ""; // "top 10: p50 ms" names a group of columns, which the next ones belong to
      for (const [i, column] of header.entries()) {
        group = /^.*: /.exec(column)?.[0] ?? group;
        const title = column.startsWith(group) ? column : group + column;
        if (isName(i)) continue;
        const value = Number(NUMBER.exec(row[i])![1].replaceAll(",", ""));
        figures.set([...names, title].filter(Boolean).join(", "), value);
      }
    }
  }
  return figures;
}

/** What stands beside a kept run: its commands with their dates, and its figures by name, as JSON. */
export function keptFigures(bench: string, markdown: string): string {
  const runs = markdown.split("\n").flatMap((line) => {
    const commands = [...line.matchAll(/`((?:npm run bench|node|python3) [^`]+)`/g)].map(([, text]) => text);
    const date = /\b20\d\d-\d\d-\d\d\b/.exec(line)?.[0];
    return date && commands.length > 0 ? [{ commands, date }] : [];
  });
  const figures = Object.fromEntries(figuresOf(markdown));
  return `${JSON.stringify({ bench, runs, figures }, null, 2)}\n`;
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
