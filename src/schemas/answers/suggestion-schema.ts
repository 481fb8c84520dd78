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
      .describe("The word that changes, as it was typed. Several words have spaces between them."),
    to: z.string().describe("What it becomes."),
    docs: countSchema.describe(
      "How many documents contain it, in any form of the word. Of several words, the rarest counts.",
    ),
  })
  .register(components, { id: "Suggestion" });

export const suggestAnswerSchema = z
  .object({ suggestions: z.array(suggestion).describe("Best first."), totalMs: millisecondsSchema })
  .register(components, { id: "SuggestAnswer" });

export type SuggestAnswer = Immutable<z.infer<typeof suggestAnswerSchema>>;
