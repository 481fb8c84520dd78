// Reports which of our targets are met. Every line shows our figure and the peer's. A target that could not be measured gets a
// line too.

import type { Kind } from "./contract/dataset.ts";
import type { EngineResult } from "./job.ts";
import type { Cut, MeasuredWay } from "./measure.ts";
import { megabytes } from "./tables.ts";
import { LENGTHS } from "./truth.ts";

/** Results of one data set. */
export interface Measurements {
  readonly set: string;
  readonly results: readonly EngineResult[];
}

/** Share of the exact ranking's first ten that the default plan must find. */
const AGREEMENT = 0.995;
/** How many times faster than zvec a build must be. */
const BUILD_FACTOR = 10;

interface Candidate {
  readonly engine: string;
  readonly way: MeasuredWay;
}

/** A line for each target and data set. */
export function targetLines(measurements: readonly Measurements[]): string[] {
  return measurements.flatMap(({ set, results }) => {
    const ours = results.find(({ engine }) => engine === "sluice");
    if (!ours) return [`- ${set}: sluice was not measured, no target can be judged`];
    const peers = results.filter(({ engine }) => !engine.startsWith("sluice"));
    const lines = [
      ...(set === "acl" ? [faster("a", "hybrid, plan exact", 10, ours, peers, { plan: "plan exact" })] : []),
      defaultPlan(ours, peers),
      faster("c", "hybrid, half of the fastest", 1000, ours, peers, { plan: "default plan", share: 0.5 }),
      faster("d", "exact dense alone", 10, ours, peers, { kind: "dense", plan: "plan exact", exact: true }),
      faster("d", "exact dense alone", 1000, ours, peers, { kind: "dense", plan: "plan exact", exact: true }),
      faster("e", "lexical alone", 10, ours, peers, { kind: "lexical", plan: "" }),
      faster("e", "lexical alone", 1000, ours, peers, { kind: "lexical", plan: "" }),
      build(ours, peers),
      smaller("disk", "diskBytes", ours, peers),
      smaller("resident memory", "rssBytes", ours, peers),
      smaller("resident memory while busy", "busyBytes", ours, peers),
    ];
    return lines.map((line) => `- ${set} ${line}`);
  });
}

interface Race {
  readonly kind?: Kind;
  /** The name of our way to search. */
  readonly plan: string;
  /** Compare only with peers that search exactly. */
  readonly exact?: boolean;
  /** Our time must be below this share of the peer's time. Default 1. */
  readonly share?: number;
}

function faster(
  letter: string,
  what: string,
  k: Cut,
  ours: EngineResult,
  peers: readonly EngineResult[],
  { kind = "hybrid", plan, exact = false, share = 1 }: Race,
): string {
  const way = ours.ways.find((candidate) => candidate.kind === kind && candidate.name === plan);
  const rival = fastest(peers, kind, k, exact);
  const title = `(${letter}) ${what}, top ${k}`;
  if (!way || !rival) return `${title}: not judged, ${way ? "no peer was" : "ours was not"} measured`;
  const isMet = way.at[k].p50 < share * rival.way.at[k].p50;
  return `${title}: ${verdict(isMet)}, ${time(way, k)} against ${describe(rival, k)}`;
}

function defaultPlan(ours: EngineResult, peers: readonly EngineResult[]): string {
  const way = ours.ways.find(({ kind, name }) => kind === "hybrid" && name === "default plan");
  const exact = ours.ways.find(({ kind, name }) => kind === "hybrid" && name === "plan exact");
  const rival = fastest(peers, "hybrid", 10, false);
  if (!way || !rival) return "(b) hybrid, default plan, top 10: not judged, something was not measured";
  const { p50, agreement } = way.at[10];
  const isMet = p50 < rival.way.at[10].p50 && agreement >= AGREEMENT;
  const byLengths = ({ at }: MeasuredWay) =>
    LENGTHS.map((lengths, i) => `${at[10].agreements[i].toFixed(4)} by ${lengths} lengths`).join(", ");
  return (
    `(b) hybrid, default plan, top 10: ${verdict(isMet)}, ${time(way, 10)} against ${describe(rival, 10)}; ` +
    `agreement ${byLengths(way)}, wanted ${AGREEMENT}` +
    (exact ? `; plan exact has ${byLengths(exact)}` : "")
  );
}

function build(ours: EngineResult, peers: readonly EngineResult[]): string {
  const zvec = peers.find(({ engine }) => engine === "zvec");
  const title = `(f) build ${BUILD_FACTOR} times as fast as zvec's`;
  if (!zvec) return `${title}: not judged, zvec was not measured`;
  const factor = zvec.buildMs / ours.buildMs;
  const seconds = [ours, zvec].map(({ buildMs }) => `${(buildMs / 1000).toFixed(1)} s`);
  return `${title}: ${verdict(factor >= BUILD_FACTOR)}, ${seconds.join(" against ")}, ${factor.toFixed(1)} times`;
}

function smaller(
  what: string,
  field: "diskBytes" | "rssBytes" | "busyBytes",
  ours: EngineResult,
  peers: readonly EngineResult[],
): string {
  const title = `(g) ${what} no larger than the smallest hybrid peer's`;
  const sized = peers.filter(
    (peer) => peer[field] !== undefined && peer.ways.some(({ kind }) => kind === "hybrid"),
  );
  if (sized.length === 0) return `${title}: not judged, no peer was measured`;
  const smallest = sized.reduce((best, peer) => (peer[field]! < best[field]! ? peer : best));
  const isMet = ours[field]! <= smallest[field]!;
  return (
    `${title}: ${verdict(isMet)}, ${megabytes(ours[field]!)} MB against ` +
    `${megabytes(smallest[field]!)} MB (${smallest.engine})`
  );
}

function fastest(
  peers: readonly EngineResult[],
  kind: Kind,
  k: Cut,
  needsExact: boolean,
): Candidate | undefined {
  return peers
    .flatMap(({ engine, ways }) => ways.map((way) => ({ engine, way })))
    .filter(({ way }) => way.kind === kind && (way.exact || !needsExact))
    .sort((a, b) => a.way.at[k].p50 - b.way.at[k].p50)[0];
}

function verdict(isMet: boolean): string {
  return isMet ? "met" : "NOT MET";
}

function time(way: MeasuredWay, k: Cut): string {
  return `${way.at[k].p50.toFixed(2)} ms`;
}

function describe({ engine, way }: Candidate, k: Cut): string {
  const name = way.name && `, ${way.name}`;
  return `${time(way, k)} (${engine}${name}, agreement ${way.at[k].agreement.toFixed(4)})`;
}
