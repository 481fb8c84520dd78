// The options that say which of the ranked documents are returned.

import { z } from "zod";
import { DEFAULT_K } from "../../search/options/search-options.ts";
import { wholeSchema } from "../shared/quantities.ts";

export const pageOptions = {
  k: wholeSchema(0).describe("The number of hits; 0 for counts alone.").default(DEFAULT_K),
  offset: wholeSchema(0).describe("The number of best hits to skip, for the next page.").default(0),
  minScore: z
    .number()
    .describe("Leave out hits with a lower score; offset and k count the remaining hits.")
    .meta({ examples: [0.5] })
    .optional(),
};
