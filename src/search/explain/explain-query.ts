// A query → its terms, heaviest first, the cell of each, and which of them the first stage of a plan uses. It is for showing
// a query to a user; no document is read.

import { DISCARDED, type Slicing } from "../../densify/slicing.ts";
import type { Notice } from "../../query/ask/notice.ts";
import type { QueryTerm } from "../../query/ask/query.ts";
import type { Plan } from "../../query/plan/plan.ts";
import { type Selection, selectDimensions } from "../../query/plan/select-dimensions.ts";
import type { DensifiedQuery } from "../../query/prepare/query-densifier.ts";

/** A term of a query, its cell, and whether the first stage of a plan uses it. */
export interface ExplainedTerm extends QueryTerm {
  /** The cell of the term, if it has one. */
  readonly slice?: number;
  readonly index?: number;
  /** Whether the first stage uses it. */
  readonly selected: boolean;
}

/** How many dimensions of a query a first stage uses, of how many. */
export interface SelectedDims {
  readonly selected: number;
  readonly of: number;
}

/** What becomes of a query: its terms, and how much of it the first stage of a plan uses. */
export interface QueryExplanation {
  /** Heaviest first. */
  readonly terms: readonly ExplainedTerm[];
  readonly lambda: number;
  readonly lexicalDims: SelectedDims;
  readonly semanticDims: SelectedDims;
  /** How the search differs from what was asked; see `Answer`. With `words_only`, `lambda` is 0. */
  readonly notices?: readonly Notice[];
}

/** @internal Plans other than `pruned` use all dimensions. */
export function explainQuery(
  slicing: Slicing,
  asked: DensifiedQuery,
  lambda: number,
  plan: Plan,
): QueryExplanation {
  const { row, vector } = asked;
  const selection: Selection =
    plan.kind !== "pruned"
      ? { theta: 0 }
      : plan.theta !== undefined
        ? { theta: plan.theta }
        : { mass: plan.mass! };
  const how = plan.kind === "pruned" ? plan.semanticSelection : undefined;
  const { query, lexicalDims, semanticDims } = selectDimensions(row, vector, lambda, selection, how);
  const slices = new Set(query.slices);
  const terms = asked.terms.map((term): ExplainedTerm => {
    const id = slicing.vocabulary.findId(term.term);
    const slice = id === undefined ? DISCARDED : slicing.slices[id];
    if (id === undefined || slice === DISCARDED) return { ...term, selected: false };
    return {
      ...term,
      slice,
      index: slicing.indices[id],
      selected: term.fate === "kept" && slices.has(slice),
    };
  });
  return {
    terms: terms.sort((a, b) => b.weight - a.weight),
    lambda,
    lexicalDims: { selected: lexicalDims, of: row.slices.length },
    semanticDims: { selected: semanticDims, of: lambda > 0 ? (vector?.length ?? 0) : 0 },
  };
}
