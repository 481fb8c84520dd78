// What was measured → tables.

import { formatTable } from "../../src/index.ts";
import { KINDS } from "./dataset.ts";
import type { EngineResult } from "./job.ts";
import { CUTS, type MeasuredWay } from "./measure.ts";

/** Times and agreement of every way to search, the fastest of each kind first. */
export function speedTable(results: readonly EngineResult[], queries: number): string {
  const columns = CUTS.flatMap((k) => [`top ${k}: p50 ms`, "p95 ms", "agreement"]);
  const rows = KINDS.flatMap((kind) =>
    results
      .flatMap(({ engine, ways }) => ways.filter((way) => way.kind === kind).map((way) => ({ engine, way })))
      .sort((a, b) => a.way.at[10].p50 - b.way.at[10].p50)
      .map(({ engine, way }) => [`${engine} ${label(way)}`, kind, ...figures(way, queries)]),
  );
  return formatTable(["", "kind", ...columns], rows);
}

type Cost = Pick<
  EngineResult,
  "engine" | "note" | "buildMs" | "openMs" | "diskBytes" | "rssBytes" | "peakBytes"
> &
  Partial<Pick<EngineResult, "busyBytes">>;

/** What having an index costs. */
export function costTable(results: readonly Cost[]): string {
  const hasBusy = results.some(({ busyBytes }) => busyBytes !== undefined);
  const rows = results.map(({ engine, note, buildMs, openMs, diskBytes, rssBytes, busyBytes, peakBytes }) => [
    note ? `${engine} (${note})` : engine,
    (buildMs / 1000).toFixed(1),
    openMs === undefined ? "–" : openMs.toFixed(0),
    diskBytes === undefined ? "in memory" : megabytes(diskBytes),
    megabytes(rssBytes),
    ...(hasBusy ? [megabytes(busyBytes!)] : []),
    megabytes(peakBytes),
  ]);
  const memory = ["resident MB", ...(hasBusy ? ["busy MB"] : []), "peak MB"];
  return formatTable(["", "build s", "open ms", "disk MB", ...memory], rows);
}

export function sizeTable(sizes: readonly (readonly [string, Readonly<Record<string, number>>])[]): string {
  const rows = sizes.flatMap(([engine, bytes]) =>
    Object.entries(bytes).map(([form, size]) => [
      `${engine}: ${form}`,
      size.toLocaleString("en"),
      megabytes(size),
    ]),
  );
  return formatTable(["lexical index alone", "bytes", "MB"], rows);
}

/** A thousand thousand bytes each. */
export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function label({ name, at }: MeasuredWay): string {
  const forms = new Set(CUTS.map((k) => at[k].form));
  return [name, [...forms].join(" / ")].filter(Boolean).join(", ");
}

/**
 * A star where the time for a row was up before all queries had been asked; an L where the ranking that it is nearest to
 * has lengths rounded as Lucene does.
 */
function figures({ at }: MeasuredWay, queries: number): string[] {
  return CUTS.flatMap((k) => {
    const { p50, p95, agreement, agreements, asked } = at[k];
    const rounded = agreements.length > 1 && agreements[1] > agreements[0];
    const [star, letter] = [asked < queries ? "*" : " ", rounded ? "L" : " "];
    return [p50.toFixed(2) + star, p95.toFixed(2), `${agreement.toFixed(4)} ${letter}`];
  });
}
