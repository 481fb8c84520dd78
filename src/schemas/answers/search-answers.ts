// The answers to searches.

import { z } from "zod";
import type { Immutable } from "../shared/immutable.ts";
import { components } from "../shared/schema-names.ts";
import { countedAnswerSchema } from "./counted-schema.ts";
import { hitSchema } from "./hit-schema.ts";
import { statsSchema } from "./stats-schema.ts";
import { termSchema } from "./term-schema.ts";

export const noticeSchema = z
  .string()
  .describe(
    "Says how the answer differs from the request: only words were searched, because the index holds your own vectors and the " +
      "query has none; an option names a field that no document has; or an operator could not be used.",
  )
  .optional();

export const searchAnswerSchema = z
  .object({
    hits: z.array(hitSchema),
    ...countedAnswerSchema,
    terms: z.array(termSchema),
    stats: statsSchema,
    notice: noticeSchema,
  })
  .register(components, { id: "SearchAnswer" });

export const searchAllAnswerSchema = z
  .object({ answers: z.array(searchAnswerSchema).describe("In the order of the queries.") })
  .register(components, { id: "SearchAllAnswer" });

export type SearchAnswer = Immutable<z.infer<typeof searchAnswerSchema>>;
export type SearchAllAnswer = Immutable<z.infer<typeof searchAllAnswerSchema>>;
