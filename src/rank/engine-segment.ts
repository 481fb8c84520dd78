// A segment as the engine needs it: the documents it has, and the two parts of their exact scores.

import type { Rows } from "../densify/rows.ts";
import type { ExactMemory, PostingValues, SemanticParts } from "../scan/contract/exact-memory.ts";
import type { SegmentExtent } from "../scan/contract/first-stage.ts";
import { dotFloat16 } from "./dot.ts";
import type { LexicalScorer } from "./lexical-scorer.ts";

/** A segment as the engine is given it. `Loaded` is what a first stage holds of it in memory. */
export interface EngineSegment<Loaded> extends SegmentExtent {
  /** The slices of its rows. */
  readonly dims: number;
  /** Whether it has product codes, which the plan `quantized` needs. */
  readonly hasCodes: boolean;
  /** Lexical parts of scores: from posting lists in memory if there are any, otherwise from rows. */
  lexicalParts(loaded: Loaded | undefined): Promise<LexicalParts>;
  /** Semantic parts of scores: from vectors in memory if there are any, otherwise from rows. */
  semanticParts(loaded: Loaded | undefined): Promise<SemanticParts>;
}

/** A segment as a search has opened it: ready to give exact scores. */
export interface ScorableSegment extends SegmentExtent {
  readonly dims: number;
  /** How many documents may be hits. */
  readonly allowedCount: number;
  readonly lexicalParts: LexicalParts;
  /** Undefined if no query has a vector. */
  readonly semanticParts: SemanticParts | undefined;
  /** False: all of its documents are scored, without a first stage. */
  readonly isScanned: boolean;
}

/** How many documents may be hits, in all segments. */
export function countAllowed(segments: readonly ScorableSegment[]): number {
  return segments.reduce((sum, { allowedCount }) => sum + allowedCount, 0);
}

export interface LexicalParts {
  /** Writes the lexical parts of documents' scores: into[i] belongs to locals[i]. `locals` must ascend. */
  writeLexicalScores(scorer: LexicalScorer, locals: Uint32Array, into: Float64Array): void;
}

/** Documents that the scratch space of `computeExactParts` holds. For more, each call allocates. */
const SCRATCH_DOCS = 4096;
const scratch = { lexical: new Float64Array(SCRATCH_DOCS), semantic: new Float64Array(SCRATCH_DOCS) };

/** Both parts of documents' exact scores, valid until the next call. `semanticParts` is needed if the query has a vector. */
export function computeExactParts(
  { lexicalParts, semanticParts }: Pick<ScorableSegment, "lexicalParts" | "semanticParts">,
  scorer: LexicalScorer,
  locals: Uint32Array,
): { lexical: Float64Array; semantic: Float64Array } {
  const spaceIn = (array: Float64Array) =>
    locals.length <= SCRATCH_DOCS ? array.subarray(0, locals.length) : new Float64Array(locals.length);
  const [lexical, semantic] = [spaceIn(scratch.lexical), spaceIn(scratch.semantic)];
  lexicalParts.writeLexicalScores(scorer, locals, lexical);
  if (scorer.query.semantic) semanticParts!.computeDots(scorer.query.semantic, locals, semantic);
  else semantic.fill(0);
  return { lexical, semantic };
}

/** Both parts of exact scores, from rows in memory. */
export function createRowParts(rows: Rows): LexicalParts & SemanticParts {
  return {
    writeLexicalScores(scorer, locals, into) {
      for (let i = 0; i < locals.length; i++) into[i] = scorer.scoreRow(rows, locals[i]);
    },
    computeDots(vector, locals, dots) {
      for (let i = 0; i < locals.length; i++) {
        dots[i] = dotFloat16(vector, rows.semantic, locals[i] * rows.semanticDims);
      }
    },
  };
}

/** Lexical parts of scores from posting lists in memory. `values` gives the exact values if the lists lack them. */
export function createPostingParts(memory: ExactMemory, values?: PostingValues): LexicalParts {
  return {
    writeLexicalScores: ({ query, isGated }, locals, into) =>
      memory.sumLexicalParts(query, isGated, values, locals, into),
  };
}
