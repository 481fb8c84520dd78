// One question at one window: sums of words, then planes of vectors, and after each the documents that can still be among
// the best. While it runs, the window's scratch memory is its own.

import type { LookUps, ProductCoder } from "../segment/product-codes.ts";
import { paddedDocs } from "../segment/windows.ts";
import type { Bits } from "../support/bits.ts";
import { kthLargest, roomFor } from "../support/kth.ts";
import type { Candidates } from "./candidates.ts";
import { type LexicalWindows, type List, looseness } from "./lexical-sums.ts";
import type { PlacedWindow } from "./memories.ts";
import type { ScanCounts } from "./scan-counts.ts";
import type { PlaneQuery, SemanticWindows } from "./semantic-sums.ts";
import type { Threshold } from "./threshold.ts";

/** Below this share of a window, its documents are looked at one by one. */
const FEW = 0.4;

/** The sum of a document that holds a word of the query is larger than this. */
const ABOVE_ZERO = 2 ** -125;

/** Deviations of what sketches miss that are reckoned with: beyond are one in 700; */
const DEVIATIONS = 3;
/** where many are wanted, of which few are so close to the last that it matters, one in 40. */
const DEVIATIONS_OF_MANY = 2;
/** With fewer documents for each that is wanted, too many look good for it to pay. */
const SKETCHED_PER_WANTED = 16;
/** Deviations of what planes not yet read can add that are reckoned with: more, since vectors that are alike are so in all planes. */
const TAIL_DEVIATIONS = 5;

/** Any sum is larger than this, except that of a document that was barred. */
const ABOVE_BARRED = -(2 ** 127);

/** Up to so many hits are few. */
const FEW_WANTED = 100;

/** Documents looked at to find a first floor, at most, or twice as many as are meant. */
const MOST_SEEDS = 64;
/** Where many are wanted, so many times k are. */
const SEEDS_OF_MANY = 2;
/** Planes tell who is worth it once they hold so much of the query that this share of its length is left. */
const TELLING_TAIL = 0.75;

interface Finished {
  readonly places: Uint32Array;
  readonly sums: Float32Array;
}

export class WindowScan {
  readonly #w: number;
  readonly #window: PlacedWindow;
  readonly #lexical: LexicalWindows;
  readonly #semantic: SemanticWindows | undefined;
  readonly #query: PlaneQuery | undefined;
  readonly #slack: number;
  readonly #counts: ScanCounts;
  /** How much the lexical part of a sum can exceed the truth. */
  #loose = 0;
  #listed = 0;
  /** Documents whose sums are finished already, ascending; until they are reported they are barred. */
  #finished: Finished = { places: new Uint32Array(0), sums: new Float32Array(0) };

  constructor(
    w: number,
    window: PlacedWindow,
    lexical: LexicalWindows,
    semantic: SemanticWindows | undefined,
    query: PlaneQuery | undefined,
    slack: number,
    counts: ScanCounts,
  ) {
    this.#w = w;
    this.#window = window;
    this.#lexical = lexical;
    this.#semantic = semantic;
    this.#query = query;
    this.#slack = slack;
    this.#counts = counts;
  }

  run(
    lists: List[],
    semanticMost: number,
    guesses: boolean,
    threshold: Threshold,
    allowed: Bits | undefined,
  ): void {
    const { essential, rest } = this.#split(lists, threshold.floor - semanticMost - this.#slack);
    this.#sum(essential, lists, allowed);
    if (this.#query) {
      // Worth it where few are wanted: they may leave so few documents that no plane is read whole.
      const seeds = lists.length > 0 && threshold.k <= FEW_WANTED && !threshold.full;
      if (seeds && !(guesses && this.#query.sketch)) this.#seed(0, threshold);
    } else if (!threshold.full) {
      // Words alone: k documents reach the k-th largest sum, less what sums exceed the truth by.
      threshold.raise(this.#kth(threshold.k) - this.#loose - this.#slack);
    }
    const floor = threshold.floor - semanticMost;
    if (rest.length > 0) {
      this.#list(floor - rest.reduce((sum, { most }) => sum + most, 0));
      this.#lexical.lookUp(this.#window, rest, this.#listed);
    }
    this.#list(floor);
    if (!this.#query) return;
    const few = threshold.k <= FEW_WANTED;
    const sketches = guesses && this.#query.sketch !== undefined;
    // Without sketches, planes can be guessed from those before: where many are wanted, that is.
    const guessesPlanes = guesses && !sketches && !few;
    if (sketches) this.#sketchVectors(threshold, few ? DEVIATIONS : DEVIATIONS_OF_MANY);
    this.#addVectors(threshold, guessesPlanes ? TAIL_DEVIATIONS : undefined);
    if (guessesPlanes && threshold.floor > Number.NEGATIVE_INFINITY) this.#counts.guessed++;
  }

  /** Drops documents by a rough view of all dimensions, when many are left. */
  #sketchVectors(threshold: Threshold, deviations: number): void {
    const [semantic, query, window] = [this.#semantic!, this.#query!, this.#window];
    if (this.#listed < window.docs * FEW) return;
    if (!threshold.full && window.docs < threshold.k * SKETCHED_PER_WANTED) return;
    semantic.estimate(window, query);
    this.#counts.bytes += window.docs * semantic.sketchBytes;
    if (!threshold.full) this.#finish(0, threshold, window.scratch.estimates);
    const floor = Math.max(threshold.floor - this.#slack, ABOVE_BARRED);
    this.#listed = semantic.reachingBySketch(window, query, deviations, floor);
    this.#counts.guessed++;
  }

  /** By product codes: estimates, of which the largest are candidates. */
  runCodes(coder: ProductCoder, lookUps: LookUps, threshold: Threshold, allowed: Bits | undefined): void {
    const { arena, scratch, docs, at } = this.#window;
    const { tables } = lookUps;
    const bytes = new Uint8Array(tables.buffer, tables.byteOffset, tables.byteLength);
    arena.view(Uint8Array, scratch.tables, bytes.length).set(bytes);
    this.#counts.bytes += coder.windowBytes(docs);
    coder.scan(arena.kernels, at.codes, docs, scratch.tables, lookUps, scratch.sums);
    if (allowed) this.#bar(allowed);
    if (!threshold.full) threshold.raise(this.#kth(threshold.k));
    const floor = Math.max(threshold.floor, ABOVE_BARRED);
    this.#listed = arena.kernels.reaching(scratch.sums, docs, 0, 0, floor, scratch.places, docs);
  }

  /** The documents left, each with the most it can score; and what they reach for certain raises the threshold. */
  report(threshold: Threshold, from: number, candidates: Candidates): void {
    const { arena, scratch } = this.#window;
    const first = from + this.#window.first;
    const sums = arena.view(Float32Array, scratch.sums, this.#window.docs);
    const finished = reachingOf(this.#finished, threshold.floor - this.#slack);
    for (let i = 0; i < finished.places.length; i++) sums[finished.places[i]] = finished.sums[i];
    const places = merged(arena.view(Uint32Array, scratch.places, this.#listed), finished.places);
    const looseness = this.#looseness();
    for (let i = 0; i < places.length; i++) {
      const sum = sums[places[i]];
      threshold.push(sum - looseness(places[i]));
      candidates.add(first + places[i], sum + this.#slack);
    }
  }

  /**
   * Lists that together, with the semantic part at its best, stay below the floor need not be summed: a document
   * found in them alone cannot matter (Turtle & Flood's MaxScore). The longest of the light ones are worth leaving out.
   */
  #split(lists: List[], floor: number): { essential: List[]; rest: List[] } {
    if (!this.#lexical.skipsLists || floor <= 0) return { essential: lists, rest: [] };
    const ascending = [...lists].sort((a, b) => a.most - b.most);
    let [sum, count] = [0, 0];
    while (count < ascending.length && sum + ascending[count].most < floor) sum += ascending[count++].most;
    this.#counts.listsSkipped += count;
    return { essential: ascending.slice(count), rest: ascending.slice(0, count).reverse() };
  }

  #sum(essential: readonly List[], all: readonly List[], allowed: Bits | undefined): void {
    const { arena, scratch, docs } = this.#window;
    const padded = paddedDocs(docs);
    const unit = essential.length > 0 ? this.#lexical.accumulate(this.#window, essential) : 0;
    this.#counts.bytes += this.#lexical.bytesOf(this.#window, essential);
    this.#loose = looseness(all, unit);
    arena.kernels.weighSums(scratch.acc, padded, unit, scratch.sums);
    if (allowed) this.#bar(allowed);
  }

  #bar({ words }: Bits): void {
    const { arena, scratch, docs, first } = this.#window;
    const own = words.subarray(first >>> 5, (first >>> 5) + Math.ceil(docs / 32));
    arena.view(Uint32Array, scratch.bits, own.length).set(own);
    arena.kernels.bar(scratch.bits, docs, scratch.sums);
  }

  /** Lists the documents whose sum reaches the floor; where words alone count, those that hold one. */
  #list(floor: number): void {
    const { arena, scratch, docs } = this.#window;
    const least = Math.max(floor - this.#slack, this.#query ? ABOVE_BARRED : ABOVE_ZERO);
    if (least <= 0) {
      // All of them, or all that are not barred: planes are then read for all, and make the list. Lists are left out of
      // the sums only below a floor above 0, so that nobody looks up what is not listed.
      this.#listed = docs;
      return;
    }
    this.#listed = arena.kernels.reaching(scratch.sums, docs, 0, 0, least, scratch.places, docs);
  }

  /**
   * Plane after plane: for all documents while many are left, then one by one. With `deviations`, what later planes can
   * add is not bounded but guessed.
   */
  #addVectors(threshold: Threshold, deviations: number | undefined): void {
    const [semantic, query, window] = [this.#semantic!, this.#query!, this.#window];
    const floor = () => Math.max(threshold.floor - this.#slack, ABOVE_BARRED);
    const few = Math.floor(window.docs * FEW);
    let [plane, seeded] = [0, false];
    for (; plane < semantic.planes && this.#listed > few; plane++) {
      semantic.scanPlane(this.#w, window, query, plane);
      this.#counts.bytes += window.docs * semantic.bytesOf(plane);
      const isLast = plane === semantic.planes - 1;
      const tells = query.planes[plane].tail <= query.length * TELLING_TAIL;
      if (!seeded && !threshold.full && (tells || (isLast && semantic.endsWithVectors))) {
        this.#finish(plane + 1, threshold, window.scratch.sums);
        seeded = true;
      }
      const most = isLast ? (semantic.endsWithVectors ? window.docs : 2 * threshold.k) : few;
      this.#listed = semantic.reachingAfter(window, query, plane, deviations, floor(), most);
    }
    if (plane === semantic.planes && !semantic.endsWithVectors && this.#listed > 2 * threshold.k) {
      // All sums are close to the truth now, whatever the floor was that the planes were read with.
      this.#seed(plane, threshold);
      this.#listed = semantic.reachingAfter(window, query, plane - 1, undefined, floor(), window.docs);
    }
    this.#counts.refined += this.#listed;
    this.#listed = semantic.refine(
      this.#w,
      window,
      query,
      plane,
      this.#listed,
      deviations,
      floor(),
      this.#counts,
    );
  }

  /**
   * While fewer than k documents are known there is no floor, and nothing can be dropped. So the documents with the
   * largest sums so far are looked at first, and what they reach for certain is the floor. Their sums are put back:
   * words may be missing in them.
   */
  #seed(plane: number, threshold: Threshold): void {
    const before = this.#refineSeeds(plane, threshold, threshold.k, this.#window.scratch.sums);
    if (!before) return;
    const { places, sums } = before;
    const now = this.#window.arena.view(Float32Array, this.#window.scratch.sums, this.#window.docs);
    for (let i = 0; i < places.length; i++) now[places[i]] = sums[i];
  }

  /** The same with documents that lack nothing but planes, the first by `ranks`: they are done with. */
  #finish(plane: number, threshold: Threshold, ranks: number): void {
    const times = threshold.k > FEW_WANTED ? SEEDS_OF_MANY : 1;
    const before = this.#refineSeeds(plane, threshold, times * threshold.k, ranks);
    if (!before) return;
    const { arena, scratch, docs } = this.#window;
    const { places } = before;
    const sums = arena.view(Float32Array, scratch.sums, docs);
    const ranked = arena.view(Float32Array, ranks, docs);
    this.#finished = both(this.#finished, { places, sums: pick(sums, places) });
    for (let i = 0; i < places.length; i++) {
      sums[places[i]] = ranked[places[i]] = Number.NEGATIVE_INFINITY;
    }
  }

  /** Finishes the sums of the first documents by `ranks`, and raises the threshold by them: what the sums were before. */
  #refineSeeds(plane: number, threshold: Threshold, meant: number, ranks: number): Finished | undefined {
    const { arena, scratch, docs } = this.#window;
    const least = this.#kth(Math.min(docs, meant), ranks);
    if (least === Number.NEGATIVE_INFINITY) return undefined;
    const most = Math.max(MOST_SEEDS, 2 * meant);
    const listed = Math.min(most, arena.kernels.reaching(ranks, docs, 0, 0, least, scratch.places, most));
    const places = arena.view(Uint32Array, scratch.places, listed).slice();
    const sums = arena.view(Float32Array, scratch.sums, docs);
    const before = pick(sums, places);
    const none = Number.NEGATIVE_INFINITY;
    this.#semantic!.refine(this.#w, this.#window, this.#query!, plane, listed, undefined, none, this.#counts);
    const looseness = this.#looseness();
    const reached = roomFor(listed);
    for (let i = 0; i < listed; i++) reached[i] = sums[places[i]] - looseness(places[i]);
    if (listed >= threshold.k) threshold.raise(kthLargest(reached, listed, threshold.k));
    return { places, sums: before };
  }

  /** How much a document's finished sum can exceed the truth. */
  #looseness(): (place: number) => number {
    const loose = this.#loose + this.#slack;
    if (!this.#query) return () => loose;
    const ofVector = this.#semantic!.looseness(this.#w, this.#window, this.#query);
    return (place) => loose + ofVector(place);
  }

  #kth(k: number, ranks = this.#window.scratch.sums): number {
    const { arena, scratch, docs } = this.#window;
    return arena.kernels.kthLargest(ranks, docs, k, scratch.heap);
  }
}

function pick(numbers: Float32Array, places: Uint32Array): Float32Array {
  const picked = new Float32Array(places.length);
  for (let i = 0; i < places.length; i++) picked[i] = numbers[places[i]];
  return picked;
}

/** Two ascending lists as one. They have nothing in common. */
function merged(some: Uint32Array, others: Uint32Array): Uint32Array {
  if (others.length === 0) return some;
  const all = new Uint32Array(some.length + others.length);
  for (let i = 0, a = 0, b = 0; i < all.length; i++) {
    const next = b === others.length || (a < some.length && some[a] < others[b]);
    all[i] = next ? some[a++] : others[b++];
  }
  return all;
}

/** Those that reach the floor, brought to the front. */
function reachingOf({ places, sums }: Finished, floor: number): Finished {
  let count = 0;
  for (let i = 0; i < places.length; i++) {
    if (sums[i] < floor) continue;
    places[count] = places[i];
    sums[count++] = sums[i];
  }
  return { places: places.subarray(0, count), sums: sums.subarray(0, count) };
}

function both(some: Finished, others: Finished): Finished {
  if (some.places.length === 0) return others;
  const sumOf = new Map<number, number>();
  for (const { places, sums } of [some, others]) {
    for (const [i, place] of places.entries()) sumOf.set(place, sums[i]);
  }
  const places = merged(some.places, others.places);
  return { places, sums: Float32Array.from(places, (place) => sumOf.get(place)!) };
}
