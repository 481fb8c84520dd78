// Documents by filter, a page at a time.

import { z } from "zod";
import { documentAnswerSchema } from "../indexes/document-schema.ts";
import type { Immutable } from "../shared/immutable.ts";
import { countSchema, millisecondsSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";
import { noticesSchema } from "./search-answers.ts";

export const listAnswerSchema = z
  .object({
    documents: z
      .array(documentAnswerSchema)
      .describe("In the order in which they were added. A document that was replaced counts as added then."),
    total: countSchema.describe("How many documents the filter accepts, on all pages together."),
    next: z
      .string()
      .describe("Where the next page begins: send it as `after`. Absent on the last page.")
      .optional(),
    notices: noticesSchema,
    totalMs: millisecondsSchema,
  })
  .register(components, { id: "ListAnswer" });

export type ListAnswer = Immutable<z.infer<typeof listAnswerSchema>>;
