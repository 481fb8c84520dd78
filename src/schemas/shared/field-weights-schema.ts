// How much text fields count: in a new index, where they also say which fields it reads, and in a search.

import { z } from "zod";
import { MOST_FIELD_WEIGHT, MOST_TEXT_FIELDS } from "../../documents/text-fields.ts";

export const textFieldsSchema = z
  .record(z.string().min(1), z.number().positive().max(MOST_FIELD_WEIGHT))
  .refine((weights) => Object.keys(weights).length <= MOST_TEXT_FIELDS, {
    error: `expected at most ${MOST_TEXT_FIELDS} fields`,
  })
  .meta({
    description:
      "The fields whose texts are searched, and how much each counts. All of them make one BM25 score. By default title and " +
      "text are read as one text.",
    minProperties: 1,
    maxProperties: MOST_TEXT_FIELDS,
    examples: [{ title: 3, text: 1, tags: 2 }],
  });

export const fieldWeightsSchema = z.record(z.string(), z.number().min(0).max(MOST_FIELD_WEIGHT)).meta({
  description:
    "How much text fields count, instead of the weights of the index, which must have text fields. A field that is left out " +
    "keeps its weight; 0 leaves the field out.",
  examples: [{ title: 5, text: 0.5 }],
});
