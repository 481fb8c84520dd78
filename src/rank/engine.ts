// Requests and the segments of an index → rankings. All plans have the same two stages:
//
//   first stage    finds candidates: documents that may be among the k best, each with an upper bound of its score
//   second stage   scores candidates exactly, ranks them, and says whether the answer is exact
//
// The engine plans both stages of a request once, and hands the plan to both. The caller chooses the first stages. There may be
// several, such as a GPU and the CPU: a request goes to the first of them that can answer it.

import { noCodesError } from "../query/plan/plan.ts";
import { type EngineRequest, planStages, type StagePlan } from "../query/plan/stage-plan.ts";
import { Candidates } from "../scan/contract/candidates.ts";
import type { FirstStage, FoundCandidates, LoadedSegment } from "../scan/contract/first-stage.ts";
import { createCounts } from "../scan/contract/scan-counts.ts";
import { Turns } from "../support/work/turns.ts";
import { countAllowed, type EngineSegment, type ScorableSegment } from "./engine-segment.ts";
import type { Ranking } from "./ranking.ts";
import { SecondStage } from "./second-stage.ts";

const TOO_CLOSE = "too many documents have nearly the same score";

/**
 * The rankings of requests that have the same plan and the same k. They are searched together: all of them read a window
 * while it is in the processor's cache. The last of `firstStages` must be able to answer every request.
 */
export async function runEngine<Loadable, Loaded>(
  segments: readonly (EngineSegment<Loaded> & Loadable)[],
  requests: readonly EngineRequest[],
  firstStages: readonly FirstStage<Loadable, Loaded>[],
  turns = new Turns(),
): Promise<Ranking[]> {
  const [firstStage, ...others] = firstStages;
  if (others.length === 0) return (await runEngineWith(firstStage, segments, requests, turns)) as Ranking[];
  let fallback = requests
    .map((request) => firstStage.refusal(request))
    .find((reason) => reason !== undefined);
  let rankings: (Ranking | undefined)[] = [];
  if (fallback === undefined) {
    fallback = TOO_CLOSE;
    try {
      rankings = await runEngineWith(firstStage, segments, requests, turns);
    } catch (error) {
      fallback = firstStage.reasonToFallBack(error);
      if (fallback === undefined) throw error;
    }
  }
  const unanswered = requests.filter((_, i) => !rankings[i]);
  if (unanswered.length === 0) return rankings as Ranking[];
  const answered = await runEngine(segments, unanswered, others, turns);
  return requests.map((_, i) => {
    if (rankings[i]) return rankings[i];
    const { ranked, stats } = answered.shift()!;
    return { ranked, stats: { ...stats, fallback } };
  });
}

/** Rankings by one first stage. Undefined for a request that it could not answer as the plan demands. */
async function runEngineWith<Loadable, Loaded>(
  firstStage: FirstStage<Loadable, Loaded>,
  segments: readonly (EngineSegment<Loaded> & Loadable)[],
  requests: readonly EngineRequest[],
  turns: Turns,
): Promise<(Ranking | undefined)[]> {
  const needsSemanticParts = requests.some(({ vector }) => vector);
  // Bounds need weights of at least 0. A query with others is scored without a first stage.
  const isScanned = requests.map(({ row }) => row.values.every((value) => value >= 0));
  // The first search may have to load segments. After an abort the loading goes on, for the next search.
  const open = (by?: FirstStage<Loadable, Loaded>) =>
    turns.raceAbort(Promise.all(segments.map((segment) => openSegment(segment, needsSemanticParts, by))));
  const opened = isScanned.includes(true) ? await open(firstStage) : [];
  if (requests.some(({ plan }) => plan.kind === "quantized")) {
    requireCodes(segments.filter((_, i) => opened[i]?.isScanned));
  }
  const unloaded = isScanned.includes(false) ? await open() : [];
  const scannedStages: StagePlan[] = [];
  const secondStages: SecondStage[] = [];
  for (const [i, request] of requests.entries()) {
    const searched = isScanned[i] ? opened : unloaded;
    const stages = planStages(request, countAllowed(searched));
    if (isScanned[i]) scannedStages.push(stages);
    secondStages.push(new SecondStage(request, stages, searched, firstStage.kernel));
    if (turns.isDue) await turns.next();
  }

  const start = performance.now();
  const loaded = opened.map((segment) => segment.loaded).filter((segment) => segment !== undefined);
  const foundByScans =
    loaded.length > 0 ? await firstStage.find(loaded, scannedStages, turns) : scannedStages.map(noCandidates);
  const firstStageMs = (performance.now() - start) / requests.length;

  const rankings: (Ranking | undefined)[] = [];
  let next = 0;
  for (const [i, secondStage] of secondStages.entries()) {
    const found = isScanned[i] ? foundByScans[next++] : noCandidates();
    rankings.push(await finishRanking(secondStage, found, firstStageMs, turns));
    if (turns.isDue) await turns.next();
  }
  return rankings;
}

function requireCodes(segments: readonly Pick<EngineSegment<never>, "hasCodes">[]): void {
  if (segments.every(({ hasCodes }) => hasCodes)) return;
  throw noCodesError();
}

/** Asks the first stage for more candidates until the answer is proven, or the first stage has no more. */
async function finishRanking(
  secondStage: SecondStage,
  foundFirst: FoundCandidates,
  firstStageMs: number,
  turns: Turns,
): Promise<Ranking | undefined> {
  let [found, ms] = [foundFirst, firstStageMs];
  for (;;) {
    const { more } = found;
    const ranking = turns.run(secondStage.rank(found, ms));
    const proven = ranking instanceof Promise ? await ranking : ranking;
    if (proven || !more) return proven;
    const start = performance.now();
    found = await more();
    ms += performance.now() - start;
  }
}

/** The candidates of a query that is not scanned: none, because all documents that may be hits are scored. */
function noCandidates(): FoundCandidates {
  return {
    candidates: new Candidates(),
    candidatesFound: 0,
    othersBound: Number.NEGATIVE_INFINITY,
    counts: createCounts(),
  };
}

/** An opened segment, and what the first stage reads of it; undefined if it is not scanned. */
interface OpenedForScan<Loaded> extends ScorableSegment {
  readonly loaded: LoadedSegment<Loaded> | undefined;
}

async function openSegment<Loadable, Loaded>(
  segment: EngineSegment<Loaded> & Loadable,
  needsSemanticParts: boolean,
  firstStage: FirstStage<Loadable, Loaded> | undefined,
): Promise<OpenedForScan<Loaded>> {
  const { first, rowCount, dims, allowed, additions } = segment;
  const allowedCount = allowed ? allowed.count() : rowCount;
  const loaded = await firstStage?.load(segment, allowedCount);
  const lexicalParts = await segment.lexicalParts(loaded);
  const semanticParts = needsSemanticParts ? await segment.semanticParts(loaded) : undefined;
  // Hot path: an object spread is measurable in a short search.
  return {
    first,
    rowCount,
    allowed,
    additions,
    allowedCount,
    dims,
    lexicalParts,
    semanticParts,
    isScanned: loaded !== undefined,
    loaded,
  };
}
