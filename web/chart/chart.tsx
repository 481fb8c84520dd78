// A plot of a report or of the playground, as SVG in the available width. A table below has the same numbers, for readers
// who want them or cannot see the plot.

import { useEffect, useRef, useState } from "preact/hooks";
import { isDrawable, rulerFor, valueText } from "../../src/report/axis.ts";
import { seriesStyle } from "../../src/report/palette.ts";
import type { ReportPlot, Series } from "../../src/report/report.ts";
import { ChartTable } from "./chart-table.tsx";

interface ChartProps {
  readonly plot: ReportPlot;
  readonly height?: number;
  /** The current value on the x axis, drawn as a mark. */
  readonly mark?: number;
  /** A horizontal line to compare with. Its label is below the plot, where no curve crosses it. */
  readonly level?: { readonly y: number; readonly label: string } | undefined;
  /** Values that the y axis always includes. */
  readonly reach?: readonly number[];
  /** Draws one series in the color of the page, instead of the palette of reports. */
  readonly isPlain?: boolean;
}

const SPACE = { left: 56, right: 16, top: 12, bottom: 40 };
/** Pixels between two ticks; fewer ticks are drawn when this is larger. */
const TICK = { x: 64, y: 36 };

export function Chart({ plot, height = 260, mark, level, reach = [], isPlain = false }: ChartProps) {
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure);
  const drawn = plot.series.map((series) => ({
    ...series,
    points: series.points.filter((point) => isDrawable(plot, point)),
  }));
  const all = drawn.flatMap(({ points }) => points);
  const [right, bottom] = [width - SPACE.right, height - SPACE.bottom];
  const x = rulerFor(
    plot.x,
    [...all.map((point) => point.x), ...(mark === undefined ? [] : [mark])],
    right / TICK.x,
  );
  const heights = [...all.map((point) => point.y), ...reach, ...(level ? [level.y] : [])];
  const y = rulerFor(plot.y, heights, bottom / TICK.y);
  const atX = scaleOf(x, SPACE.left, right);
  const atY = scaleOf(y, bottom, SPACE.top);
  return (
    <figure class="chart" ref={figure}>
      <figcaption>{plot.caption}</figcaption>
      {all.length > 0 && width > 0 && (
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={`${plot.caption}. The numbers are in the table below.`}
        >
          {y.ticks.map((tick) => (
            <g key={tick}>
              <line class="grid" x1={SPACE.left} x2={right} y1={atY(tick)} y2={atY(tick)} />
              <text x={SPACE.left - 8} y={atY(tick)} dy="0.32em" text-anchor="end">
                {y.tickText(tick)}
              </text>
            </g>
          ))}
          {x.ticks.map((tick) => (
            <g key={tick}>
              <line class="tick" x1={atX(tick)} x2={atX(tick)} y1={bottom} y2={bottom + 4} />
              <text x={atX(tick)} y={bottom + 18} text-anchor="middle">
                {x.tickText(tick)}
              </text>
            </g>
          ))}
          <text class="axis" x={right} y={height - 4} text-anchor="end">
            {plot.x.label}
          </text>
          {level && <line class="level" x1={SPACE.left} x2={right} y1={atY(level.y)} y2={atY(level.y)} />}
          {mark !== undefined && (
            <line class="here" x1={atX(mark)} x2={atX(mark)} y1={SPACE.top} y2={bottom} />
          )}
          {drawn.map((series, i) => (
            <Line
              key={series.name}
              series={series}
              color={isPlain ? "var(--accent)" : seriesStyle(i).color}
              dash={isPlain ? "none" : seriesStyle(i).dash}
              isJoined={!plot.scattered}
              title={(point) =>
                `${series.name} ${point.label ?? ""} ${valueText(plot.x, point.x)}: ${valueText(plot.y, point.y)}`
              }
              at={({ x, y }) => [atX(x), atY(y)]}
            />
          ))}
        </svg>
      )}
      {level && (
        <ul class="legend">
          <li>
            <svg width="24" height="10" aria-hidden="true">
              <line class="level" x1="0" x2="24" y1="5" y2="5" />
            </svg>
            {level.label}
          </li>
        </ul>
      )}
      {!isPlain && plot.series.length > 1 && <Legend series={plot.series} isJoined={!plot.scattered} />}
      <ChartTable plot={plot} />
    </figure>
  );
}

type Point = Series["points"][number];

interface LineProps {
  readonly series: Series;
  readonly color: string;
  readonly dash: string;
  readonly isJoined: boolean;
  readonly title: (point: Point) => string;
  readonly at: (point: Point) => readonly [number, number];
}

function Line({ series: { points }, color, dash, isJoined, title, at }: LineProps) {
  return (
    <g style={{ color }}>
      {isJoined && (
        <polyline points={points.map((point) => at(point).join()).join(" ")} stroke-dasharray={dash} />
      )}
      {points.map((point) => {
        const [cx, cy] = at(point);
        return (
          <circle key={`${cx},${cy}`} cx={cx} cy={cy} r={3}>
            <title>{title(point)}</title>
          </circle>
        );
      })}
    </g>
  );
}

function Legend({ series, isJoined }: { readonly series: readonly Series[]; readonly isJoined: boolean }) {
  return (
    <ul class="legend">
      {series.map(({ name }, i) => (
        <li key={name}>
          <svg width="24" height="10" aria-hidden="true" style={{ color: seriesStyle(i).color }}>
            {isJoined && (
              <line class="key" x1="0" x2="24" y1="5" y2="5" stroke-dasharray={seriesStyle(i).dash} />
            )}
            <circle cx="12" cy="5" r="3" />
          </svg>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** A value → its pixel. */
function scaleOf({ type, domain }: ReturnType<typeof rulerFor>, from: number, to: number) {
  const along = type === "log" ? Math.log10 : (value: number) => value;
  const [low, high] = domain.map(along);
  return (value: number) => from + ((along(value) - low) / (high - low)) * (to - from);
}

function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
