// Requests for suggestions, and their answers.

import { z } from "zod";
import { DEFAULT_SUGGESTIONS, MOST_SUGGESTIONS } from "../../search/suggest-options.ts";
import { typosSchema } from "../requests/word-options-schema.ts";
import type { Immutable } from "../shared/immutable.ts";
import { countSchema, millisecondsSchema, wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

export const suggestOptions = {
  k: wholeSchema(1).max(MOST_SUGGESTIONS).describe("The number of suggestions.").default(DEFAULT_SUGGESTIONS),
  typos: typosSchema.default(true),
};

export const suggestRequest = z
  .strictObject({
    text: z.string().meta({ description: "What the user has typed.", examples: ["fear of spid"] }),
    ...suggestOptions,
  })
  .register(components, { id: "SuggestRequest" });

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

export const suggestAnswer = z
  .object({ suggestions: z.array(suggestion).describe("Best first."), totalMs: millisecondsSchema })
  .register(components, { id: "SuggestAnswer" });

export type SuggestRequest = z.input<typeof suggestRequest>;
export type SuggestAnswer = Immutable<z.infer<typeof suggestAnswer>>;
