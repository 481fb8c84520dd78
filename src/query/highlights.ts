// The terms of a query and a document → where words of the query occur in its title and text.

import type { Analyzer } from "../analyze/contract/analyzer.ts";
import { highlight, type TextRange } from "../analyze/highlight.ts";
import type { Fields } from "../documents/document.ts";
import type { QueryTerm } from "./query.ts";

/** Where words of a query occur in a document's title and text. */
export interface Highlights {
  readonly title?: readonly TextRange[];
  readonly text?: readonly TextRange[];
}

/** @internal Only terms that the search uses are marked. */
export function highlightDocument(
  analyzer: Analyzer,
  terms: Iterable<QueryTerm>,
  document: Fields,
): Highlights {
  const kept = new Set([...terms].filter(({ fate }) => fate === "kept").map(({ term }) => term));
  const rangesOf = (text: unknown) =>
    typeof text === "string" ? highlight(analyzer, text, kept) : undefined;
  const [title, text] = [rangesOf(document.title), rangesOf(document.text)];
  return { ...(title && { title }), ...(text && { text }) };
}
