// The frame of every page: one file that loads nothing and runs nothing. A content security policy enforces this.

import { escaped } from "./escape.ts";
import { STYLE } from "./style.ts";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** `body` is HTML; `title` is text. */
export function page(title: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${POLICY}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** Escapes a text and isolates its direction (left to right or right to left) from the text around it. */
export function bdi(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`;
}

/** Writes a table in a box that scrolls sideways. The box can be focused, so the keyboard scrolls it. `inner` is HTML. */
export function scrollingTable(caption: string, inner: string, className = ""): string {
  const classed = className ? ` class="${className}"` : "";
  return `<div class="scroll" role="region" aria-label="${escaped(caption)}" tabindex="0">
<table${classed}>
<caption><span dir="auto">${escaped(caption)}</span></caption>
${inner}
</table>
</div>`;
}

export function headRow(cells: readonly string[]): string {
  const html = cells.map((cell) => (cell === "" ? "<td></td>" : `<th scope="col">${bdi(cell)}</th>`));
  return `<thead><tr>${html.join("")}</tr></thead>`;
}
