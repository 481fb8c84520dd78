// The colors of plots.

/**
 * Okabe and Ito's colors, which color-blind people can tell apart, without yellow and black. The light ones are darkened:
 * each has a contrast of 3:1 or more to the white and to the dark background.
 */
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#b5599a", "#a87900", "#3892cf", "#767676"];
const DASHES = ["none", "7 4", "2 4"];

export const LIGHT = { ground: "#ffffff", ink: "#1f2328", grid: "#6b7280" };
export const DARK = { ground: "#16191d", ink: "#e3e6ea", grid: "#9aa1ab" };

interface SeriesStyle {
  readonly color: string;
  /** A value of `stroke-dasharray`. Series beyond the last color use the same colors with other dashes. */
  readonly dash: string;
}

export function seriesStyle(series: number): SeriesStyle {
  return {
    color: COLORS[series % COLORS.length],
    dash: DASHES[Math.floor(series / COLORS.length) % DASHES.length],
  };
}
