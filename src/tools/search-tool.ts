// The search tool: what a language model may ask, what your program gets, and what the model reads.

import { z } from "zod";
import type { Filter } from "../documents/filter.ts";
import { scoreSchema } from "../schemas/answers/score-schema.ts";
import { noticesSchema } from "../schemas/answers/search-answers.ts";
import { pageOptions } from "../schemas/requests/page-options.ts";
import type { Immutable } from "../schemas/shared/immutable.ts";
import { charactersIn, MOST_TOOL_HITS, REQUEST_LIMITS } from "../schemas/shared/request-limits.ts";
import { hintAtUnknownNames } from "../schemas/shared/unknown-names.ts";
import type { Hit } from "../search/hits/answer.ts";
import { DEFAULT_K } from "../search/options/search-options.ts";
import type { Searchable } from "../search/searchable.ts";
import { documentText, formatNumber, foundDocumentSchema, pickDocument } from "./found-document.ts";
import { DEFAULT_TEXT_LENGTH, type ToolLimits } from "./tool-limits.ts";

const { queryLength, offset: mostOffset } = REQUEST_LIMITS;

export const queryText = z
  .string()
  .refine((text) => charactersIn(text) <= queryLength, {
    error: `expected at most ${queryLength} characters`,
  })
  .meta({ maxLength: queryLength });

/**
 * The input of the tool. All other options of a search are left out, because every option costs tokens; surfaces.test.ts lists
 * them. The filter is described in words, because some models refuse schemas that contain themselves; the
 * search checks it.
 */
export function searchInput({ k = DEFAULT_K }: ToolLimits = {}) {
  return z.strictObject(
    {
      query: queryText.describe(
        "a query in natural language, or keywords; matched by words and, if the index supports it, by meaning",
      ),
      k: pageOptions.k.removeDefault().max(MOST_TOOL_HITS).default(k),
      offset: pageOptions.offset.removeDefault().max(mostOffset).default(0),
      minScore: pageOptions.minScore
        .unwrap()
        .describe("leave out hits with a lower score; scores have no upper bound, so look at some first")
        .optional(),
      filter: (z.record(z.string(), z.unknown()) as unknown as z.ZodType<Filter, Filter>)
        .describe(
          'a condition on fields: {"year": {"gte": 1919, "lt": 1933}, "kind": {"in": ["a", "b"]}}; operators are eq, ne, ' +
            "in, lt, lte, gt, gte, exists; combine with and, or, not",
        )
        .optional(),
    },
    { error: hintAtUnknownNames },
  );
}

const foundHit = foundDocumentSchema.extend({
  ...scoreSchema.shape,
  isCut: z.literal(true).describe("the text is cut; get returns all of it").optional(),
});

export const searchOutput = z.object({
  hits: z.array(foundHit),
  unknownTerms: z.array(z.string()).describe("terms of the query that no document holds"),
  notices: noticesSchema,
});

export type SearchInput = z.output<ReturnType<typeof searchInput>>;
export type FoundHit = Immutable<z.infer<typeof foundHit>>;
export type SearchOutput = Immutable<z.infer<typeof searchOutput>>;

/** Searches with the model's options, within the limits of the program. */
export async function runSearch(
  index: Searchable,
  { query, k, offset, minScore, filter }: SearchInput,
  limits: ToolLimits = {},
): Promise<SearchOutput> {
  const filters = [limits.filter, filter].filter((one) => one !== undefined);
  const least = [limits.minScore, minScore].filter((one) => one !== undefined);
  const answer = await index.search(query, {
    k,
    offset,
    ...(least.length > 0 && { minScore: Math.max(...least) }),
    ...(filters.length > 0 && { filter: filters.length === 1 ? filters[0] : { and: filters } }),
  });
  return {
    hits: answer.hits.map((hit) => cutHit(hit, limits.textLength ?? DEFAULT_TEXT_LENGTH)),
    unknownTerms: answer.terms
      .filter(({ fate, alternatives }) => fate === "unknown" && !alternatives)
      .map(({ term }) => term),
    ...(answer.notices && { notices: answer.notices }),
  };
}

/** The hit with at most this many characters of its text. */
function cutHit({ id, score, lexical, semantic, document }: Hit, textLength: number): FoundHit {
  const hit = { ...pickDocument(id, document), score, lexical, semantic };
  if (hit.text === undefined || hit.text.length <= textLength) return hit;
  // Half of a character outside the basic plane is dropped.
  const text = hit.text.slice(0, textLength).replace(/[\uD800-\uDBFF]$/, "");
  return { ...hit, text: `${text}…`, isCut: true };
}

/** The hits as text for the model. */
export function searchText({ hits, unknownTerms, notices = [] }: SearchOutput): string {
  const parts = hits.map((hit, i) => {
    const { id, score, lexical, semantic } = hit;
    const sum = semantic === 0 ? "" : ` = ${formatNumber(lexical)} words + ${formatNumber(semantic)} meaning`;
    return `${i + 1}. id ${JSON.stringify(id)}, score ${formatNumber(score)}${sum}\n${documentText(hit)}`;
  });
  if (hits.length === 0) parts.push("No document matches.");
  if (unknownTerms.length > 0) parts.push(`In no document: ${unknownTerms.join(", ")}`);
  for (const { message } of notices) parts.push(`Note: ${message}`);
  return parts.join("\n\n");
}
