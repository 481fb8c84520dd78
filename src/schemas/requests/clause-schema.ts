// What a query demands of its hits, and what lifts them: words and phrases.

import { z } from "zod";
import { MOST_CLAUSES, MOST_PHRASE_WEIGHT, MOST_SLOP } from "../../query/clause.ts";
import { countSchema, wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

const phraseShape = {
  phrase: z.string().describe("Words that stand side by side, in this order."),
  slop: wholeSchema(0)
    .max(MOST_SLOP)
    .describe("How far the words may be from their places; 0 by default.")
    .optional(),
};

const clauses = z
  .array(z.union([z.string(), z.strictObject(phraseShape).register(components, { id: "Phrase" })]))
  .max(MOST_CLAUSES);

const preferredPhrase = z
  .strictObject({
    ...phraseShape,
    weight: z
      .number()
      .min(-MOST_PHRASE_WEIGHT)
      .max(MOST_PHRASE_WEIGHT)
      .describe("What is added is this (1 by default) × the sum of the words' idf / (1 + their gap).")
      .optional(),
  })
  .register(components, { id: "PreferredPhrase" });

export const demandsShape = {
  must: clauses
    .describe(
      "Words and phrases that hits have. A text stands for all of its words, anywhere. Phrases need an index with positions.",
    )
    .optional(),
  mustNot: clauses.describe("Words and phrases that hits do not have.").optional(),
  prefer: z
    .array(preferredPhrase)
    .max(MOST_CLAUSES)
    .describe("Phrases that add to the scores of hits.")
    .optional(),
};

/** What a preferred phrase adds to a score. */
export const phrasePartSchema = z
  .object({
    phrase: z.string(),
    gap: countSchema
      .describe("How far the words are from their places; absent if the document lacks the phrase.")
      .optional(),
    contribution: z.number(),
  })
  .register(components, { id: "PhrasePart" });
