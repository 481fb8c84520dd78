// The log of a run → its curve, as an SVG of its own: the loss of all steps as a band, its recent average as a line, and
// below it what evaluations found. A run has thousands of steps, so they are drawn by stretches.

import { type Ruler, rulerFor } from "../report/axis.ts";
import { escaped } from "../report/escape.ts";
import { LIGHT, seriesStyle } from "../report/palette.ts";
import type { EvaluationEntry, LogEntry, StepEntry } from "./run-log.ts";

const WIDTH = 800;
const PANEL_HEIGHT = 300;
const FRAME = { left: 64, right: 20, top: 40, bottom: 44 };
/** Stretches of steps that are drawn apart. */
const STRETCHES = 400;

interface Stretch {
  readonly step: number;
  readonly low: number;
  readonly high: number;
  readonly smoothed: number;
}

interface Panel {
  readonly label: string;
  readonly values: readonly number[];
  /** What is drawn into the frame. */
  draw(place: (step: number, value: number) => string): string;
}

export function curveSvg(entries: readonly LogEntry[]): string {
  const steps = entries.filter((entry): entry is StepEntry => "loss" in entry);
  const evaluations = entries.filter((entry): entry is EvaluationEntry => "metric" in entry);
  const isMasked = ({ parts }: StepEntry) => "mlm" in parts;
  const phases = [
    { steps: steps.filter(isMasked), label: "loss of masked words" },
    { steps: steps.filter((entry) => !isMasked(entry)), label: "loss" },
  ].filter((phase) => phase.steps.length > 0);
  const panels = [
    ...phases.map((phase) => lossPanel(phase.label, phase.steps)),
    ...(evaluations.length > 0 ? [evaluationPanel(evaluations)] : []),
  ];
  const x = rulerFor({ label: "steps" }, [0, steps.at(-1)?.step ?? 1], 10);
  const height = panels.length * PANEL_HEIGHT;
  const title = `Training: ${steps.length} steps`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" fill="${LIGHT.ink}">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="${LIGHT.ground}"/>`,
    ...panels.map((panel, i) => panelSvg(panel, x, i * PANEL_HEIGHT)),
    "</svg>\n",
  ].join("\n");
}

function lossPanel(name: string, steps: readonly StepEntry[]): Panel {
  const stretches = stretchesOf(steps);
  const { colour } = seriesStyle(0);
  return {
    label: `${name} (band: all steps; line: recent average)`,
    values: stretches.flatMap(({ low, high }) => [low, high]),
    draw(place) {
      const upper = stretches.map(({ step, high }) => place(step, high));
      const lower = stretches.map(({ step, low }) => place(step, low)).reverse();
      const line = stretches.map(({ step, smoothed }) => place(step, smoothed));
      return [
        `<polygon points="${[...upper, ...lower].join(" ")}" fill="${colour}" fill-opacity="0.2" stroke="${colour}" stroke-opacity="0.35"/>`,
        `<polyline points="${line.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ].join("\n");
    },
  };
}

function evaluationPanel(found: readonly EvaluationEntry[]): Panel {
  const { colour } = seriesStyle(1);
  return {
    label: found[0].metric,
    values: found.map(({ value }) => value),
    draw(place) {
      const points = found.map(({ step, value }) => place(step, value));
      const dots = points.map((point) => {
        const [cx, cy] = point.split(",");
        return `<circle cx="${cx}" cy="${cy}" r="4" fill="${colour}"/>`;
      });
      const line = `<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`;
      return [line, ...dots].join("\n");
    },
  };
}

function panelSvg({ label, values, draw }: Panel, x: Ruler, top: number): string {
  const y = rulerFor({ label }, values, 5);
  const across = { from: FRAME.left, to: WIDTH - FRAME.right };
  const up = { from: top + PANEL_HEIGHT - FRAME.bottom, to: top + FRAME.top };
  const toX = (value: number) => placed(value, x.domain, across.from, across.to);
  const toY = (value: number) => placed(value, y.domain, up.from, up.to);
  const grid = y.ticks.map((tick) => {
    const at = toY(tick);
    return (
      `<path d="M${across.from},${at}H${across.to}" stroke="${LIGHT.grid}" stroke-opacity="0.25"/>` +
      `<text x="${across.from - 8}" y="${at}" dy="0.32em" text-anchor="end">${escaped(y.tickText(tick))}</text>`
    );
  });
  const ticks = x.ticks.map(
    (tick) =>
      `<text x="${toX(tick)}" y="${up.from + 18}" text-anchor="middle">${escaped(x.tickText(tick))}</text>`,
  );
  return [
    ...grid,
    ...ticks,
    `<text x="8" y="${top + 22}">↑ ${escaped(label)}</text>`,
    `<text x="${across.to}" y="${up.from + 36}" text-anchor="end">steps →</text>`,
    draw((step, value) => `${toX(step)},${toY(value)}`),
  ].join("\n");
}

function stretchesOf(steps: readonly StepEntry[]): Stretch[] {
  const each = Math.max(1, Math.ceil(steps.length / STRETCHES));
  const stretches: Stretch[] = [];
  for (let start = 0; start < steps.length; start += each) {
    const stretch = steps.slice(start, start + each);
    const losses = stretch.map(({ loss }) => loss);
    const { step, smoothed } = stretch.at(-1)!;
    stretches.push({ step, smoothed, low: Math.min(...losses), high: Math.max(...losses) });
  }
  return stretches;
}

/** A value's place between two pixels, to a tenth of one. */
function placed(value: number, [low, high]: readonly [number, number], from: number, to: number): number {
  return Math.round(10 * (from + ((value - low) / (high - low)) * (to - from))) / 10;
}
