// A segment in WebAssembly memories and a query → the documents that may be among the best, a window at a time.
//
// Every sum on the way is an upper bound: values are rounded up, and a bound on the rounding of vectors is added. A
// document is dropped only if its bound stays below what k others reach for certain. Nothing here is an exact score
// except `dots` and `lexicalParts`: ranking computes those for the few documents that remain.

import type { QueryRow, Row } from "../../densify/rows.ts";
import type { Scoring } from "../../query/first-stage-plan.ts";
import { valueAt } from "../../segment/levels.ts";
import { type LookUps, ProductCoder } from "../../segment/product-codes.ts";
import type { Bits } from "../../support/bits.ts";
import type { Candidates } from "../candidates.ts";
import type { ScanCounts } from "../scan-counts.ts";
import { type PostingValues, sumTerms } from "./exact-postings.ts";
import { type LexicalWindows, type List, openInverted, openSlices } from "./lexical-sums.ts";
import {
  DOTS_AT_ONCE,
  type LayoutSource,
  type PlacedWindow,
  type Placement,
  type PlaceOptions,
  placeLayout,
  placeVectors,
  VECTORS,
  windowsFor,
} from "./memories.ts";
import { type PlaneQuery, SemanticWindows } from "./semantic-sums.ts";
import type { Threshold } from "./threshold.ts";
import { WindowScan } from "./window-scan.ts";

/** A query, prepared for the windows of one segment. */
export interface PreparedQuery {
  readonly row: QueryRow;
  readonly by: Scoring;
  /** Whether documents may be dropped by an estimate, if they are very unlikely to matter. */
  readonly approximate: boolean;
  readonly semantic: PlaneQuery | undefined;
  readonly lookUps: LookUps | undefined;
}

/** The share of a sum that float32 rounding can be off: 32 roundings of 2⁻²⁴. A smaller number may lose one of the best. */
const FLOAT_SLACK = 2 ** -19;

export class Scanner {
  readonly placement: Placement;
  readonly windows: readonly PlacedWindow[];
  readonly #gated: LexicalWindows;
  readonly #open: LexicalWindows;
  readonly #semantic: SemanticWindows | undefined;
  readonly #coder: ProductCoder | undefined;
  #filled: Promise<this> | undefined;

  static async load(source: LayoutSource, options: PlaceOptions = {}): Promise<Scanner> {
    const { threads = 1 } = options;
    return new Scanner(await placeLayout(source, options), threads > 1 ? threads : 0);
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

  /** Whether there are product codes, which the plan `quantized` needs. */
  get hasCodes(): boolean {
    return this.#coder !== undefined;
  }

  /** Bytes in WebAssembly memories. */
  get bytes(): number {
    return this.placement.memories.reduce((sum, { memory }) => sum + memory.buffer.byteLength, 0);
  }

  /** Whether memory is reserved for whole vectors. If so, call `withVectors` before the first query with a vector. */
  get hasVectors(): boolean {
    return this.placement.vectorDims > 0;
  }

  /** Itself, with its vectors loaded; only the first call loads them. After a failure the next one tries again. */
  withVectors(source: () => LayoutSource): Promise<this> {
    this.#filled ??= this.#fillVectors(source());
    return this.#filled;
  }

  async #fillVectors(source: LayoutSource): Promise<this> {
    try {
      await placeVectors(source, this.placement, this.windows);
      return this;
    } catch (error) {
      this.#filled = undefined;
      throw error;
    }
  }

  /** dots[i] = the exact inner product with the vector of locals[i]. Locals ascend. */
  dots(vector: Float32Array, locals: Uint32Array, dots: Float64Array): void {
    const { vectorDims } = this.placement;
    let from = 0;
    for (const { first, docs, arena, scratch, address } of this.windows) {
      if (from === locals.length) return;
      if (locals[from] >= first + docs) continue;
      arena.view(Float32Array, scratch.query, vectorDims).set(vector);
      while (from < locals.length && locals[from] < first + docs) {
        let count = 0;
        const room = Math.min(DOTS_AT_ONCE, docs);
        const lanes = arena.view(Uint32Array, scratch.lanes, room);
        for (; count < room && locals[from + count] < first + docs; count++)
          lanes[count] = locals[from + count] - first;
        arena.kernels.dotsFloat16(
          scratch.query,
          address[VECTORS],
          vectorDims,
          scratch.lanes,
          count,
          scratch.dots,
        );
        dots.set(arena.view(Float64Array, scratch.dots, count), from);
        from += count;
      }
    }
  }

  /** An upper bound on the score of every document. */
  most(row: QueryRow): number {
    const { semantic } = this.prepare(row);
    return this.windows.reduce((most, _, w) => {
      const { lexicalMost, semanticMost, slack } = this.#limits(w, row, semantic, true);
      return Math.max(most, lexicalMost + semanticMost + slack);
    }, 0);
  }

  /** Upper bounds on the scores of these documents, tighter than those of a scan with part of the query. Locals ascend. */
  bounds({ row, semantic }: PreparedQuery, locals: Uint32Array): Float64Array {
    const bounds = new Float64Array(locals.length);
    let from = 0;
    for (const [w, window] of this.windows.entries()) {
      let to = from;
      while (to < locals.length && locals[to] < window.first + window.docs) to++;
      if (to === from) continue;
      const { lists, slack } = this.#limits(w, row, semantic, true);
      const addVectors = (listed: number) =>
        semantic &&
        this.#semantic!.refine(w, window, semantic, 0, listed, undefined, Number.NEGATIVE_INFINITY);
      const found = boundsOf(window, this.#gated, lists, addVectors, locals.subarray(from, to));
      for (let i = from; i < to; i++) bounds[i] = found[i - from] + slack;
      from = to;
    }
    return bounds;
  }

  /** Whether there are posting lists, so that `lexicalParts` works. */
  get hasLists(): boolean {
    return this.placement.meta.lexical.kind === "inverted";
  }

  /** The exact values of its postings, if their codes have levels. Otherwise they must be read from the segment. */
  get values(): PostingValues | undefined {
    const { levels } = this.placement;
    return levels && ((posting, code) => valueAt(levels, posting, code));
  }

  /** sums[i] = the exact lexical part of the score of locals[i]. Locals ascend. */
  lexicalParts(
    row: Row,
    gated: boolean,
    values: PostingValues,
    locals: Uint32Array,
    sums: Float64Array,
  ): void {
    const lexical = gated ? this.#gated : this.#open;
    sumTerms(this.placement, this.windows, lexical, row, values, locals, sums);
  }

  /**
   * The lists of a window that a query needs, the most that either part of a score can be, and how far rounding can
   * be off.
   */
  #limits(w: number, row: QueryRow, semantic: PlaneQuery | undefined, gated: boolean) {
    const lists = (gated ? this.#gated : this.#open).findLists(w, row);
    const lexicalMost = lists.reduce((sum, { most }) => sum + most, 0);
    const semanticMost = semantic ? this.#semantic!.most(w, semantic) : 0;
    const slack =
      (lexicalMost + semanticMost) * FLOAT_SLACK + (semantic ? this.#semantic!.slack(w, semantic) : 0);
    return { lists, lexicalMost, semanticMost, slack };
  }

  prepare(row: QueryRow, by: Scoring = "gated", isCertain = true): PreparedQuery {
    const vector = row.semantic;
    return {
      row,
      by,
      approximate: !isCertain,
      semantic: vector && by !== "codes" ? this.#semantic?.prepare(vector) : undefined,
      lookUps: by === "codes" ? this.#coder!.lookUps(row) : undefined,
    };
  }

  /**
   * Scans one window, and adds the documents that may be among the k best to the candidates. `threshold` is that of all
   * windows so far, `first` the `doc` of the segment's first document. Documents not in `allowed` are skipped.
   */
  scan(
    w: number,
    query: PreparedQuery,
    threshold: Threshold,
    allowed: Bits | undefined,
    first: number,
    candidates: Candidates,
    counts: ScanCounts,
  ): void {
    const window = this.windows[w];
    counts.windows++;
    if (query.by === "codes") {
      const scan = new WindowScan(w, window, this.#gated, undefined, undefined, 0, counts);
      scan.scanCodes(this.#coder!, query.lookUps!, threshold, allowed);
      scan.report(threshold, first, candidates);
      return;
    }
    const { row, semantic } = query;
    const gated = query.by === "gated";
    const lexical = gated ? this.#gated : this.#open;
    const { lists, lexicalMost, semanticMost, slack } = this.#limits(w, row, semantic, gated);
    if (lexicalMost + semanticMost + slack < threshold.value || (lists.length === 0 && !semantic)) {
      counts.skipped++;
      return;
    }
    const scan = new WindowScan(w, window, lexical, semantic && this.#semantic, semantic, slack, counts);
    scan.run(lists, semanticMost, query.approximate, threshold, allowed);
    scan.report(threshold, first, candidates);
  }
}

/** Upper bounds on the scores of some documents of a window. */
function boundsOf(
  window: PlacedWindow,
  lexical: LexicalWindows,
  lists: readonly List[],
  addVectors: (listed: number) => void,
  locals: Uint32Array,
): Float64Array {
  const { arena, scratch, first } = window;
  const lanes = locals.map((local) => local - first);
  const sums = arena.view(Float32Array, scratch.sums, window.docs);
  arena.view(Uint32Array, scratch.lanes, lanes.length).set(lanes);
  for (const lane of lanes) sums[lane] = 0;
  if (lists.length > 0) lexical.lookUp(window, lists, lanes.length);
  addVectors(lanes.length);
  return Float64Array.from(lanes, (lane) => sums[lane]);
}
