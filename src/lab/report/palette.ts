// The colours of plots.

/**
 * Okabe and Ito's colours, which the colour-blind can tell apart, without the yellow and the black, and the light
 * ones darkened: each has a contrast of 3:1 and more to the white and to the dark ground.
 */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#b5599a", "#a87900", "#3892cf", "#767676"];
const DASHES = ["none", "7 4", "2 4"];

export const LIGHT = { ground: "#ffffff", ink: "#1f2328", grid: "#6b7280" };
export const DARK = { ground: "#16191d", ink: "#e3e6ea", grid: "#9aa1ab" };

export interface SeriesStyle {
  readonly colour: string;
  /** As in `stroke-dasharray`: where the colours come round again, the lines differ. */
  readonly dash: string;
}

export function seriesStyle(series: number): SeriesStyle {
  return {
    colour: COLOURS[series % COLOURS.length],
    dash: DASHES[Math.floor(series / COLOURS.length) % DASHES.length],
  };
}
