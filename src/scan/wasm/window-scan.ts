// One query and one window → the documents that may be among the k best, with upper bounds on their scores. While it
// runs, it owns the window's scratch memory. The phases:
//
//   sum terms     add up posting lists, except those that cannot matter; list the documents that can reach the threshold
//   sketch        drop documents by a rough estimate of the semantic part (approximate scans only)
//   scan planes   add planes of the vectors to the sums of all documents, while many are left
//   refine        add the rest of the vectors to the listed documents, one by one
//   report        hand on the documents that are left
//
// Early in a search there is no threshold yet, and nothing can be dropped. Seeds set one: they are the documents with the
// largest sums so far, and their scores are completed out of turn.
//
// A scan by product codes has one phase, `scanCodes`, before it reports.

import type { LookUps, ProductCoder } from "../../segment/codes/product-codes.ts";
import { padDocs } from "../../segment/rows/windows.ts";
import type { Bits } from "../../support/numbers/bits.ts";
import { kthLargest, scratchNumbers } from "../../support/numbers/kth.ts";
import type { Candidates } from "../contract/candidates.ts";
import type { ScanCounts } from "../contract/scan-counts.ts";
import { boundOverestimate, type LexicalWindows, type PostingList } from "./lexical-sums.ts";
import type { LoadedWindow } from "./memories.ts";
import type { PlaneQuery, SemanticWindows } from "./semantic-sums.ts";
import { canLookUpPay, chooseByCost, countPostings, splitLists } from "./split-lists.ts";
import type { WindowThreshold } from "./threshold.ts";

/**
 * What steers the phases. The deviations decide how likely an approximate scan is to miss one of the best; the other
 * numbers decide how long a scan takes.
 */
const POLICY = {
  /**
   * A share of a window's documents. If fewer are left, planes are read for them one by one instead of for all. A larger
   * share reads fewer bytes, in less regular order.
   */
  oneByOneShare: 0.4,

  /**
   * A share of a window's documents. If fewer hold a term of the query, seeds are chosen by their words before sketches are read,
   * which often spares all sketches. With a larger share, longer queries choose seeds for nothing.
   */
  rareShare: 0.05,

  /** The largest k that counts as few. Seeds, sketches and planes are used differently above it. */
  fewWanted: 100,

  /**
   * Standard deviations of a sketch's error. A document is dropped if it needs a larger error to reach the threshold:
   * 1 in 700 has one. A smaller number drops more documents, and more of the best.
   */
  sketchDeviations: 3,
  /** `sketchDeviations` if many are wanted: 1 in 40 has a larger error, but few of the best are so close to the threshold. */
  sketchDeviationsOfMany: 2,
  /**
   * Before k documents are known, sketches are used only if the window has this many documents per wanted one. With
   * fewer, too many look good for sketches to pay.
   */
  sketchDocsPerWanted: 16,

  /**
   * Standard deviations of what the unread planes add, for approximate scans without sketches if many are wanted. Larger
   * than for sketches, because vectors that are alike are alike in all planes.
   */
  tailDeviations: 5,
  /**
   * A share of the query's length. Planes rank documents well enough to choose seeds once at most this much is unread. A
   * smaller share sets the threshold later, by better seeds.
   */
  unreadShareForSeeds: 0.75,

  /** Seeds if many are wanted, as a multiple of k. If few are wanted, k seeds are chosen. */
  seedsOfMany: 2,
  /**
   * The most seeds that are looked at: this many, or `seedRoom` times the chosen number. Where sums are equal, more come up
   * than are chosen.
   */
  minSeedRoom: 64,
  seedRoom: 2,

  /**
   * If no whole vectors complete the sums, seeds are chosen once more after the last plane, provided that more than this
   * many times k documents are left.
   */
  leftPerWanted: 2,

  /** Sums that are looked at to estimate how many documents need the lists that were left out. More: a better estimate. */
  sampledSums: 2048,
} as const;

/** The sum of every document that holds a term of the query is larger than this. */
const ABOVE_ZERO = 2 ** -125;

/** Every sum is larger than this. Only an excluded document has −∞. */
const ABOVE_EXCLUDED = -(2 ** 127);

/** Documents with a sum each, lanes ascending. */
interface Sums {
  readonly lanes: Uint32Array;
  readonly sums: Float32Array;
}

const NO_SUMS: Sums = { lanes: new Uint32Array(0), sums: new Float32Array(0) };

export class WindowScan {
  readonly #windowNumber: number;
  readonly #window: LoadedWindow;
  readonly #lexical: LexicalWindows;
  readonly #semantic: SemanticWindows | undefined;
  readonly #query: PlaneQuery | undefined;
  /** How far rounding can be off, in all. */
  readonly #slack: number;
  readonly #counts: ScanCounts;
  /** How much the lexical part of a sum can exceed the exact one. */
  #lexicalOverestimate = 0;
  /** How many documents are listed in the scratch memory. */
  #listed = 0;
  /** Seeds whose sums are complete. They are excluded from the other phases until `report`. */
  #finished = NO_SUMS;

  constructor(
    windowNumber: number,
    window: LoadedWindow,
    lexical: LexicalWindows,
    semantic: SemanticWindows | undefined,
    query: PlaneQuery | undefined,
    slack: number,
    counts: ScanCounts,
  ) {
    this.#windowNumber = windowNumber;
    this.#window = window;
    this.#lexical = lexical;
    this.#semantic = semantic;
    this.#query = query;
    this.#slack = slack;
    this.#counts = counts;
  }

  /** All phases but `report`. `semanticMost` is the most that the semantic part of a score can be in this window. */
  run(
    lists: PostingList[],
    semanticMost: number,
    isApproximate: boolean,
    threshold: WindowThreshold,
    allowed: Bits | undefined,
  ): void {
    const sketches = isApproximate && this.#query?.sketch !== undefined;
    this.#sumTerms(lists, semanticMost, sketches, threshold, allowed);
    if (!this.#query) return;
    const isFew = threshold.k <= POLICY.fewWanted;
    // Without sketches, what unread planes add can be estimated too. That pays if many are wanted.
    const estimatesPlanes = isApproximate && !sketches && !isFew;
    const deviations = estimatesPlanes ? POLICY.tailDeviations : undefined;
    if (sketches) {
      this.#dropBySketch(threshold, isFew ? POLICY.sketchDeviations : POLICY.sketchDeviationsOfMany);
    }
    const plane = this.#scanPlanes(threshold, deviations);
    this.#refine(plane, threshold, deviations);
    if (estimatesPlanes && threshold.value > Number.NEGATIVE_INFINITY) this.#counts.guessed++;
  }

  /** Scores all documents by their product codes, and lists those that reach the threshold. */
  scanCodes(
    coder: ProductCoder,
    lookUps: LookUps,
    threshold: WindowThreshold,
    allowed: Bits | undefined,
  ): void {
    const { arena, scratch, docs, address } = this.#window;
    const { tables } = lookUps;
    const bytes = new Uint8Array(tables.buffer, tables.byteOffset, tables.byteLength);
    arena.view(Uint8Array, scratch.tables, bytes.length).set(bytes);
    this.#counts.bytes += coder.windowBytes(docs);
    coder.scan(arena.kernels, address.codes, docs, scratch.tables, lookUps, scratch.sums);
    if (allowed) this.#exclude(allowed);
    if (!threshold.isFull) threshold.raise(this.#kth(threshold.k));
    const least = Math.max(threshold.value, ABOVE_EXCLUDED);
    this.#listed = arena.kernels.reaching(scratch.sums, docs, 0, 0, least, scratch.lanes, docs);
  }

  /**
   * Adds the documents left to the candidates, each with the most it can score. What they score at least raises the
   * threshold.
   */
  report(threshold: WindowThreshold, firstDoc: number, candidates: Pick<Candidates, "add">): void {
    const { arena, scratch } = this.#window;
    const first = firstDoc + this.#window.first;
    const sums = arena.view(Float32Array, scratch.sums, this.#window.docs);
    const finished = dropBelow(this.#finished, threshold.value - this.#slack);
    for (let i = 0; i < finished.lanes.length; i++) sums[finished.lanes[i]] = finished.sums[i];
    const lanes = mergeLanes(arena.view(Uint32Array, scratch.lanes, this.#listed), finished.lanes);
    const overestimate = this.#overestimate();
    for (let i = 0; i < lanes.length; i++) {
      const sum = sums[lanes[i]];
      threshold.push(sum - overestimate(lanes[i]), first + lanes[i]);
      candidates.add(first + lanes[i], sum + this.#slack);
    }
  }

  /**
   * Phase 1: adds up the lists that can matter, sets a first threshold unless the scan has one already, and lists the documents
   * that can reach the threshold.
   */
  #sumTerms(
    lists: PostingList[],
    semanticMost: number,
    sketches: boolean,
    threshold: WindowThreshold,
    allowed: Bits | undefined,
  ): void {
    const rest = this.#sumLists(lists, threshold.value - semanticMost - this.#slack);
    if (allowed) this.#exclude(allowed);
    if (this.#query) {
      // This pays if few are wanted: after seeds, so few documents may be left that no plane is read for all of them.
      const seeds = lists.length > 0 && threshold.k <= POLICY.fewWanted && !threshold.isFull;
      if (seeds && (!sketches || this.#areTermsRare(lists))) this.#raiseBySeeds(0, threshold);
    } else if (!threshold.isFull) {
      // The query has terms alone. So k documents score at least the k-th largest sum, minus the most by which a sum is too large.
      threshold.raise(this.#kth(threshold.k) - this.#lexicalOverestimate - this.#slack);
    }
    const least = threshold.value - semanticMost;
    if (rest.length > 0) {
      this.#listReaching(least - largest(rest));
      this.#lexical.lookUp(this.#window, rest, this.#listed);
    }
    this.#listReaching(least);
  }

  /**
   * Whether so few documents hold a term that sketches are not needed once all others are dropped. If many do, a threshold from
   * seeds drops too few of them, and choosing seeds by sketches finds better ones.
   */
  #areTermsRare(lists: readonly PostingList[]): boolean {
    return this.#lexical.skipsLists && countPostings(lists) < POLICY.rareShare * this.#window.docs;
  }

  /**
   * Adds lists to the sums of all documents. A list may be cheaper to look up later, for the few documents that can reach
   * `least` with it. Such lists are not added, but returned.
   */
  #sumLists(lists: PostingList[], least: number): readonly PostingList[] {
    const { arena, scratch, docs } = this.#window;
    const unit = this.#lexical.unitOf(lists);
    const { essential, rest } = splitLists(lists, this.#lexical.skipsLists ? least : 0);
    const isLong = canLookUpPay(rest, docs);
    this.#accumulate(isLong ? essential : lists, unit);
    let left: readonly PostingList[] = [];
    if (isLong) {
      const listed = this.#estimateReaching((least - largest(rest)) / unit);
      const { added, lookedUp } = chooseByCost(rest, listed, docs);
      this.#accumulate(added, unit);
      left = lookedUp;
    }
    this.#counts.listsSkipped += left.length;
    this.#lexicalOverestimate = boundOverestimate(lists, unit);
    arena.kernels.weighSums(scratch.acc, padDocs(docs), unit, scratch.sums);
    return left;
  }

  #accumulate(lists: readonly PostingList[], unit: number): void {
    if (lists.length === 0) return;
    this.#lexical.accumulate(this.#window, lists, unit);
    this.#counts.bytes += this.#lexical.bytesOf(this.#window, lists);
  }

  /** About how many documents have an int32 sum of at least `least` so far, from a sample. */
  #estimateReaching(least: number): number {
    const { arena, scratch, docs } = this.#window;
    const step = Math.max(1, Math.floor(docs / POLICY.sampledSums));
    const sampled = Math.ceil(docs / step);
    const reaching = arena.kernels.countReaching(scratch.acc, sampled, step, Math.max(0, Math.floor(least)));
    return (reaching * docs) / sampled;
  }

  /** Excludes the documents that a filter does not allow: their sum becomes −∞. */
  #exclude({ words }: Bits): void {
    const { arena, scratch, docs, first } = this.#window;
    const own = words.subarray(first >>> 5, (first >>> 5) + Math.ceil(docs / 32));
    arena.view(Uint32Array, scratch.bits, own.length).set(own);
    arena.kernels.excludeUnset(scratch.bits, docs, scratch.sums);
  }

  /** Lists the documents whose sum reaches `least`. If the query has no vector, they must also hold one of its terms. */
  #listReaching(least: number): void {
    const { arena, scratch, docs } = this.#window;
    const needed = Math.max(least - this.#slack, this.#query ? ABOVE_EXCLUDED : ABOVE_ZERO);
    if (needed <= 0) {
      // All documents reach it, so none is listed here: the planes are read for all, and then list who is left. No posting
      // list waits to be looked up, because lists are left out of the sums only if `least` is above 0.
      this.#listed = docs;
      return;
    }
    this.#listed = arena.kernels.reaching(scratch.sums, docs, 0, 0, needed, scratch.lanes, docs);
  }

  /** Phase 2: drops documents by a rough estimate over all dimensions, if many are left. */
  #dropBySketch(threshold: WindowThreshold, deviations: number): void {
    const [semantic, query, window] = [this.#semantic!, this.#query!, this.#window];
    if (this.#listed < window.docs * POLICY.oneByOneShare) return;
    if (!threshold.isFull && window.docs < threshold.k * POLICY.sketchDocsPerWanted) return;
    semantic.estimate(window, query);
    this.#counts.bytes += window.docs * semantic.sketchBytes;
    if (!threshold.isFull) this.#finishSeeds(0, threshold, window.scratch.estimates);
    this.#listed = semantic.listBySketch(window, query, deviations, this.#leastSum(threshold));
    this.#counts.guessed++;
  }

  /**
   * Phase 3: adds plane after plane to the sums of all documents while many are left. Returns the first plane it did not
   * read. With `deviations`, what unread planes add is estimated instead of bounded.
   */
  #scanPlanes(threshold: WindowThreshold, deviations: number | undefined): number {
    const [semantic, query, window] = [this.#semantic!, this.#query!, this.#window];
    const few = Math.floor(window.docs * POLICY.oneByOneShare);
    const enough = POLICY.leftPerWanted * threshold.k;
    let [plane, seeded] = [0, false];
    for (; plane < semantic.planes && this.#listed > few; plane++) {
      semantic.scanPlane(this.#windowNumber, window, query, plane);
      this.#counts.bytes += window.docs * semantic.bytesOf(plane);
      const isLast = plane === semantic.planes - 1;
      const isTelling = query.planes[plane].tail <= query.length * POLICY.unreadShareForSeeds;
      if (!seeded && !threshold.isFull && (isTelling || (isLast && semantic.endsWithVectors))) {
        this.#finishSeeds(plane + 1, threshold, window.scratch.sums);
        seeded = true;
      }
      const most = isLast ? (semantic.endsWithVectors ? window.docs : enough) : few;
      this.#listed = semantic.listAfter(window, query, plane, deviations, this.#leastSum(threshold), most);
    }
    if (plane === semantic.planes && !semantic.endsWithVectors && this.#listed > enough) {
      // All sums are nearly exact now, whatever the threshold was while the planes were read.
      this.#raiseBySeeds(plane, threshold);
      const least = this.#leastSum(threshold);
      this.#listed = semantic.listAfter(window, query, plane - 1, undefined, least, window.docs);
    }
    return plane;
  }

  /** Phase 4: adds the planes from `plane` on to the listed documents, one by one. */
  #refine(plane: number, threshold: WindowThreshold, deviations: number | undefined): void {
    const [semantic, query, window] = [this.#semantic!, this.#query!, this.#window];
    this.#counts.refined += this.#listed;
    this.#listed = semantic.refine(
      this.#windowNumber,
      window,
      query,
      plane,
      this.#listed,
      deviations,
      this.#leastSum(threshold),
      this.#counts,
    );
  }

  /** The sum that a document needs now. */
  #leastSum(threshold: WindowThreshold): number {
    return Math.max(threshold.value - this.#slack, ABOVE_EXCLUDED);
  }

  /**
   * Chooses seeds by their sums so far, completes them, and raises the threshold by them. Then it restores their sums,
   * because posting lists may be missing in them, which are looked up later.
   */
  #raiseBySeeds(plane: number, threshold: WindowThreshold): void {
    const seeds = this.#refineSeeds(plane, threshold, threshold.k, this.#window.scratch.sums);
    if (!seeds) return;
    const { lanes, sums } = seeds;
    const now = this.#window.arena.view(Float32Array, this.#window.scratch.sums, this.#window.docs);
    for (let i = 0; i < lanes.length; i++) now[lanes[i]] = sums[i];
  }

  /**
   * Completes seeds that lack nothing but planes, and raises the threshold by them. They are done: later phases skip them.
   * `ranks` is the address of the sums that choose the seeds.
   */
  #finishSeeds(plane: number, threshold: WindowThreshold, ranks: number): void {
    const times = threshold.k > POLICY.fewWanted ? POLICY.seedsOfMany : 1;
    const seeds = this.#refineSeeds(plane, threshold, times * threshold.k, ranks);
    if (!seeds) return;
    const { arena, scratch, docs } = this.#window;
    const { lanes } = seeds;
    const sums = arena.view(Float32Array, scratch.sums, docs);
    const ranked = arena.view(Float32Array, ranks, docs);
    this.#finished = mergeSums(this.#finished, { lanes, sums: pick(sums, lanes) });
    for (let i = 0; i < lanes.length; i++) {
      sums[lanes[i]] = ranked[lanes[i]] = Number.NEGATIVE_INFINITY;
    }
  }

  /**
   * Completes the sums of the `wanted` documents that rank highest, and raises the threshold by them. Returns the sums that
   * they had before.
   */
  #refineSeeds(plane: number, threshold: WindowThreshold, wanted: number, ranks: number): Sums | undefined {
    const { arena, scratch, docs } = this.#window;
    const least = this.#kth(Math.min(docs, wanted), ranks);
    if (least === Number.NEGATIVE_INFINITY) return undefined;
    const most = Math.max(POLICY.minSeedRoom, POLICY.seedRoom * wanted);
    const listed = Math.min(most, arena.kernels.reaching(ranks, docs, 0, 0, least, scratch.lanes, most));
    const lanes = arena.view(Uint32Array, scratch.lanes, listed).slice();
    const sums = arena.view(Float32Array, scratch.sums, docs);
    const partialSums = pick(sums, lanes);
    const none = Number.NEGATIVE_INFINITY;
    this.#semantic!.refine(
      this.#windowNumber,
      this.#window,
      this.#query!,
      plane,
      listed,
      undefined,
      none,
      this.#counts,
    );
    const overestimate = this.#overestimate();
    const reached = scratchNumbers(listed);
    for (let i = 0; i < listed; i++) reached[i] = sums[lanes[i]] - overestimate(lanes[i]);
    if (listed >= threshold.k) threshold.raise(kthLargest(reached, listed, threshold.k));
    return { lanes, sums: partialSums };
  }

  /** By lane: how much a document's complete sum can exceed its exact score. */
  #overestimate(): (lane: number) => number {
    const lexical = this.#lexicalOverestimate + this.#slack;
    if (!this.#query) return () => lexical;
    const semantic = this.#semantic!.overestimate(this.#windowNumber, this.#window, this.#query);
    return (lane) => lexical + semantic(lane);
  }

  #kth(k: number, ranks = this.#window.scratch.sums): number {
    const { arena, scratch, docs } = this.#window;
    return arena.kernels.kthLargest(ranks, docs, k, scratch.heap);
  }
}

function largest(lists: readonly PostingList[]): number {
  return lists.reduce((sum, { most }) => sum + most, 0);
}

function pick(numbers: Float32Array, lanes: Uint32Array): Float32Array {
  const picked = new Float32Array(lanes.length);
  for (let i = 0; i < lanes.length; i++) picked[i] = numbers[lanes[i]];
  return picked;
}

/** Two ascending lists as one. They have no lane in common. */
function mergeLanes(some: Uint32Array, others: Uint32Array): Uint32Array {
  if (others.length === 0) return some;
  const all = new Uint32Array(some.length + others.length);
  for (let i = 0, a = 0, b = 0; i < all.length; i++) {
    const takesSome = b === others.length || (a < some.length && some[a] < others[b]);
    all[i] = takesSome ? some[a++] : others[b++];
  }
  return all;
}

/** The documents whose sum is at least `least`. Works in place. */
function dropBelow({ lanes, sums }: Sums, least: number): Sums {
  if (lanes.length === 0) return NO_SUMS;
  let count = 0;
  for (let i = 0; i < lanes.length; i++) {
    if (sums[i] < least) continue;
    lanes[count] = lanes[i];
    sums[count++] = sums[i];
  }
  return { lanes: lanes.subarray(0, count), sums: sums.subarray(0, count) };
}

function mergeSums(some: Sums, others: Sums): Sums {
  if (some.lanes.length === 0) return others;
  const sumOf = new Map<number, number>();
  for (const { lanes, sums } of [some, others]) {
    for (const [i, lane] of lanes.entries()) sumOf.set(lane, sums[i]);
  }
  const lanes = mergeLanes(some.lanes, others.lanes);
  return { lanes, sums: Float32Array.from(lanes, (lane) => sumOf.get(lane)!) };
}
