// Writes the measurements as tables.

import { formatTable } from "../../src/lab/index.ts";
import { KINDS } from "./contract/dataset.ts";
import type { EngineResult } from "./job.ts";
import { CUTS, type MeasuredWay } from "./measure.ts";

/** Times and agreement of every way to search; the fastest of each kind is first. */
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

/** The costs of an index: time to build and open, disk and memory. */
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

/** Formats bytes in MB of 1,000,000 bytes. */
export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function label({ name, at }: MeasuredWay): string {
  const forms = new Set(CUTS.map((k) => at[k].form));
  return [name, [...forms].join(" / ")].filter(Boolean).join(", ");
}

/**
 * A star means that the time limit was reached before all queries were searched. An L means that the best agreement is with
 * the ranking whose lengths are rounded as in Lucene.
 */
function figures({ at }: MeasuredWay, queries: number): string[] {
  return CUTS.flatMap((k) => {
    const { p50, p95, agreement, agreements, asked } = at[k];
    const isRounded = agreements.length > 1 && agreements[1] > agreements[0];
    const [star, letter] = [asked < queries ? "*" : " ", isRounded ? "L" : " "];
    return [p50.toFixed(2) + star, p95.toFixed(2), `${agreement.toFixed(4)} ${letter}`];
  });
}
