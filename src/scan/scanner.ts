// A segment in WebAssembly memories and a question → the documents that may be among the best, found a window at a time.
//
// Every sum on the way is an upper bound: values are rounded up, rounding of vectors is added. A document is dropped
// only when the most it can score stays below what k others reach for certain. Nothing here is a score: those are
// computed from the rows, for the few documents that remain.

import type { QueryRow, Row } from "../densify/rows.ts";
import { valueAt } from "../segment/levels.ts";
import { type LookUps, ProductCoder } from "../segment/product-codes.ts";
import type { Bits } from "../support/bits.ts";
import type { Candidates } from "./candidates.ts";
import { type PostingValues, sumWords } from "./exact-postings.ts";
import { type LexicalWindows, type List, openInverted, openSlices } from "./lexical-sums.ts";
import {
  DOTS_AT_ONCE,
  type LayoutSource,
  type PlacedWindow,
  type Placement,
  type PlaceOptions,
  place,
  placeVectors,
  VECTORS,
  windowsFor,
} from "./memories.ts";
import type { ScanCounts } from "./scan-counts.ts";
import { type PlaneQuery, SemanticWindows } from "./semantic-sums.ts";
import type { Threshold } from "./threshold.ts";
import { WindowScan } from "./window-scan.ts";

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

/** Sums are float32, each of a few additions. */
const FLOAT_SLACK = 2 ** -19;

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
    this.#semantic = meta.semantic && new SemanticWindows(placement, this.windows);
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

  /** Whether there is room for the vectors themselves; `fillVectors` must then come before questions with a vector. */
  get hasVectors(): boolean {
    return this.placement.vectorDims > 0;
  }

  fillVectors(source: LayoutSource): Promise<void> {
    return placeVectors(source, this.placement, this.windows);
  }

  /** dots[i] = the exact inner product with the vector of docs[i]; they ascend. */
  dots(vector: Float32Array, docs: Uint32Array, dots: Float64Array): void {
    const { vectorDims } = this.placement;
    let from = 0;
    for (const { first, docs: own, arena, scratch, at } of this.windows) {
      if (from === docs.length) return;
      if (docs[from] >= first + own) continue;
      arena.view(Float32Array, scratch.query, vectorDims).set(vector);
      while (from < docs.length && docs[from] < first + own) {
        let count = 0;
        const room = Math.min(DOTS_AT_ONCE, own);
        const places = arena.view(Uint32Array, scratch.places, room);
        for (; count < room && docs[from + count] < first + own; count++)
          places[count] = docs[from + count] - first;
        arena.kernels.dotsFloat16(
          scratch.query,
          at[VECTORS],
          vectorDims,
          scratch.places,
          count,
          scratch.dots,
        );
        dots.set(arena.view(Float64Array, scratch.dots, count), from);
        from += count;
      }
    }
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
        semantic &&
        this.#semantic!.refine(w, window, semantic, 0, listed, undefined, Number.NEGATIVE_INFINITY);
      const found = boundsOf(window, this.#gated, lists, addVectors, docs.subarray(from, to));
      for (let i = from; i < to; i++) bounds[i] = found[i - from] + slack;
      from = to;
    }
    return bounds;
  }

  /** Whether words of single documents can be summed up from lists. */
  get hasLists(): boolean {
    return this.placement.meta.lexical.kind === "inverted";
  }

  /** The values of its postings, where their codes have levels: otherwise they must be had elsewhere. */
  get values(): PostingValues | undefined {
    const { levels } = this.placement;
    return levels && ((posting, code) => valueAt(levels, posting, code));
  }

  /** sums[i] = the exact lexical part of the score of docs[i]; they ascend. */
  words(row: Row, gated: boolean, values: PostingValues, docs: Uint32Array, sums: Float64Array): void {
    const lexical = gated ? this.#gated : this.#open;
    sumWords(this.placement, this.windows, lexical, row, values, docs, sums);
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
