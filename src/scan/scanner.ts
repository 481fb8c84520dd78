// A segment in WebAssembly memories and a question → the documents that may be among the best, found a window at a time.
//
// Every sum on the way is an upper bound: values are rounded up, rounding of vectors is added. A document is dropped
// only when the most it can score stays below what k others reach for certain. Nothing here is a score: those are
// computed from the rows, for the few documents that remain.

import type { Bits } from "../bits.ts";
import type { QueryRow } from "../kernel/rows.ts";
import { type LookUps, ProductCoder } from "../layout/pq.ts";
import { paddedDocs } from "../layout/windows.ts";
import type { Candidates } from "./candidates.ts";
import { type LexicalWindows, type List, looseness, openInverted, openSlices } from "./lexical.ts";
import {
  type LayoutSource,
  type PlacedWindow,
  type Placement,
  type PlaceOptions,
  place,
  windowsFor,
} from "./place.ts";
import { type PlaneQuery, SemanticWindows } from "./semantic.ts";
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

/** A question as a segment takes it. */
export interface Question {
  readonly row: QueryRow;
  readonly by: Scoring;
  /** Whether sketches may drop documents that are most unlikely to matter. */
  readonly guesses: boolean;
  readonly semantic: PlaneQuery | undefined;
  readonly lookUps: LookUps | undefined;
}

/** How a scan scores: by the gated inner product, by the inner product, which ignores indices, or by product codes. */
export type Scoring = "gated" | "open" | "codes";

/** Below this share of a window, its documents are looked at one by one. */
const FEW = 0.4;

/** Sums are float32, each of a few additions. */
const FLOAT_SLACK = 2 ** -19;

/** The sum of a document that holds a word of the query is larger than this. */
const ABOVE_ZERO = 2 ** -125;

/** Deviations of what sketches miss that are reckoned with: beyond are one in 700. */
const DEVIATIONS = 3;

/** Any sum is larger than this, except that of a document that was barred. */
const ABOVE_BARRED = -(2 ** 127);

const FEW_WANTED = 100;

/** Documents looked at to find a first floor, at most, or twice k. */
const MOST_SEEDS = 64;

export class Scanner {
  readonly placement: Placement;
  readonly windows: readonly PlacedWindow[];
  readonly #gated: LexicalWindows;
  readonly #open: LexicalWindows;
  readonly #semantic: SemanticWindows | undefined;
  readonly #coder: ProductCoder | undefined;

  static async load(source: LayoutSource, options: PlaceOptions = {}): Promise<Scanner> {
    const { threads = 1 } = options;
    return new Scanner(await place(source, options), threads > 1 ? threads : 0);
  }

  constructor(placement: Placement, thread = 0) {
    const { meta, arrays } = placement;
    const open = meta.lexical.kind === "inverted" ? openInverted : openSlices;
    this.placement = placement;
    this.windows = windowsFor(placement, thread);
    this.#gated = open(placement, true);
    this.#open = open(placement, false);
    this.#semantic = meta.semantic && new SemanticWindows(placement);
    this.#coder = meta.quantized && new ProductCoder(meta.quantized, arrays.codebooks as Float32Array);
  }

  /** Whether the plan `quantized` can be carried out. */
  get hasCodes(): boolean {
    return this.#coder !== undefined;
  }

  /** Bytes in WebAssembly memories. */
  get bytes(): number {
    return this.placement.memories.reduce((sum, { memory }) => sum + memory.buffer.byteLength, 0);
  }

  /** The most that a query can add to the score of any document. */
  most(row: QueryRow): number {
    const { semantic } = this.prepare(row);
    return this.windows.reduce((most, _, w) => {
      const { words, vectors, slack } = this.#part(w, row, semantic, true);
      return Math.max(most, words + vectors + slack);
    }, 0);
  }

  /** The most that each of these documents, which ascend, can score: tighter than what a scan of part of the query knows. */
  bounds({ row, semantic }: Question, docs: Uint32Array): Float64Array {
    const bounds = new Float64Array(docs.length);
    let from = 0;
    for (const [w, window] of this.windows.entries()) {
      let to = from;
      while (to < docs.length && docs[to] < window.first + window.docs) to++;
      if (to === from) continue;
      const { lists, slack } = this.#part(w, row, semantic, true);
      const addVectors = (listed: number) =>
        semantic && this.#semantic!.refine(w, window, semantic, 0, listed, Number.NEGATIVE_INFINITY);
      const found = boundsOf(window, this.#gated, lists, addVectors, docs.subarray(from, to));
      for (let i = from; i < to; i++) bounds[i] = found[i - from] + slack;
      from = to;
    }
    return bounds;
  }

  /** What of a query a window answers, and what its parts can reach. */
  #part(w: number, row: QueryRow, semantic: PlaneQuery | undefined, gated: boolean) {
    const lists = (gated ? this.#gated : this.#open).lists(w, row);
    const words = lists.reduce((sum, { most }) => sum + most, 0);
    const vectors = semantic ? this.#semantic!.most(w, semantic) : 0;
    const slack = (words + vectors) * FLOAT_SLACK + (semantic ? this.#semantic!.slack(w, semantic) : 0);
    return { lists, words, vectors, slack };
  }

  prepare(row: QueryRow, by: Scoring = "gated", isCertain = true): Question {
    const vector = row.semantic;
    return {
      row,
      by,
      guesses: !isCertain,
      semantic: vector && by !== "codes" ? this.#semantic?.prepare(vector) : undefined,
      lookUps: by === "codes" ? this.#coder!.lookUps(row) : undefined,
    };
  }

  /**
   * Adds what may be among the k best of all windows so far, `threshold` being theirs, to the candidates, numbered from
   * `first`. Documents whose bit is not set are passed over.
   */
  scan(
    w: number,
    question: Question,
    threshold: Threshold,
    allowed: Bits | undefined,
    first: number,
    candidates: Candidates,
    counts: ScanCounts,
  ): void {
    const window = this.windows[w];
    counts.windows++;
    if (question.by === "codes") {
      const scan = new WindowScan(w, window, this.#gated, undefined, undefined, 0, counts);
      scan.runCodes(this.#coder!, question.lookUps!, threshold, allowed);
      scan.report(threshold, first, candidates);
      return;
    }
    const { row, semantic } = question;
    const gated = question.by === "gated";
    const lexical = gated ? this.#gated : this.#open;
    const { lists, words, vectors, slack } = this.#part(w, row, semantic, gated);
    if (words + vectors + slack < threshold.floor || (lists.length === 0 && !semantic)) {
      counts.skipped++;
      return;
    }
    const scan = new WindowScan(w, window, lexical, semantic && this.#semantic, semantic, slack, counts);
    scan.run(lists, vectors, question.guesses, threshold, allowed);
    scan.report(threshold, first, candidates);
  }
}

/** The most that each of some documents can score. */
function boundsOf(
  window: PlacedWindow,
  lexical: LexicalWindows,
  lists: readonly List[],
  addVectors: (listed: number) => void,
  docs: Uint32Array,
): Float64Array {
  const { arena, scratch, first } = window;
  const places = docs.map((doc) => doc - first);
  const sums = arena.view(Float32Array, scratch.sums, window.docs);
  arena.view(Uint32Array, scratch.places, places.length).set(places);
  for (const place of places) sums[place] = 0;
  if (lists.length > 0) lexical.lookUp(window, lists, places.length);
  addVectors(places.length);
  return Float64Array.from(places, (place) => sums[place]);
}

/** One question at one window. */
class WindowScan {
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
    const semanticLoose = this.#query && this.#semantic!.looseness(this.#w, this.#window, this.#query);
    const loose = this.#loose + this.#slack;
    for (const place of places) {
      const sum = sums[place];
      threshold.push(sum - loose - (semanticLoose?.(place) ?? 0));
      candidates.add(first + place, sum + this.#slack);
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
      // All of them, or all that are not barred: planes are then read for all, and make the list.
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
    const before = Float32Array.from(places, (place) => sums[place]);
    this.#semantic!.refine(this.#w, this.#window, this.#query!, plane, listed, Number.NEGATIVE_INFINITY);
    const loose = this.#semantic!.looseness(this.#w, this.#window, this.#query!);
    const reached = new Threshold(threshold.k);
    for (const [i, place] of places.entries()) {
      reached.push(sums[place] - this.#loose - this.#slack - loose(place));
      sums[place] = before[i];
    }
    if (reached.full) threshold.raise(reached.floor);
  }

  #kth(k: number, ranks = this.#window.scratch.sums): number {
    const { arena, scratch, docs } = this.#window;
    return arena.kernels.kthLargest(ranks, docs, k, scratch.heap);
  }
}
