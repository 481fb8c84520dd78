// A segment in WebAssembly memories and a query → the documents that may be among the best, a window at a time.
//
// Every sum on the way is an upper bound: values are rounded up, and a bound on the rounding of vectors is added. A
// document is dropped only if its bound stays below what k others reach for certain. Nothing here is an exact score
// except `computeDots` and `sumLexicalParts`: ranking computes those for the few documents that remain.

import type { QueryRow, Row } from "../../densify/rows.ts";
import type { Scoring } from "../../query/plan/stage-plan.ts";
import { type LookUps, ProductCoder } from "../../segment/codes/product-codes.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { Candidates } from "../contract/candidates.ts";
import type { ExactMemory, PostingValues } from "../contract/exact-memory.ts";
import type { ScanCounts } from "../contract/scan-counts.ts";
import { placeLevels, sumTerms } from "./exact-postings.ts";
import type { LayoutSource } from "./layout-source.ts";
import {
  type LexicalWindows,
  openGaps,
  openPostingLists,
  type PostingList,
  placeCodeValues,
} from "./lexical-sums.ts";
import {
  DOTS_AT_ONCE,
  type LoadedWindow,
  type Placement,
  type PlaceOptions,
  placeLayout,
  placeVectors,
  VECTORS,
  viewWindows,
} from "./memories.ts";
import { type PlaneQuery, SemanticWindows } from "./semantic-sums.ts";
import type { WindowThreshold } from "./threshold.ts";
import { WindowScan } from "./window-scan.ts";

/** A query, prepared for the windows of one segment. */
export interface ScanQuery {
  readonly row: QueryRow;
  readonly scoring: Scoring;
  /** Whether documents may be dropped by an estimate, if they are very unlikely to matter. */
  readonly isApproximate: boolean;
  readonly semantic: PlaneQuery | undefined;
  readonly lookUps: LookUps | undefined;
}

/** The share of a sum that float32 rounding can be off: 32 roundings of 2⁻²⁴. A smaller number may lose one of the best. */
const FLOAT_SLACK = 2 ** -19;

export class Scanner implements ExactMemory {
  readonly placement: Placement;
  readonly windows: readonly LoadedWindow[];
  readonly #gated: LexicalWindows;
  readonly #ungated: LexicalWindows;
  readonly #semantic: SemanticWindows | undefined;
  readonly #coder: ProductCoder | undefined;
  /** Where vectors are read from, until they are loaded. */
  #vectorSource: LayoutSource | undefined;
  #withVectors: Promise<this> | undefined;

  static async load(source: LayoutSource, options: PlaceOptions = {}): Promise<Scanner> {
    const { threads = 1 } = options;
    return new Scanner(await placeLayout(source, options), threads > 1 ? threads : 0, source);
  }

  /** `vectorSource` is needed if memory is reserved for whole vectors, and exact scores are asked for. */
  constructor(placement: Placement, thread = 0, vectorSource?: LayoutSource) {
    const { meta, arrays } = placement;
    const open = meta.lexical.kind === "inverted" ? openPostingLists : openGaps;
    this.placement = placement;
    this.windows = viewWindows(placement, thread);
    if (placement.levels) for (const window of this.windows) placeLevels(placement.levels, window);
    if (meta.lexical.kind === "inverted")
      for (const window of this.windows) placeCodeValues(placement, window);
    this.#gated = open(placement, true);
    this.#ungated = open(placement, false);
    this.#semantic = meta.semantic && new SemanticWindows(placement, this.windows);
    if (this.hasVectors) this.#vectorSource = vectorSource;
    this.#coder = meta.quantized && new ProductCoder(meta.quantized, arrays.codebooks as Float32Array);
  }

  /** Bytes in WebAssembly memories. */
  get bytes(): number {
    return this.placement.memories.reduce((sum, { memory }) => sum + memory.buffer.byteLength, 0);
  }

  /** Whether memory is reserved for whole vectors. If so, call `loadVectors` before `computeDots`. */
  get hasVectors(): boolean {
    return this.placement.vectorDims > 0;
  }

  loadVectors(): Promise<this> {
    this.#withVectors ??= this.#placeVectors();
    return this.#withVectors;
  }

  async #placeVectors(): Promise<this> {
    try {
      await placeVectors(this.#vectorSource!, this.placement, this.windows);
      this.#vectorSource = undefined;
      return this;
    } catch (error) {
      this.#withVectors = undefined;
      throw error;
    }
  }

  computeDots(vector: Float32Array, locals: Uint32Array, dots: Float64Array): void {
    const { vectorDims } = this.placement;
    let from = 0;
    for (const { first, docs, arena, scratch, address } of this.windows) {
      if (from === locals.length) return;
      if (locals[from] >= first + docs) continue;
      arena.view(Float32Array, scratch.query, vectorDims).set(vector);
      while (from < locals.length && locals[from] < first + docs) {
        let count = 0;
        const capacity = Math.min(DOTS_AT_ONCE, docs);
        const lanes = arena.view(Uint32Array, scratch.lanes, capacity);
        for (; count < capacity && locals[from + count] < first + docs; count++)
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
  boundOfAnyScore(row: QueryRow): number {
    const { semantic } = this.prepare(row);
    return this.windows.reduce((most, _, w) => {
      const { lexicalMost, semanticMost, slack } = this.#limits(w, row, semantic, true);
      return Math.max(most, lexicalMost + semanticMost + slack);
    }, 0);
  }

  /** Upper bounds on the scores of these documents by the whole query: tighter than by a part of it. Locals ascend. */
  bounds({ row, semantic }: ScanQuery, locals: Uint32Array): Float64Array {
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
      const found = boundScores(window, this.#gated, lists, addVectors, locals.subarray(from, to));
      for (let i = from; i < to; i++) bounds[i] = found[i - from] + slack;
      from = to;
    }
    return bounds;
  }

  get hasPackedLists(): boolean {
    return this.placement.meta.lexical.kind === "inverted";
  }

  get hasLevels(): boolean {
    return this.placement.levels !== undefined;
  }

  sumLexicalParts(
    row: Row,
    isGated: boolean,
    values: PostingValues | undefined,
    locals: Uint32Array,
    sums: Float64Array,
  ): void {
    const lexical = isGated ? this.#gated : this.#ungated;
    sumTerms(this.placement, this.windows, lexical, row, values, locals, sums);
  }

  /** The documents whose rows hold at least one cell of a row. Works if there are posting lists. */
  findDocumentsHolding(row: Row, docs: number): Bits {
    const bits = new Bits(docs);
    this.windows.forEach((window, w) => {
      markPostings(window, this.#gated.findLists(w, row), bits);
    });
    return bits;
  }

  /**
   * The lists of a window that a query needs, the most that either part of a score can be, and how far rounding can
   * be off.
   */
  #limits(w: number, row: QueryRow, semantic: PlaneQuery | undefined, isGated: boolean) {
    const lists = (isGated ? this.#gated : this.#ungated).findLists(w, row);
    const lexicalMost = lists.reduce((sum, { most }) => sum + most, 0);
    const semanticMost = semantic ? this.#semantic!.most(w, semantic) : 0;
    const slack =
      (lexicalMost + semanticMost) * FLOAT_SLACK + (semantic ? this.#semantic!.slack(w, semantic) : 0);
    return { lists, lexicalMost, semanticMost, slack };
  }

  prepare(row: QueryRow, scoring: Scoring = "gated", isCertain = true): ScanQuery {
    const vector = row.semantic;
    return {
      row,
      scoring,
      isApproximate: !isCertain,
      semantic: vector && scoring !== "quantized" ? this.#semantic?.prepare(vector) : undefined,
      lookUps: scoring === "quantized" ? this.#coder!.lookUps(row) : undefined,
    };
  }

  /**
   * Scans one window, and adds the documents that may be among the k best to the candidates. `threshold` holds for all
   * windows so far, `first` the `doc` of the segment's first document. Documents not in `allowed` are skipped.
   */
  scan(
    w: number,
    query: ScanQuery,
    threshold: WindowThreshold,
    allowed: Bits | undefined,
    first: number,
    candidates: Pick<Candidates, "add">,
    counts: ScanCounts,
  ): void {
    const window = this.windows[w];
    counts.windows++;
    if (query.scoring === "quantized") {
      const scan = new WindowScan(w, window, this.#gated, undefined, undefined, 0, counts);
      scan.scanCodes(this.#coder!, query.lookUps!, threshold, allowed);
      scan.report(threshold, first, candidates);
      return;
    }
    const { row, semantic } = query;
    const isGated = query.scoring === "gated";
    const lexical = isGated ? this.#gated : this.#ungated;
    const { lists, lexicalMost, semanticMost, slack } = this.#limits(w, row, semantic, isGated);
    if (lexicalMost + semanticMost + slack < threshold.value || (lists.length === 0 && !semantic)) {
      counts.skipped++;
      return;
    }
    const scan = new WindowScan(w, window, lexical, semantic && this.#semantic, semantic, slack, counts);
    scan.run(lists, semanticMost, query.isApproximate, threshold, allowed);
    scan.report(threshold, first, candidates);
  }
}

/** Sets the bits of all documents that are in one of the posting lists of a window. */
function markPostings(
  { arena, address, first }: LoadedWindow,
  lists: readonly PostingList[],
  { words }: Bits,
): void {
  for (const { from, to } of lists) {
    const lanes = arena.view(Uint16Array, address.postingDocs + from * 2, to - from);
    for (let i = 0; i < lanes.length; i++) {
      const local = first + lanes[i];
      words[local >>> 5] |= 1 << (local & 31);
    }
  }
}

/** Upper bounds on the scores of some documents of a window. */
function boundScores(
  window: LoadedWindow,
  lexical: LexicalWindows,
  lists: readonly PostingList[],
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
