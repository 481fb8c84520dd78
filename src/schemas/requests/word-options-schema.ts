// The options that correct and complete the words of a query.

import { z } from "zod";
import { MOST_MEMBERS, MOST_SYNONYMS } from "../../query/words/synonyms.ts";
import { LONGEST_WORD } from "../../query/words/terms-of-length.ts";
import { wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

const letters = wholeSchema(1).max(LONGEST_WORD);

const typoOptions = z
  .strictObject({
    maxEdits: z
      .union([z.literal(1), z.literal(2)])
      .describe("The most edits of a word; 2 by default.")
      .optional(),
    oneEditFrom: letters.describe("The letters that a word needs for one edit; 4 by default.").optional(),
    twoEditsFrom: letters.describe("The letters that a word needs for two edits; 8 by default.").optional(),
  })
  .register(components, { id: "TypoOptions" });

export const typosSchema = z
  .union([z.boolean(), typoOptions])
  .describe("Correct words that no document contains. Longer words may have more edits.");

const words = z.array(z.string().regex(/\S/)).max(MOST_MEMBERS);
const from = words.min(1).describe("Words of the query.");
const to = words.min(1).describe("Words that are searched for as well.");
const synonymsSchema = z
  .array(z.union([words.min(2), z.strictObject({ from, to })]))
  .max(MOST_SYNONYMS)
  .describe(
    "Lists of words that mean the same. Each finds the others, with a lower weight. With `from` and `to`: one way only.",
  )
  .meta({ examples: [[["boat", "ship"]]] });

export const wordOptions = {
  typos: typosSchema.default(false),
  prefix: z
    .boolean()
    .describe("Complete the last word, for a search while the user types. Only if the text ends with it.")
    .default(false),
  synonyms: synonymsSchema.optional(),
};
