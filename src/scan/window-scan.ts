// One question at one window: sums of words, then planes of vectors, and after each the documents that can still be among
// the best. While it runs, the window's scratch memory is its own.

import type { Bits } from "../bits.ts";
import type { LookUps, ProductCoder } from "../layout/pq.ts";
import { paddedDocs } from "../layout/windows.ts";
import type { Candidates } from "./candidates.ts";
import { type LexicalWindows, type List, looseness } from "./lexical.ts";
import type { PlacedWindow } from "./place.ts";
import type { PlaneQuery, SemanticWindows } from "./semantic.ts";
import { Threshold } from "./threshold.ts";

/** What a scan did. */
export interface ScanCounts {
  /** Windows, and those that were not looked at because nothing in them could matter. */
  windows: number;
  skipped: number;
  /** Lists of postings left out of the sums because their words alone could not lift a document high enough. */
  listsSkipped: number;
  /** Documents whose semantic part was looked at one by one. */
  refined: number;
  /** Bytes of lists, slices, planes and codes that were read. */
  bytes: number;
  /** Windows where documents were dropped that could have mattered, though hardly. */
  guessed: number;
}

export function emptyCounts(): ScanCounts {
  return { windows: 0, skipped: 0, listsSkipped: 0, refined: 0, bytes: 0, guessed: 0 };
}

/** Below this share of a window, its documents are looked at one by one. */
const FEW = 0.4;

/** The sum of a document that holds a word of the query is larger than this. */
const ABOVE_ZERO = 2 ** -125;

/** Deviations of what sketches miss that are reckoned with: beyond are one in 700. */
const DEVIATIONS = 3;

/** Any sum is larger than this, except that of a document that was barred. */
const ABOVE_BARRED = -(2 ** 127);

/** Up to so many hits are few. */
const FEW_WANTED = 100;

/** Documents looked at to find a first floor, at most, or twice k. */
const MOST_SEEDS = 64;

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
      if (seeds && !(guesses && this.#query.sketch)) this.#seed(0, threshold, this.#window.scratch.sums);
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
    // Where many are wanted, too many are left after sketching for it to pay.
    if (guesses && this.#query.sketch && threshold.k <= FEW_WANTED) this.#sketchVectors(threshold);
    this.#addVectors(threshold);
  }

  /** Drops documents by a rough view of all dimensions, when many are left. */
  #sketchVectors(threshold: Threshold): void {
    const [semantic, query, window] = [this.#semantic!, this.#query!, this.#window];
    if (this.#listed < window.docs * FEW) return;
    semantic.estimate(window, query);
    this.#counts.bytes += window.docs * semantic.sketchBytes;
    if (!threshold.full) this.#seed(0, threshold, window.scratch.estimates);
    const floor = Math.max(threshold.floor - this.#slack, ABOVE_BARRED);
    this.#listed = semantic.reachingBySketch(window, query, DEVIATIONS, floor);
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
    this.#listed = arena.kernels.reaching(scratch.sums, docs, 0, 0, floor, scratch.places);
  }

  /** The documents left, each with the most it can score; and what they reach for certain raises the threshold. */
  report(threshold: Threshold, from: number, candidates: Candidates): void {
    const { arena, scratch } = this.#window;
    const first = from + this.#window.first;
    const places = arena.view(Uint32Array, scratch.places, this.#listed);
    const sums = arena.view(Float32Array, scratch.sums, this.#window.docs);
    const looseness = this.#looseness(places);
    for (let i = 0; i < places.length; i++) {
      const sum = sums[places[i]];
      threshold.push(sum - looseness[i]);
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
    this.#listed = arena.kernels.reaching(scratch.sums, docs, 0, 0, least, scratch.places);
  }

  /** Plane after plane: for all documents while many are left, then one by one. */
  #addVectors(threshold: Threshold): void {
    const [semantic, query, window] = [this.#semantic!, this.#query!, this.#window];
    const floor = () => Math.max(threshold.floor - this.#slack, ABOVE_BARRED);
    let plane = 0;
    for (; plane < semantic.planes && this.#listed > window.docs * FEW; plane++) {
      semantic.scanPlane(this.#w, window, query, plane);
      this.#counts.bytes += window.docs * semantic.bytesOf(plane);
      if (plane === 0 && !threshold.full) this.#seed(1, threshold, window.scratch.sums);
      this.#listed = semantic.reachingAfter(window, query, plane, floor());
    }
    if (plane === semantic.planes && this.#listed > 2 * threshold.k) {
      // All sums are close to the truth now, whatever the floor was that the planes were read with.
      this.#seed(plane, threshold, window.scratch.sums);
      this.#listed = semantic.reachingAfter(window, query, plane - 1, floor());
    }
    this.#counts.refined += this.#listed;
    this.#listed = semantic.refine(this.#w, window, query, plane, this.#listed, floor(), this.#counts);
  }

  /**
   * While fewer than k documents are known there is no floor, and nothing can be dropped. So the documents with the
   * largest sums so far (or estimates) are finished first, and what they reach for certain is the floor. Their sums are
   * put back.
   */
  #seed(plane: number, threshold: Threshold, ranks: number): void {
    const { arena, scratch, docs } = this.#window;
    const kth = this.#kth(threshold.k, ranks);
    if (kth === Number.NEGATIVE_INFINITY) return;
    const most = Math.max(MOST_SEEDS, 2 * threshold.k);
    const listed = Math.min(most, arena.kernels.reaching(ranks, docs, 0, 0, kth, scratch.places));
    const places = arena.view(Uint32Array, scratch.places, listed).slice();
    const sums = arena.view(Float32Array, scratch.sums, docs);
    const before = new Float32Array(listed);
    for (let i = 0; i < listed; i++) before[i] = sums[places[i]];
    this.#semantic!.refine(this.#w, this.#window, this.#query!, plane, listed, Number.NEGATIVE_INFINITY);
    const looseness = this.#looseness(places);
    const reached = new Threshold(threshold.k);
    for (let i = 0; i < listed; i++) {
      reached.push(sums[places[i]] - looseness[i]);
      sums[places[i]] = before[i];
    }
    if (reached.full) threshold.raise(reached.floor);
  }

  /** How much the finished sums of documents can exceed the truth. */
  #looseness(places: Uint32Array): Float64Array {
    const looseness = new Float64Array(places.length).fill(this.#loose + this.#slack);
    if (this.#query) this.#semantic!.addLooseness(this.#w, this.#window, this.#query, places, looseness);
    return looseness;
  }

  #kth(k: number, ranks = this.#window.scratch.sums): number {
    const { arena, scratch, docs } = this.#window;
    return arena.kernels.kthLargest(ranks, docs, k, scratch.heap);
  }
}
