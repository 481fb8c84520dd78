// The terms of a query and a document → where words of the query occur in its title and text, or in its text fields.

import { highlight, type TextRange } from "../../analyze/highlight.ts";
import type { Fields } from "../../documents/document.ts";
import { readTexts } from "../../documents/text-fields.ts";
import type { QueryTerm } from "../../query/ask/query.ts";
import { isObject, requireIterable, wrongValueError } from "../../support/options/options.ts";
import { textFieldsIn, type Weighting } from "../../weigh/weighting.ts";

/**
 * Where words of a query occur in a document's title and text, or in its text fields. A list of texts counts as one: its texts,
 * with spaces between them.
 */
export interface Highlights {
  readonly title?: readonly TextRange[] | undefined;
  readonly text?: readonly TextRange[] | undefined;
  readonly [field: string]: readonly TextRange[] | undefined;
}

/** @internal Only terms that the search uses are marked. */
export function highlightDocument(
  weighting: Weighting,
  terms: Iterable<QueryTerm>,
  document: Fields,
): Highlights {
  requireIterable("terms", "terms of explainQuery", terms);
  if (!isObject(document))
    throw wrongValueError("document", "an object with the fields of a document", document);
  const kept = [...terms].filter(({ fate }) => fate === "kept");
  const ranges = shownTexts(weighting, document).map(({ field, text }) => [
    field,
    highlight(weighting.analyzer, text, termsInField(kept, field)),
  ]);
  return Object.fromEntries(ranges);
}

/** The terms that count in a field. */
export function termsInField(terms: readonly QueryTerm[], field: string): Set<string> {
  const counted = terms.filter((term) => term.field === undefined || term.field === field);
  return new Set(counted.map(({ term }) => term));
}

/** The texts of a document that are searched, by field, as they are shown. Fields without a text are left out. */
export function shownTexts(weighting: Weighting, document: Fields): { field: string; text: string }[] {
  const names = textFieldsIn(weighting)?.map(({ name }) => name);
  if (names)
    return names.flatMap((field) => {
      const texts = readTexts(document, field, "the document");
      return texts.length === 0 ? [] : [{ field, text: texts.join(" ") }];
    });
  return ["title", "text"].flatMap((field) => {
    const text = document[field];
    return typeof text === "string" ? [{ field, text }] : [];
  });
}
