// The options of a new index → how it makes rows, before its first document.

import { english } from "../../analyze/analyzers/english.ts";
import { universal } from "../../analyze/analyzers/universal.ts";
import { WordPiece } from "../../analyze/analyzers/wordpiece.ts";
import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import { createTally } from "../../densify/counts.ts";
import {
  DEFAULT_DIMS,
  DEFAULT_STRATEGY,
  isExtendable,
  SLOT_STRATEGIES,
  Slicing,
  type SlotStrategy,
  type Strategy,
} from "../../densify/slicing.ts";
import { Vocabulary } from "../../densify/vocabulary.ts";
import { checkTextFields, type FieldWeights, toTextFields } from "../../documents/text-fields.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import type { CodeOptions } from "../../segment/layout.ts";
import type { VocabularyKind } from "../../store/record/analyzer-record.ts";
import { Snapshot } from "../../store/snapshot/snapshot.ts";
import { checkLambdaIfGiven } from "../../support/options/lambda.ts";
import { checkBoolean, checkNumber, optionError, wrongValueError } from "../../support/options/options.ts";
import { BM25_DEFAULTS, type Bm25Parameters } from "../../weigh/bm25.ts";
import type { Weighting } from "../../weigh/weighting.ts";

export interface RowOptions {
  /**
   * "bm25" weights terms by BM25. "weights" takes the weights that documents bring. By default the first document decides:
   * "weights" if it brings weights, else "bm25".
   */
  readonly lexical?: "bm25" | "weights" | undefined;
  /** What cuts texts into terms; `universal` by default. */
  readonly analyzer?: Analyzer | undefined;
  /** The terms, in the order of their ids. By default they are collected from the documents. */
  readonly vocabulary?: readonly string[] | undefined;
  /**
   * The number of slices. "full", the default, has a slice for every term, so every term of a document is kept. With a number,
   * terms of a document compete for a slot, and the lightest are dropped. 768 is the default if rows of slots are needed: with
   * `slicingStrategy`, `seed`, `discard` or `quantize`, with an encoder that weights terms, and on a GPU.
   */
  readonly dims?: number | "full" | undefined;
  /** How terms are assigned to slices, if `dims` is a number; "spread" by default. */
  readonly slicingStrategy?: SlotStrategy | undefined;
  /** The slicing of another index, instead of `dims` and `slicingStrategy`, so that rows of both can be compared. */
  readonly slicingOf?: Slicing | undefined;
  /** The seed of `random` slicing. */
  readonly seed?: number | undefined;
  /** How many ids at the beginning of the vocabulary to discard, instead of the default of the slicing. */
  readonly discard?: number | undefined;
  readonly bm25?: Partial<Bm25Parameters> | undefined;
  /**
   * The fields whose texts are searched, and how much each counts: { title: 3, text: 1, tags: 2 }. All of them make one BM25
   * score (BM25F), and a search may give other weights. A value is a text or a list of texts. By default title and text are read
   * as one text.
   */
  readonly fieldWeights?: FieldWeights | undefined;
  /**
   * Keeps where each term stands in its text, so that phrases can be searched: `{ phrase: "new york" }`. It makes the index
   * larger, by about two bytes a word; false by default.
   */
  readonly positions?: boolean | undefined;
  /** Adds product codes, for the plan `quantized`. */
  readonly quantize?: CodeOptions | undefined;
  /**
   * The weight of the semantic part that a new index begins with; 1 by default, or what the encoder suggests. An index that
   * exists keeps its own: `setLambda` changes it, and every search may use another.
   */
  readonly lambda?: number | undefined;
}

/** Adds `dims` to the options, if it is not given. `needsSlots` says that the encoder or the kernel needs rows of slots. */
export function chooseDims<Options extends RowOptions>(options: Options, needsSlots: boolean): Options {
  const { dims, slicingOf, slicingStrategy, seed, discard, quantize } = options;
  if (dims !== undefined || slicingOf) return options;
  const asksForSlots = [slicingStrategy, seed, discard, quantize].some((option) => option !== undefined);
  return { ...options, dims: needsSlots || asksForSlots ? DEFAULT_DIMS : "full" };
}

/** How an index makes rows. */
export interface RowRules {
  readonly weighting: Weighting;
  readonly slicing: Slicing;
  readonly vocabularyKind: VocabularyKind;
  /** Whether the slicing waits for the first documents: they give it the terms, and `spread` learns which of them to keep apart. */
  readonly isSlicingPending: boolean;
  readonly keepsPositions: boolean;
}

/** What a new index begins with. */
export interface IndexStart {
  readonly rowRules: RowRules;
  readonly lambda: number;
  readonly encoder?: EncoderRecord;
  readonly quantize?: CodeOptions;
}

/** The terms that the options give: as `vocabulary`, as word pieces, or with a slicing. */
export function givenTerms({ vocabulary, analyzer, slicingOf }: RowOptions): readonly string[] | undefined {
  return (
    slicingOf?.vocabulary.terms ?? vocabulary ?? (analyzer instanceof WordPiece ? analyzer.pieces : undefined)
  );
}

function chooseStrategy({ dims = "full", slicingStrategy = DEFAULT_STRATEGY }: RowOptions): Strategy {
  return dims === "full" ? "full" : slicingStrategy;
}

/** How an index without documents makes rows. */
export function createRowRules(options: RowOptions): RowRules {
  checkRowOptions(options);
  const { slicingOf, seed, discard } = options;
  const terms = givenTerms(options);
  const strategy = chooseStrategy(options);
  const isSealed = !terms && !isExtendable(strategy);
  const vocabularyKind: VocabularyKind = terms ? "given" : isSealed ? "sealed" : "open";
  const slicing =
    slicingOf ?? createFirstSlicing(new Vocabulary(terms ?? []), strategy, options.dims, { seed, discard });
  return {
    weighting: createWeighting(options, slicing.vocabulary.size),
    slicing,
    vocabularyKind,
    isSlicingPending: (strategy === "spread" || isSealed) && !slicingOf,
    keepsPositions: options.positions === true,
  };
}

function createFirstSlicing(
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

function createWeighting({ lexical, analyzer, bm25, fieldWeights }: RowOptions, terms: number): Weighting {
  if (lexical === "weights") return { kind: "weights", analyzer: analyzer ?? english };
  const textFields = fieldWeights && toTextFields(fieldWeights);
  return {
    kind: "bm25",
    analyzer: analyzer ?? universal,
    parameters: { ...BM25_DEFAULTS, ...bm25 },
    statistics: {
      docs: 0,
      length: 0,
      documentFrequencies: new Uint32Array(terms),
      ...(textFields && { fieldLengths: textFields.map(() => 0) }),
    },
    ...(textFields && { textFields }),
  };
}

/** Throws if the options contradict each other or are out of range. */
export function checkRowOptions(options: RowOptions): void {
  const { bm25, lambda, lexical, slicingStrategy, analyzer, vocabulary, slicingOf, positions, fieldWeights } =
    options;
  checkBoolean("positions", positions);
  checkTextFields(fieldWeights);
  if (fieldWeights && lexical === "weights") {
    throw optionError(
      "fieldWeights",
      'fieldWeights are weights of texts, and with lexical "weights" no text is cut into words',
      'leave fieldWeights out, or set lexical to "bm25"',
    );
  }
  if (positions && lexical === "weights") {
    throw optionError(
      "positions",
      'positions are those of words in texts, and with lexical "weights" no text is cut into words',
      'leave positions out, or set lexical to "bm25"',
    );
  }
  const { k1, b } = { ...BM25_DEFAULTS, ...bm25 };
  checkNumber("bm25.k1", k1, { least: 0 });
  checkNumber("bm25.b", b, { least: 0, most: 1 });
  if (lexical !== undefined && lexical !== "bm25" && lexical !== "weights") {
    throw wrongValueError("lexical", '"bm25" or "weights"', lexical);
  }
  if (slicingStrategy !== undefined && !SLOT_STRATEGIES.includes(slicingStrategy)) {
    throw wrongValueError("slicingStrategy", `one of ${SLOT_STRATEGIES.join(", ")}`, slicingStrategy);
  }
  const terms = slicingOf?.vocabulary.terms ?? vocabulary;
  if (analyzer instanceof WordPiece && terms && !isEqual(terms, analyzer.pieces)) {
    throw optionError("vocabulary", "the vocabulary is not that of the word pieces", "give one of the two");
  }
  checkLambdaIfGiven(lambda);
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((term, i) => term === b[i]));
}

/** The snapshot of an index before its first commit. */
export function createEmptySnapshot({ rowRules, lambda, encoder, quantize }: IndexStart): Snapshot {
  const { slicing, weighting, vocabularyKind, keepsPositions } = rowRules;
  return new Snapshot({
    generation: 0,
    segments: [],
    slicingSettings: slicing.settings,
    vocabularyKind,
    semanticDims: 0,
    lambda,
    densifyCounts: createTally(),
    keepsPositions,
    ...(encoder && { encoder }),
    ...(quantize && { quantize }),
    slicing: () => slicing,
    weighting: () => weighting,
    serialOf: () => undefined,
    documentWith(serial) {
      throw new Error(`an empty index has no document ${serial}`);
    },
    close() {},
  });
}
