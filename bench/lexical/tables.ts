// Writes the measurements as tables, and lists where other engines are better.

import { formatTable } from "../../src/lab/index.ts";
import { CUTS, type Cut } from "../hybrid/measure.ts";
import { megabytes } from "../hybrid/tables.ts";
import { OURS } from "./peers.ts";
import type { Result, WayResult } from "./results.ts";

/** Times and agreement of every way to search; the fastest is first. */
export function speedTable(results: readonly Result[], queries: number): string {
  const columns = CUTS.flatMap((k) => [`top ${k}: p50 ms`, "p95 ms", "agreement"]);
  const rows = ranked(results, 10).map(({ engine, way }) => [
    label(engine, way),
    way.exact ? "exact" : "approximate",
    ...CUTS.flatMap((k) => {
      const { p50, p95, asked, agreement, mark } = way.at[k];
      return [
        `${p50.toFixed(3)}${asked < queries ? "*" : " "}`,
        p95.toFixed(3),
        `${agreement.toFixed(4)} ${mark.padEnd(2)}`,
      ];
    }),
  ]);
  return formatTable(["", "claims", ...columns], rows);
}

export interface Size {
  readonly engine: string;
  readonly what: string;
  readonly bytes: number;
  readonly docs: number;
}

export function sizeTable(sizes: readonly Size[]): string {
  const rows = [...sizes]
    .sort((a, b) => a.bytes - b.bytes)
    .map(({ engine, what, bytes, docs }) => [
      `${engine}: ${what}`,
      bytes.toLocaleString("en"),
      (bytes / docs).toFixed(0),
    ]);
  return formatTable(["index size", "bytes", "a document"], rows);
}

/** Returns a line for every figure in which another engine is better than ours. */
export function losses(results: readonly Result[]): string[] {
  const ours = results.find(({ engine }) => engine === OURS);
  if (!ours) return [`- not judged: ${OURS} was not measured`];
  const peers = results.filter((result) => result !== ours);
  const [ourWay] = ours.ways;
  const lines: string[] = [];
  for (const k of CUTS) {
    for (const { engine, way } of ranked(peers, k)) {
      const [theirs, mine] = [way.at[k], ourWay.at[k]];
      const behind = (["p50", "p95"] as const).filter((percentile) => theirs[percentile] < mine[percentile]);
      if (behind.length === 0) continue;
      const figures = behind.map(
        (percentile) =>
          `${percentile} ${theirs[percentile].toFixed(3)} ms against our ${mine[percentile].toFixed(3)}, ` +
          `${(mine[percentile] / theirs[percentile]).toFixed(2)} times as fast`,
      );
      const claim = way.exact ? "" : ` (approximate, agreement ${theirs.agreement.toFixed(4)})`;
      lines.push(`- top ${k}, ${label(engine, way)}${claim}: ${figures.join("; ")}`);
    }
  }
  const costs = [
    ["build", "buildMs", "ms"],
    ["disk", "diskBytes", "MB"],
    ["resident memory", "rssBytes", "MB"],
  ] as const;
  for (const [what, field, unit] of costs) {
    const shown = (value: number) => `${unit === "MB" ? megabytes(value) : value.toFixed(0)} ${unit}`;
    for (const peer of peers) {
      const [theirs, mine] = [peer[field], ours[field]];
      if (theirs === undefined || mine === undefined || theirs >= mine) continue;
      lines.push(`- ${what}: ${peer.engine} ${shown(theirs)}, ours ${shown(mine)}`);
    }
  }
  return lines.length > 0 ? lines : ["- nowhere"];
}

function ranked(results: readonly Result[], k: Cut): { engine: string; way: WayResult }[] {
  return results
    .flatMap(({ engine, ways }) => ways.map((way) => ({ engine, way })))
    .sort((a, b) => a.way.at[k].p50 - b.way.at[k].p50);
}

function label(engine: string, { name }: WayResult): string {
  return name ? `${engine}, ${name}` : engine;
}
