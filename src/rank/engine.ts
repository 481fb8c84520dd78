// Requests and the segments of an index → rankings. All plans have the same two stages:
//
//   first stage    finds candidates: documents that may be among the k best, each with an upper bound of its score
//   second stage   scores candidates exactly, ranks them, and says whether the answer is exact
//
// There may be several first stages, such as a GPU and the CPU. A request goes to the first of them that can answer it.

import { UsageError } from "../errors.ts";
import type { EngineRequest } from "../query/first-stage-plan.ts";
import { Candidates } from "../scan/candidates.ts";
import type { FirstStage, FoundCandidates } from "../scan/first-stage.ts";
import { emptyCounts } from "../scan/scan-counts.ts";
import { WasmFirstStage } from "../scan/wasm/wasm-first-stage.ts";
import { Turns } from "../support/turns.ts";
import type { Ranking } from "./ranking.ts";
import type { OpenedSegment, SearchSegment } from "./search-segment.ts";
import { SecondStage } from "./second-stage.ts";

/** The CPU, on the calling thread. */
export const ON_THIS_THREAD: FirstStage = new WasmFirstStage();

const TOO_CLOSE = "too many documents have nearly the same score";

/**
 * The rankings of requests that have the same plan and the same k. They are searched together: all of them read a window
 * while it is in the processor's cache. The last first stage answers every request.
 */
export async function searchSegments(
  segments: readonly SearchSegment[],
  requests: readonly EngineRequest[],
  firstStages: readonly FirstStage[] = [ON_THIS_THREAD],
  turns = new Turns(),
): Promise<Ranking[]> {
  const [firstStage, ...others] = firstStages;
  if (others.length === 0) return (await searchWith(firstStage, segments, requests, turns)) as Ranking[];
  let fallback = requests
    .map((request) => firstStage.refusal(request))
    .find((reason) => reason !== undefined);
  let rankings: (Ranking | undefined)[] = [];
  if (fallback === undefined) {
    fallback = TOO_CLOSE;
    try {
      rankings = await searchWith(firstStage, segments, requests, turns);
    } catch (error) {
      fallback = firstStage.reasonToFallBack(error);
      if (fallback === undefined) throw error;
    }
  }
  const unanswered = requests.filter((_, i) => !rankings[i]);
  if (unanswered.length === 0) return rankings as Ranking[];
  const answered = await searchSegments(segments, unanswered, others, turns);
  return requests.map((_, i) => {
    if (rankings[i]) return rankings[i];
    const { docs, stats } = answered.shift()!;
    return { docs, stats: { ...stats, fallback } };
  });
}

/** Rankings by one first stage. Undefined for a request that it could not answer as the plan demands. */
async function searchWith(
  firstStage: FirstStage,
  segments: readonly SearchSegment[],
  requests: readonly EngineRequest[],
  turns: Turns,
): Promise<(Ranking | undefined)[]> {
  const needsVectors = requests.some(({ vector }) => vector);
  // Bounds need weights of at least 0. A query with others is scored without a first stage.
  const isScanned = requests.map(({ row }) => row.values.every((value) => value >= 0));
  // The first search may have to load segments. After an abort the loading goes on, for the next search.
  const open = (by?: FirstStage) =>
    turns.until(Promise.all(segments.map((segment) => loadSegment(segment, needsVectors, by))));
  const loaded = isScanned.includes(true) ? await open(firstStage) : [];
  if (requests.some(({ plan }) => plan.kind === "quantized")) requireCodes(loaded);
  const unloaded = isScanned.includes(false) ? await open() : [];
  const searches: SecondStage[] = [];
  for (const [i, request] of requests.entries()) {
    searches.push(new SecondStage(request, isScanned[i] ? loaded : unloaded, firstStage.kernel));
    if (turns.isDue) await turns.next();
  }

  const start = performance.now();
  const plans = searches.filter((_, i) => isScanned[i]).map(({ firstStagePlan }) => firstStagePlan);
  const scanned = loaded.filter((segment) => segment.isScanned);
  const found = scanned.length > 0 ? await firstStage.find(scanned, plans, turns) : plans.map(nothingFound);
  const firstStageMs = (performance.now() - start) / requests.length;

  const rankings: (Ranking | undefined)[] = [];
  let next = 0;
  for (const [i, search] of searches.entries()) {
    const candidates = isScanned[i] ? found[next++] : nothingFound();
    rankings.push(await rankUntilProven(search, candidates, firstStageMs, turns));
    if (turns.isDue) await turns.next();
  }
  return rankings;
}

function requireCodes(segments: readonly OpenedSegment[]): void {
  if (segments.every(({ scanner }) => !scanner || scanner.hasCodes)) return;
  throw new UsageError("the index has no product codes", "build it with quantize, or choose another plan");
}

/** Asks the first stage for more candidates until the answer is proven, or nobody knows more. */
async function rankUntilProven(
  search: SecondStage,
  first: FoundCandidates,
  firstStageMs: number,
  turns: Turns,
): Promise<Ranking | undefined> {
  let [found, ms] = [first, firstStageMs];
  for (;;) {
    const { more } = found;
    const ranking = turns.run(search.rank(found, ms));
    const proven = ranking instanceof Promise ? await ranking : ranking;
    if (proven || !more) return proven;
    const start = performance.now();
    found = await more();
    ms += performance.now() - start;
  }
}

/** For queries and segments that are not scanned: no candidates, and no other documents than those that are scored anyway. */
function nothingFound(): FoundCandidates {
  return { candidates: new Candidates(), passed: 0, unseen: Number.NEGATIVE_INFINITY, counts: emptyCounts() };
}

async function loadSegment(
  segment: SearchSegment,
  needsVectors: boolean,
  firstStage: FirstStage | undefined,
): Promise<OpenedSegment> {
  const { first, docs, dims, allowed } = segment;
  const live = allowed ? allowed.count() : docs;
  const loaded = await firstStage?.load(segment, live);
  const scanner = loaded?.scanner;
  const [lexicalParts, semanticParts] = await Promise.all([
    segment.lexicalParts(scanner),
    needsVectors ? segment.semanticParts(scanner) : undefined,
  ]);
  const isScanned = loaded !== undefined;
  const parts = { lexicalParts, semanticParts };
  return { first, docs, dims, allowed, live, ...parts, scanner, resident: loaded?.resident, isScanned };
}
