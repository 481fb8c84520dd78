// Draws the log of a run as a standalone SVG: the loss of all steps as a band, its recent average as a line, and below it
// the results of evaluations. A run has thousands of steps, so they are drawn in groups.

import { type Ruler, rulerFor } from "../../../report/axis.ts";
import { escaped } from "../../../report/escape.ts";
import { LIGHT, seriesStyle } from "../../../report/palette.ts";
import type { EvaluationEntry, LogEntry, StepEntry } from "./run-log.ts";

const WIDTH = 800;
const PANEL_HEIGHT = 300;
const FRAME = { left: 64, right: 20, top: 40, bottom: 44 };
/** Groups of steps in a curve. More groups show more detail and make a larger file. */
const GROUPS = 400;

/** The last step of a group, its average, and the range of the group's losses. */
interface StepGroup {
  readonly step: number;
  readonly low: number;
  readonly high: number;
  readonly smoothed: number;
}

interface Panel {
  readonly label: string;
  readonly values: readonly number[];
  /** Returns the SVG inside the frame. `toPoint` maps a step and a value to "x,y" in pixels. */
  draw(toPoint: (step: number, value: number) => string): string;
}

export function curveSvg(entries: readonly LogEntry[]): string {
  const steps = entries.filter((entry): entry is StepEntry => "loss" in entry);
  const evaluations = entries.filter((entry): entry is EvaluationEntry => "metric" in entry);
  const isMasked = ({ parts }: StepEntry) => "mlm" in parts;
  const phases = [
    { steps: steps.filter(isMasked), label: "loss of masked tokens" },
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
  const groups = groupSteps(steps);
  const { color } = seriesStyle(0);
  return {
    label: `${name} (band: all steps; line: recent average)`,
    values: groups.flatMap(({ low, high }) => [low, high]),
    draw(toPoint) {
      const upper = groups.map(({ step, high }) => toPoint(step, high));
      const lower = groups.map(({ step, low }) => toPoint(step, low)).reverse();
      const line = groups.map(({ step, smoothed }) => toPoint(step, smoothed));
      return [
        `<polygon points="${[...upper, ...lower].join(" ")}" fill="${color}" fill-opacity="0.2" stroke="${color}" stroke-opacity="0.35"/>`,
        `<polyline points="${line.join(" ")}" fill="none" stroke="${color}" stroke-width="2"/>`,
      ].join("\n");
    },
  };
}

function evaluationPanel(found: readonly EvaluationEntry[]): Panel {
  const { color } = seriesStyle(1);
  return {
    label: found[0].metric,
    values: found.map(({ value }) => value),
    draw(toPoint) {
      const points = found.map(({ step, value }) => toPoint(step, value));
      const dots = points.map((point) => {
        const [cx, cy] = point.split(",");
        return `<circle cx="${cx}" cy="${cy}" r="4" fill="${color}"/>`;
      });
      const line = `<polyline points="${points.join(" ")}" fill="none" stroke="${color}" stroke-width="2"/>`;
      return [line, ...dots].join("\n");
    },
  };
}

function panelSvg({ label, values, draw }: Panel, x: Ruler, top: number): string {
  const y = rulerFor({ label }, values, 5);
  const across = { from: FRAME.left, to: WIDTH - FRAME.right };
  const up = { from: top + PANEL_HEIGHT - FRAME.bottom, to: top + FRAME.top };
  const toX = (value: number) => toPixels(value, x.domain, across.from, across.to);
  const toY = (value: number) => toPixels(value, y.domain, up.from, up.to);
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

function groupSteps(steps: readonly StepEntry[]): StepGroup[] {
  const each = Math.max(1, Math.ceil(steps.length / GROUPS));
  const groups: StepGroup[] = [];
  for (let start = 0; start < steps.length; start += each) {
    const group = steps.slice(start, start + each);
    const losses = group.map(({ loss }) => loss);
    const { step, smoothed } = group.at(-1)!;
    groups.push({ step, smoothed, low: Math.min(...losses), high: Math.max(...losses) });
  }
  return groups;
}

/** Maps a value of the domain to a pixel between `from` and `to`, rounded to a tenth. */
function toPixels(value: number, [low, high]: readonly [number, number], from: number, to: number): number {
  return Math.round(10 * (from + ((value - low) / (high - low)) * (to - from))) / 10;
}
