// The explain tool: why a document scores what it scores.

import { z } from "zod";
import { matchedTermSchema, scoreSchema } from "../schemas/answers/score-schema.ts";
import { noticesSchema } from "../schemas/answers/search-answers.ts";
import type { Immutable } from "../schemas/shared/immutable.ts";
import { hintAtUnknownNames } from "../schemas/shared/unknown-names.ts";
import type { Searchable } from "../search/searchable.ts";
import { formatNumber } from "./found-document.ts";
import { documentId } from "./get-tool.ts";
import { queryText } from "./search-tool.ts";
import type { ToolLimits } from "./tool-limits.ts";
import { readWithinFilter } from "./within-filter.ts";

export const explainInput = z.strictObject(
  { query: queryText.min(1), id: documentId },
  { error: hintAtUnknownNames },
);

export const explainOutput = z.object({
  id: z.string(),
  ...scoreSchema.shape,
  matched: z.array(matchedTermSchema.pick({ term: true, contribution: true })),
  missed: z.array(z.string()),
  notices: noticesSchema,
});

export type ExplainInput = z.output<typeof explainInput>;
export type ExplainOutput = Immutable<z.infer<typeof explainOutput>>;

export async function runExplain(
  index: Searchable,
  { query, id }: ExplainInput,
  { filter }: Pick<ToolLimits, "filter"> = {},
): Promise<ExplainOutput> {
  const { score, lexical, semantic, matched, missed, notices } = await readWithinFilter(
    index,
    id,
    filter,
    () => index.explain(query, id),
    ({ document }) => document,
  );
  return {
    id,
    score,
    lexical,
    semantic,
    matched: matched.map(({ term, contribution }) => ({ term, contribution })),
    missed: missed.map(({ term }) => term),
    ...(notices && { notices }),
  };
}

/** The explanation as text for the model. */
export function explainText({ id, score, semantic, matched, missed, notices }: ExplainOutput): string {
  return [
    `${JSON.stringify(id)} scores ${formatNumber(score)}:`,
    ...matched.map(({ term, contribution }) => `  ${term} ${formatNumber(contribution)}`),
    ...(semantic === 0 ? [] : [`  meaning ${formatNumber(semantic)}`]),
    ...(missed.length === 0 ? [] : [`not in the document, or without a slot: ${missed.join(", ")}`]),
    ...(notices ?? []).map(({ message }) => `Note: ${message}`),
  ].join("\n");
}
