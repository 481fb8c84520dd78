// Answers with suggestions.

import { z } from "zod";
import type { Immutable } from "../shared/immutable.ts";
import { countSchema, millisecondsSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

const suggestion = z
  .object({
    text: z.string().describe("The whole text, with the words replaced."),
    kind: z
      .enum(["completion", "correction"])
      .describe("`completion`: only the last word was completed. `correction`: a word was corrected."),
    from: z
      .string()
      .describe("The word that distinguishes this suggestion from the others, as it was typed."),
    to: z.string().describe("What the word becomes."),
    docs: countSchema.describe("How many documents contain it, in any form of the word."),
  })
  .register(components, { id: "Suggestion" });

export const suggestAnswerSchema = z
  .object({ suggestions: z.array(suggestion).describe("Best first."), totalMs: millisecondsSchema })
  .register(components, { id: "SuggestAnswer" });

export type SuggestAnswer = Immutable<z.infer<typeof suggestAnswerSchema>>;
