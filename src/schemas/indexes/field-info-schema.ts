// The fields of the documents of an index: what a filter can be made of.

import { z } from "zod";
import type { Immutable } from "../shared/immutable.ts";
import { countSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

const fieldInfo = z.object({
  name: z.string().describe("The name to use in a filter; nested fields have dots."),
  docs: countSchema.describe("Documents with a value."),
  range: z
    .object({ min: z.number(), max: z.number() })
    .describe("The smallest and largest number, if the field has numbers.")
    .optional(),
  choices: z
    .array(z.object({ value: z.union([z.string(), z.boolean()]), docs: countSchema }))
    .describe(
      "The texts and booleans of the field, most frequent first; absent if there are more than 50, or if a text has more than " +
        "200 characters.",
    )
    .optional(),
});

export const fieldsAnswerSchema = z
  .object({ fields: z.array(fieldInfo) })
  .register(components, { id: "FieldsAnswer" });

export type FieldsAnswer = Immutable<z.infer<typeof fieldsAnswerSchema>>;
