// What a query demands of its hits, and what lifts them: words and phrases.

import { z } from "zod";
import { MOST_CLAUSES, MOST_PHRASE_WEIGHT, MOST_SLOP } from "../../query/ask/clause.ts";
import { countSchema, wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

const fieldSchema = z
  .string()
  .describe("The text field that has them; any text of the document by default.")
  .optional();

const words = z
  .strictObject({
    text: z.string().describe("Words, in any order."),
    field: fieldSchema,
    prefix: z
      .boolean()
      .describe("Whether the last word may be the beginning of a longer one; false by default.")
      .optional(),
  })
  .register(components, { id: "Words" });

const phraseShape = {
  phrase: z.string().describe("Words that stand side by side, in this order."),
  field: fieldSchema,
  slop: wholeSchema(0)
    .max(MOST_SLOP)
    .describe("How far the words may be from their places; 0 by default.")
    .optional(),
};

const clauses = z
  .array(z.union([z.string(), words, z.strictObject(phraseShape).register(components, { id: "Phrase" })]))
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
      "Words and phrases that hits have, anywhere or in a text field. A text stands for all of its words. Phrases need an index with positions.",
    )
    .optional(),
  mustNot: clauses.describe("Words and phrases that hits do not have.").optional(),
  prefer: z
    .array(z.union([z.string(), preferredPhrase]))
    .max(MOST_CLAUSES)
    .describe("Phrases that add to the scores of hits. A text is a phrase.")
    .optional(),
};

/** What a preferred phrase adds to a score. */
export const phrasePartSchema = z
  .object({
    phrase: z.string(),
    field: z.string().describe("The text field that must have it; absent if any may.").optional(),
    gap: countSchema
      .describe("How far the words are from their places; absent if the document lacks the phrase.")
      .optional(),
    contribution: z.number(),
  })
  .register(components, { id: "PhrasePart" });
