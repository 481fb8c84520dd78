// The values along an axis → the stretch it covers, its ticks, and how a number is written on it.

import type { Axis, Point, ReportPlot } from "./report.ts";

export interface Ruler {
  readonly type: "linear" | "log";
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  /** How a tick is written: all with the same decimals, where the axis is linear. */
  tickText(tick: number): string;
}

/** Air on both sides, as a share of the stretch, so that no dot sits on the frame. */
const AIR = 0.06;

/** Whether an axis has a place for a value: a log axis has none for 0 and below. */
export function hasPlace({ scale }: Axis, value: number): boolean {
  return Number.isFinite(value) && (scale !== "log" || value > 0);
}

export function isDrawable({ x, y }: Pick<ReportPlot, "x" | "y">, point: Point): boolean {
  return hasPlace(x, point.x) && hasPlace(y, point.y);
}

/** A value with four digits that count; whole from a thousand on. */
export function valueText({ percent }: Axis, value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const shown = percent ? 100 * value : value;
  const digits = Math.abs(shown) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 };
  return withUnit(shown.toLocaleString("en-US", digits), percent);
}

/** `most` is how many ticks there is room for. */
export function rulerFor(axis: Axis, values: readonly number[], most: number): Ruler {
  const placed = values.filter((value) => hasPlace(axis, value));
  return axis.scale === "log" ? logRuler(axis, placed, most) : linearRuler(axis, placed, most);
}

function linearRuler({ percent }: Axis, values: readonly number[], most: number): Ruler {
  const [low, high] = aired(extent(values) ?? [0, 1]);
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
  // A single value gets the neighbourhood from half to double of it.
  const logs: [number, number] = least === greatest ? [least / 2, least * 2] : [least, greatest];
  const [low, high] = aired([Math.log10(logs[0]), Math.log10(logs[1])]).map((log) => 10 ** log);
  const tickText = (tick: number) => {
    const shown = percent ? 100 * tick : tick;
    return withUnit(shown.toLocaleString("en-US", { maximumSignificantDigits: 6 }), percent);
  };
  return { type: "log", domain: [low, high], ticks: logTicks(low, high, most), tickText };
}

/** The finest of 1-2-5, 1-3 and whole powers of ten there is room for; evenly spaced ones where that gives too few. */
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

function aired([low, high]: readonly [number, number]): [number, number] {
  const air = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * AIR;
  return [low - air, high + air];
}

/** The next of 1, 2, 5 × a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((m) => m * power >= least * (1 - 1e-9)) ?? 10);
}

function multiples(step: number, low: number, high: number): number[] {
  // Divided by the inverse where that is whole, so that 0.3 is 0.3 and not 0.30000000000000004.
  const inverse = Math.round(1 / step);
  return integers(Math.ceil(low / step), Math.floor(high / step)).map((n) =>
    step < 1 ? n / inverse : n * step,
  );
}

function integers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

function withUnit(text: string, percent: boolean | undefined): string {
  return `${text.replace("-", "−")}${percent ? " %" : ""}`;
}
