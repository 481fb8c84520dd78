// Requests for suggestions.

import { z } from "zod";
import { DEFAULT_SUGGESTIONS, MOST_SUGGESTIONS } from "../../search/options/suggest-options.ts";
import { wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";
import { typosSchema } from "./word-options-schema.ts";

export const suggestOptions = {
  k: wholeSchema(0).max(MOST_SUGGESTIONS).describe("The number of suggestions.").default(DEFAULT_SUGGESTIONS),
  typos: typosSchema.default(true),
  syntax: z
    .boolean()
    .describe("Leave operators as they are, with field names, values, phrases and excluded words.")
    .default(false),
};

export const suggestRequestSchema = z
  .strictObject({
    text: z.string().meta({ description: "What the user has typed.", examples: ["fear of spid"] }),
    ...suggestOptions,
  })
  .register(components, { id: "SuggestRequest" });

export type SuggestRequest = z.input<typeof suggestRequestSchema>;
