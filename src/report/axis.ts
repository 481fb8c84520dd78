// The values along an axis → the range that it covers, its ticks, and how a number is written on it.

import type { Axis, Point, ReportPlot } from "./report.ts";

export interface Ruler {
  readonly type: "linear" | "log";
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  /** Formats a tick. On a linear axis all ticks have the same number of decimals. */
  tickText(tick: number): string;
}

/** Space on both sides, as a share of the range, so that no dot sits on the frame. */
const PADDING = 0.06;

/** Whether a value can be drawn on an axis. A log axis has no place for 0 and below. */
function isOnAxis({ scale }: Axis, value: number): boolean {
  return Number.isFinite(value) && (scale !== "log" || value > 0);
}

export function isDrawable({ x, y }: Pick<ReportPlot, "x" | "y">, point: Point): boolean {
  return isOnAxis(x, point.x) && isOnAxis(y, point.y);
}

/** Formats a value with four significant digits; from 1,000 on without decimals. */
export function valueText({ percent }: Axis, value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const shown = percent ? 100 * value : value;
  const digits = Math.abs(shown) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 };
  return withUnit(shown.toLocaleString("en-US", digits), percent);
}

/** Chooses the range and the ticks of an axis. `most` is the number of ticks that there is room for. */
export function rulerFor(axis: Axis, values: readonly number[], most: number): Ruler {
  const placed = values.filter((value) => isOnAxis(axis, value));
  return axis.scale === "log" ? logRuler(axis, placed, most) : linearRuler(axis, placed, most);
}

function linearRuler({ percent }: Axis, values: readonly number[], most: number): Ruler {
  const [low, high] = padRange(extent(values) ?? [0, 1]);
  const step = roundStep((high - low) / most);
  const ticks = multiples(step, low, high);
  const shownStep = percent ? 100 * step : step;
  const decimals = Math.min(20, Math.max(0, -Math.floor(Math.log10(shownStep) + 1e-9)));
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const tickText = (tick: number) =>
    withUnit((percent ? 100 * tick : tick).toLocaleString("en-US", digits), percent);
  return { type: "linear", domain: [low, high], ticks, tickText };
}

function logRuler({ percent }: Axis, values: readonly number[], most: number): Ruler {
  const [least, greatest] = extent(values) ?? [1, 10];
  // A single value gets a range from half to double of it.
  const logs: [number, number] = least === greatest ? [least / 2, least * 2] : [least, greatest];
  const [low, high] = padRange([Math.log10(logs[0]), Math.log10(logs[1])]).map((log) => 10 ** log);
  const tickText = (tick: number) => {
    const shown = percent ? 100 * tick : tick;
    return withUnit(shown.toLocaleString("en-US", { maximumSignificantDigits: 6 }), percent);
  };
  return { type: "log", domain: [low, high], ticks: logTicks(low, high, most), tickText };
}

/** The finest of 1-2-5, 1-3 and powers of ten that there is room for. If these give fewer than 2 ticks: even steps. */
function logTicks(low: number, high: number, most: number): number[] {
  const exponents = integers(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)));
  const inside = exponents.filter((exponent) => 10 ** exponent >= low && 10 ** exponent <= high);
  const sparse = inside.filter((_, i) => i % Math.ceil(inside.length / most) === 0);
  for (const [mantissas, powers] of [
    [[1, 2, 5], exponents],
    [[1, 3], exponents],
    [[1], sparse],
  ]) {
    const all = powers.flatMap((exponent) => mantissas.map((mantissa) => Number(`${mantissa}e${exponent}`)));
    const ticks = all.filter((tick) => tick >= low && tick <= high);
    if (ticks.length >= 2 && ticks.length <= most) return ticks;
  }
  return multiples(roundStep((high - low) / most), low, high);
}

function extent(values: readonly number[]): [number, number] | undefined {
  if (values.length === 0) return undefined;
  return [
    values.reduce((least, value) => Math.min(least, value)),
    values.reduce((most, value) => Math.max(most, value)),
  ];
}

function padRange([low, high]: readonly [number, number]): [number, number] {
  const padding = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * PADDING;
  return [low - padding, high + padding];
}

/** Rounds a step up to 1, 2 or 5 × a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((m) => m * power >= least * (1 - 1e-9)) ?? 10);
}

function multiples(step: number, low: number, high: number): number[] {
  // For steps below 1, divide by the inverse: 0.3 then is 0.3 and not 0.30000000000000004.
  const inverse = Math.round(1 / step);
  return integers(Math.ceil(low / step), Math.floor(high / step)).map((n) =>
    step < 1 ? n / inverse : n * step,
  );
}

function integers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

function withUnit(text: string, isPercent: boolean | undefined): string {
  return `${text.replace("-", "−")}${isPercent ? " %" : ""}`;
}
