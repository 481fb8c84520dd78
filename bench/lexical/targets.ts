// Reports which of our targets are met, one line each, with our figure and the peer's. A target that could not be measured gets a
// line too.

import type { Cut } from "../hybrid/measure.ts";
import { megabytes } from "../hybrid/tables.ts";
import { OURS, type SetName } from "./peers.ts";
import type { Result, WayResult } from "./results.ts";

/** Our index on disk may be this many times as large as Lucene's. */
const DISK_FACTOR = 1.2;
/** Our build may take this many times as long as Lucene's. */
const BUILD_FACTOR = 1.5;
/** Our exact search of learned sparse weights may take this share of Qdrant's. */
const QDRANT_SHARES: Readonly<Record<Cut, number>> = { 10: 0.35, 1000: 0.65 };
/** Our fastest way that finds this share of the exact top k is compared with Seismic's fastest that finds as much. */
const RECALLS = [0.95, 0.98, 0.995];

/** A line for each target of a data set. */
export function targetLines(set: SetName, results: readonly Result[]): string[] {
  const ours = results.find(({ engine }) => engine === OURS);
  if (!ours) return [`- not judged: ${OURS} was not measured`];
  const lines =
    set === "bm25"
      ? ["bm25s", "pisa", "tantivy", "lucene"].flatMap((peer) => [
          exactSearch(peer, 10, 1, ours, results),
          exactSearch(peer, 1000, 1, ours, results),
        ])
      : [
          exactSearch("qdrant", 10, QDRANT_SHARES[10], ours, results),
          exactSearch("qdrant", 1000, QDRANT_SHARES[1000], ours, results),
          exactSearch("bmp", 10, 1, ours, results),
          exactSearch("bmp", 1000, 1, ours, results),
          ...RECALLS.flatMap((recall) => [
            atRecall(recall, 10, ours, results),
            atRecall(recall, 1000, ours, results),
          ]),
        ];
  return [
    ...lines,
    cost("disk", "diskBytes", DISK_FACTOR, ours, results, (bytes) => `${megabytes(bytes)} MB`),
    cost("build", "buildMs", BUILD_FACTOR, ours, results, (ms) => `${(ms / 1000).toFixed(1)} s`),
  ].map((line) => `- ${line}`);
}

/** Our exact search against a share of the time of a peer's fastest way that claims to be exact. */
function exactSearch(
  engine: string,
  k: Cut,
  share: number,
  ours: Result,
  results: readonly Result[],
): string {
  const title = `top ${k}, exact, at most ${share === 1 ? "" : `${share} × `}${engine}'s time`;
  const way = fastest(ours, k, ({ exact }) => exact);
  const rival = fastest(
    results.find((result) => result.engine === engine),
    k,
    ({ exact }) => exact,
  );
  if (!way || !rival) return `${title}: not judged, ${way ? engine : OURS} was not measured`;
  const ratio = way.at[k].p50 / rival.at[k].p50;
  return `${title}: ${verdict(ratio <= share)}, ${time(way, k)} against ${time(rival, k)}, ${ratio.toFixed(2)} ×`;
}

/** Our fastest way that finds enough against Seismic's. An exact way finds enough, too. */
function atRecall(recall: number, k: Cut, ours: Result, results: readonly Result[]): string {
  const title = `top ${k}, at least ${recall} of the exact hits, faster than seismic`;
  const finds = ({ at }: WayResult) => at[k].agreement >= recall;
  const way = fastest(ours, k, finds);
  const seismic = results.find(({ engine }) => engine === "seismic");
  if (!seismic || !way) return `${title}: not judged, ${seismic ? OURS : "seismic"} was not measured`;
  const rival = fastest(seismic, k, finds);
  if (!rival) return `${title}: met, no setting of seismic finds as much`;
  const found = (found: WayResult) =>
    `${time(found, k)} (${found.name || "exact"}, ${found.at[k].agreement.toFixed(4)})`;
  return `${title}: ${verdict(way.at[k].p50 < rival.at[k].p50)}, ${found(way)} against ${found(rival)}`;
}

function cost(
  what: string,
  field: "diskBytes" | "buildMs",
  factor: number,
  ours: Result,
  results: readonly Result[],
  format: (value: number) => string,
): string {
  const title = `${what}, at most ${factor} × lucene's`;
  const lucene = results.find(({ engine }) => engine === "lucene");
  const [mine, theirs] = [ours[field], lucene?.[field]];
  if (mine === undefined || theirs === undefined) return `${title}: not judged, lucene was not measured`;
  const ratio = mine / theirs;
  return `${title}: ${verdict(ratio <= factor)}, ${format(mine)} against ${format(theirs)}, ${ratio.toFixed(2)} ×`;
}

function fastest(
  result: Result | undefined,
  k: Cut,
  isEligible: (way: WayResult) => boolean,
): WayResult | undefined {
  return result?.ways.filter(isEligible).sort((a, b) => a.at[k].p50 - b.at[k].p50)[0];
}

function verdict(isMet: boolean): string {
  return isMet ? "met" : "NOT MET";
}

function time({ at }: WayResult, k: Cut): string {
  return `${at[k].p50.toFixed(3)} ms`;
}
