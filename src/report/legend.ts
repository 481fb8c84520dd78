// Arranges the names of series in rows that are no wider than the plot. Plot's own legend is HTML, which a standalone SVG
// cannot hold.

import { clipped, plainText } from "./escape.ts";
import { type Position, textWidth } from "./labels.ts";

/** Pixels for the piece of line before a name. */
export const SWATCH = 30;
/** Height of a row in pixels. */
export const LEGEND_ROW = 22;
/** Pixels between two entries of a row. */
const BETWEEN = 18;

export interface LegendEntry extends Position {
  readonly name: string;
}

/** Returns where each swatch begins, from the upper left corner of the legend; `y` is the middle of its row. */
export function legendEntries(names: readonly string[], width: number, fontSize: number): LegendEntry[] {
  let [x, row] = [0, 0];
  return names.map((full) => {
    const name = clipped(
      plainText(full).replace(/\s+/g, " "),
      Math.floor((width - SWATCH) / (fontSize * 0.6)),
    );
    const needed = SWATCH + textWidth(name, fontSize);
    if (x > 0 && x + needed > width) [x, row] = [0, row + 1];
    const entry = { name, x, y: (row + 0.5) * LEGEND_ROW };
    x += needed + BETWEEN;
    return entry;
  });
}
