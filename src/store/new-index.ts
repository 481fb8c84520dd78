// The options of a new index → how it will make rows: checked, and with a slicing to begin with.

import type { Analyzer } from "../analyze/analyzer.ts";
import { english } from "../analyze/english.ts";
import { WordPiece } from "../analyze/wordpiece.ts";
import { isExtendable, Slicing, STRATEGIES, type Strategy } from "../densify/slicing.ts";
import { Vocabulary } from "../densify/vocabulary.ts";
import { UsageError } from "../errors.ts";
import type { Quantize } from "../segment/layout.ts";
import { BM25_DEFAULTS, type Bm25Parameters } from "../weigh/bm25.ts";
import type { Weighting } from "../weigh/weighting.ts";
import { checkLambda } from "./lambda.ts";
import type { VocabularyKind } from "./model-record.ts";

export interface ModelOptions {
  /** Weigh words by BM25 (the default), or take the weights that come with the documents. */
  lexical?: "bm25" | "weights";
  /** What cuts texts into terms: `english` (the default), `whitespace`, or a WordPiece. */
  analyzer?: Analyzer;
  /** The terms in the order of their ids, when they must not be collected from the documents. */
  vocabulary?: readonly string[];
  /**
   * Slices of a row. "full", the default, has one for every term: no document is missed by a word it holds. With a number,
   * terms of a document that share a slice compete for it, and the lightest are dropped; 768 is the default where rows
   * of slots are needed: with `slicing` or `quantize`, with an encoder that weighs terms, and on a GPU.
   */
  dims?: number | "full";
  /** How terms are shared out among slices; "spread" where `dims` is a number. */
  slicing?: Exclude<Strategy, "full">;
  /** Instead of all that: the slicing of another index, so that rows of both can be compared. */
  like?: Slicing;
  /** For `random` slicing. */
  seed?: number;
  /** Leading vocabulary ids to throw away, instead of what the usual rule says. */
  discard?: number;
  bm25?: Partial<Bm25Parameters>;
  /** Product codes beside the rows, for the plan `quantized`. */
  quantize?: Quantize;
  /** Weight of the semantic part; 1 when left out. */
  lambda?: number;
}

const DEFAULT_SLOTS = 768;

/** The options with the width of a row, where they do not name one. `needsSlots` says that something else asks for slots. */
export function withDims<Options extends ModelOptions>(options: Options, needsSlots: boolean): Options {
  const { dims, like, slicing, seed, discard, quantize } = options;
  if (dims !== undefined || like) return options;
  const asksForSlots = [slicing, seed, discard, quantize].some((option) => option !== undefined);
  return { ...options, dims: needsSlots || asksForSlots ? DEFAULT_SLOTS : "full" };
}

/** How an index makes rows. */
export interface Model {
  readonly weighting: Weighting;
  readonly slicing: Slicing;
  readonly vocabulary: VocabularyKind;
  /** The slicing waits for the first documents: spread learns from them which terms to keep apart, others their terms. */
  readonly untaught: boolean;
}

/** The terms that are given, whether as such, as word pieces, or with a slicing. */
export function givenTerms({ vocabulary, analyzer, like }: ModelOptions): readonly string[] | undefined {
  return (
    like?.vocabulary.terms ?? vocabulary ?? (analyzer instanceof WordPiece ? analyzer.pieces : undefined)
  );
}

function strategyOf({ dims = "full", slicing = "spread" }: ModelOptions): Strategy {
  return dims === "full" ? "full" : slicing;
}

/** The model of an index without documents. */
export function freshModel(options: ModelOptions): Model {
  checkModel(options);
  const { like, seed, discard } = options;
  const terms = givenTerms(options);
  const strategy = strategyOf(options);
  const isSealed = !terms && !isExtendable(strategy);
  const vocabulary: VocabularyKind = terms ? "given" : isSealed ? "sealed" : "open";
  const slicing =
    like ?? firstSlicing(new Vocabulary(terms ?? []), strategy, options.dims, { seed, discard });
  return {
    weighting: emptyWeighting(options, slicing.vocabulary.size),
    slicing,
    vocabulary,
    untaught: (strategy === "spread" || isSealed) && !like,
  };
}

function firstSlicing(
  vocabulary: Vocabulary,
  strategy: Strategy,
  dims: number | "full" = "full",
  { seed, discard }: { seed: number | undefined; discard: number | undefined },
): Slicing {
  const width = dims === "full" ? {} : { dims };
  if (strategy === "spread") {
    const none = new Slicing(new Vocabulary([]), { strategy, ...width, table: new Uint32Array(0) });
    return none.extended(vocabulary);
  }
  return new Slicing(vocabulary, {
    strategy,
    ...width,
    ...(seed !== undefined && { seed }),
    ...(discard !== undefined && { discard }),
  });
}

function emptyWeighting({ lexical, analyzer = english, bm25 }: ModelOptions, terms: number): Weighting {
  if (lexical === "weights") return { kind: "weights", analyzer };
  return {
    kind: "bm25",
    analyzer,
    parameters: { ...BM25_DEFAULTS, ...bm25 },
    statistics: { docs: 0, length: 0, documentFrequencies: new Uint32Array(terms) },
  };
}

/** Refuses what cannot be meant. */
export function checkModel({
  bm25,
  lambda,
  lexical,
  slicing,
  analyzer,
  vocabulary,
  like,
}: ModelOptions): void {
  const { k1, b } = { ...BM25_DEFAULTS, ...bm25 };
  if (!(k1 >= 0 && Number.isFinite(k1))) throw new UsageError(`k1 must be a number of at least 0, not ${k1}`);
  if (!(b >= 0 && b <= 1)) throw new UsageError(`b must be from 0 to 1, not ${b}`);
  if (lexical !== undefined && lexical !== "bm25" && lexical !== "weights") {
    throw new UsageError(`lexical is "bm25" or "weights", not ${JSON.stringify(lexical)}`);
  }
  if (slicing !== undefined && !STRATEGIES.includes(slicing)) {
    throw new UsageError(`slicing is one of ${STRATEGIES.join(", ")}, not ${JSON.stringify(slicing)}`);
  }
  const terms = like?.vocabulary.terms ?? vocabulary;
  if (
    analyzer instanceof WordPiece &&
    terms &&
    terms !== analyzer.pieces &&
    !isEqual(terms, analyzer.pieces)
  ) {
    throw new UsageError("the vocabulary is not that of the word pieces", "give one of the two");
  }
  checkLambda(lambda ?? 1);
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((term, i) => term === b[i]);
}
