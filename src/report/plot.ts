// Draws a plot as a standalone SVG, with Observable Plot. The two packages it needs are optional and are loaded here.
//
// Plot draws axes, lines and dots. We draw the legend and the labels of points ourselves: Plot's legend is HTML, and its
// text marks overlap one another.

import { missingPackageError, type OptionalPackage } from "../support/environment/packages.ts";
import { isDrawable, type Ruler, rulerFor, valueText } from "./axis.ts";
import { clipped, plainText } from "./escape.ts";
import { type Box, type Label, type LineSegment, type Position, placeLabels, textWidth } from "./labels.ts";
import { LEGEND_ROW, type LegendEntry, legendEntries, SWATCH } from "./legend.ts";
import { DARK, LIGHT, seriesStyle } from "./palette.ts";
import type { Point, ReportPlot, Series } from "./report.ts";

export interface PlotLook {
  readonly width: number;
  readonly height: number;
  /** Draw on a dark background. Default: white. */
  readonly dark?: boolean | undefined;
}

const SVG = "http://www.w3.org/2000/svg";
/** Pixels. */
const FONT_SIZE = 13;
const LABEL_SIZE = 12;
/** Characters; longer labels are cut. */
const LONGEST_LABEL = 28;
/** Height in pixels of the remark below the plot. */
const REMARK_ROW = 16;

/** The part of the DOM that is used here; the project has no DOM types. */
interface Element {
  textContent: string;
  readonly outerHTML: string;
  setAttribute(name: string, value: string): void;
  append(...children: Element[]): void;
  prepend(...children: Element[]): void;
  remove(): void;
  querySelectorAll(selector: string): Iterable<Element>;
}

interface ElementFactory {
  createElementNS(namespace: string, name: string): Element;
}

type Draw = (name: string, attributes: Readonly<Record<string, string | number>>, text?: string) => Element;

export async function plotSvg(plot: ReportPlot, look: PlotLook): Promise<string> {
  const { Plot, DOMParser } = await loadDrawingTools();
  // An XML document, not an HTML one: only an XML document escapes attributes as XML requires.
  const document = new DOMParser().parseFromString("<svg/>", "image/svg+xml");
  const { width, height, dark = false } = look;
  const theme = dark ? DARK : LIGHT;
  const shown = plot.series.map(({ name, points }) => ({
    name: oneLine(name),
    points: points.filter((point) => isDrawable(plot, point)),
  }));
  const layout = layOutPlot(plot, shown, look);
  const { frame, x, y } = layout;

  const figure = Plot.plot({
    document,
    className: "plot",
    width,
    height,
    marginLeft: frame.x,
    marginTop: frame.y,
    marginRight: width - frame.x - frame.width,
    marginBottom: height - frame.y - frame.height,
    x: { type: x.type, domain: [...x.domain], label: null },
    y: { type: y.type, domain: [...y.domain], label: null },
    marks: [
      Plot.gridY([...y.ticks], { stroke: theme.grid, strokeOpacity: 0.25 }),
      Plot.gridX([...x.ticks], { stroke: theme.grid, strokeOpacity: 0.12 }),
      // `text`, not `tickFormat`: with the latter d3 drops some of the given ticks on a log axis.
      Plot.axisX([...x.ticks], { text: x.tickText, tickSize: 4 }),
      Plot.axisY([...y.ticks], { text: y.tickText, tickSize: 4 }),
      ...shown.flatMap(({ name, points }, i) => {
        const { color, dash } = seriesStyle(i);
        const at = { x: "x", y: "y", className: `series-${i}` };
        const title = (point: Point) => pointText(plot, name, point);
        return [
          ...(plot.scattered
            ? []
            : [Plot.line(points, { ...at, stroke: color, strokeWidth: 2, strokeDasharray: dash })]),
          Plot.dot(points, { ...at, r: 4, fill: color, stroke: theme.ground, strokeWidth: 1, title }),
        ];
      }),
    ],
  });
  const svg = figure as unknown as Element;
  const scales = { x: figure.scale("x")!, y: figure.scale("y")! };
  const toPixels = (point: Point): Position => ({ x: scales.x.apply(point.x), y: scales.y.apply(point.y) });

  const draw: Draw = (name, attributes, text) => {
    const element = (document as unknown as ElementFactory).createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (text !== undefined) element.textContent = plainText(text);
    return element;
  };
  for (const style of svg.querySelectorAll("style")) style.remove(); // Plot's styles are for pages; ours has its own
  const attributes = { xmlns: SVG, role: "img", color: theme.ink, "font-size": FONT_SIZE };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, String(value));
  svg.prepend(
    draw("title", {}, plot.caption),
    draw("desc", {}, description(plot)),
    draw("rect", { class: "plot-ground", width, height, fill: theme.ground }),
  );
  svg.append(
    legend(draw, layout.legend),
    ...axisLabels(draw, plot, frame),
    pointLabels(draw, shown, toPixels, frame, theme.ground),
    ...remarks(draw, plot, shown, frame),
  );
  return svg.outerHTML;
}

async function loadDrawingTools() {
  const [Plot, { DOMParser }] = await Promise.all([
    import("@observablehq/plot").catch(missing("@observablehq/plot")),
    import("linkedom").catch(missing("linkedom")),
  ]);
  return { Plot, DOMParser };
}

function missing(name: OptionalPackage): (cause: unknown) => never {
  return (cause) => {
    throw missingPackageError(name, "plots need", cause);
  };
}

interface PlotLayout {
  readonly frame: Box;
  readonly x: Ruler;
  readonly y: Ruler;
  readonly legend: readonly LegendEntry[];
}

function layOutPlot(plot: ReportPlot, shown: readonly Series[], { width, height }: PlotLook): PlotLayout {
  const values = (axis: "x" | "y") => shown.flatMap(({ points }) => points.map((point) => point[axis]));
  const y = rulerFor(plot.y, values("y"), Math.max(2, Math.floor(height / 60)));
  const left = Math.max(44, ...y.ticks.map((tick) => 18 + textWidth(y.tickText(tick), FONT_SIZE)));
  const x = rulerFor(plot.x, values("x"), Math.max(2, Math.floor((width - left) / 65)));
  const names = shown.map(({ name }) => name);
  const legend = legendEntries(names, width - 16, FONT_SIZE);
  const top = 42 + LEGEND_ROW * Math.ceil((legend.at(-1)?.y ?? 0) / LEGEND_ROW);
  const bottom = 48 + (leftOut(plot, shown) > 0 ? REMARK_ROW : 0);
  const frame = {
    x: left,
    y: top,
    width: Math.max(1, width - left - 20),
    height: Math.max(1, height - top - bottom),
  };
  return { frame, x, y, legend };
}

function legend(draw: Draw, entries: readonly LegendEntry[]): Element {
  const group = draw("g", { class: "plot-legend", "text-anchor": "start", transform: "translate(8,6)" });
  entries.forEach(({ name, x, y }, i) => {
    const { color, dash } = seriesStyle(i);
    const d = `M${x},${y}h${SWATCH - 8}`;
    group.append(
      draw("path", { d, stroke: color, "stroke-width": 2, "stroke-dasharray": dash }),
      draw("circle", { cx: x + (SWATCH - 8) / 2, cy: y, r: 4, fill: color }),
      draw("text", { x: x + SWATCH - 2, y, dy: "0.32em" }, name),
    );
  });
  return group;
}

function axisLabels(draw: Draw, { x, y }: ReportPlot, frame: Box): Element[] {
  const fitting = (label: string) =>
    clipped(oneLine(label), Math.floor((frame.x + frame.width) / (FONT_SIZE * 0.6)));
  const [right, bottom] = [frame.x + frame.width, frame.y + frame.height];
  return [
    draw("text", { x: 8, y: frame.y - 12, "text-anchor": "start" }, `↑ ${fitting(y.label)}`),
    draw("text", { x: right, y: bottom + 40, "text-anchor": "end" }, `${fitting(x.label)} →`),
  ];
}

/** Draws the labels. A label that fits nowhere is left out; the tooltip of its dot still shows it. */
function pointLabels(
  draw: Draw,
  series: readonly Series[],
  toPixels: (point: Point) => Position,
  frame: Box,
  ground: string,
): Element {
  const paths = series.map(({ points }) => points.map(toPixels));
  const lines = paths.flatMap((path) => path.slice(1).map((to, i): LineSegment => [path[i], to]));
  const labels = series.flatMap(({ points }) =>
    points.flatMap((point): Label[] =>
      point.label ? [{ at: toPixels(point), text: clipped(oneLine(point.label), LONGEST_LABEL) }] : [],
    ),
  );
  // A halo in the background color keeps a label readable if a line passes behind it.
  const halo = { stroke: ground, "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke" };
  const group = draw("g", { class: "plot-labels", "font-size": LABEL_SIZE, ...halo });
  placeLabels(labels, paths.flat(), lines, frame, LABEL_SIZE).forEach((box, i) => {
    if (!box) return;
    const middle = { x: round(box.x + box.width / 2), y: round(box.y + box.height / 2), dy: "0.34em" };
    group.append(draw("text", middle, labels[i].text));
  });
  return group;
}

/** Says that there are no points, or how many points could not be drawn. */
function remarks(draw: Draw, plot: ReportPlot, shown: readonly Series[], frame: Box): Element[] {
  const left = leftOut(plot, shown);
  const middle = frame.x + frame.width / 2;
  return [
    ...(pointCount(shown) === 0
      ? [draw("text", { x: middle, y: frame.y + frame.height / 2 }, "no points")]
      : []),
    ...(left > 0
      ? [
          draw(
            "text",
            {
              x: frame.x,
              y: frame.y + frame.height + 40 + REMARK_ROW,
              "text-anchor": "start",
              "font-size": 11,
            },
            `not drawn: ${left} points outside the axes`,
          ),
        ]
      : []),
  ];
}

function leftOut(plot: ReportPlot, shown: readonly Series[]): number {
  return pointCount(plot.series) - pointCount(shown);
}

function pointCount(series: readonly Series[]): number {
  return series.reduce((sum, { points }) => sum + points.length, 0);
}

function description({ x, y, series }: ReportPlot): string {
  const names = series.map(({ name, points }) => `${name} (${points.length})`).join(", ");
  return `Across: ${x.label}. Up: ${y.label}. Series and their points: ${names || "none"}.`;
}

function pointText({ x, y }: ReportPlot, name: string, point: Point): string {
  const label = point.label ? `, ${oneLine(point.label)}` : "";
  return plainText(
    `${name}${label}\n${x.label}: ${valueText(x, point.x)}\n${y.label}: ${valueText(y, point.y)}`,
  );
}

function oneLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ").trim();
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
