// The answers to searches.

import { z } from "zod";
import { NOTICE_CODES } from "../../query/ask/notice.ts";
import type { Immutable } from "../shared/immutable.ts";
import { millisecondsSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";
import { countedAnswerSchema } from "./counted-schema.ts";
import { hitSchema } from "./hit-schema.ts";
import { statsSchema } from "./stats-schema.ts";
import { termSchema } from "./term-schema.ts";

const noticeSchema = z
  .object({
    code: z.enum(NOTICE_CODES).describe("What differs, for programs."),
    message: z.string().describe("The same for people, and what to do."),
  })
  .register(components, { id: "Notice" });

export const noticesSchema = z
  .array(noticeSchema)
  .min(1)
  .describe(
    "How the answer differs from the request: only words were searched, because the index holds your own vectors and the " +
      "query has none; an option names a field that no document has, or asks it for values of another type; or an operator could " +
      "not be used. Absent if it does not.",
  )
  .optional();

export const searchAnswerSchema = z
  .object({
    hits: z.array(hitSchema),
    ...countedAnswerSchema,
    terms: z.array(termSchema),
    stats: statsSchema,
    notices: noticesSchema,
    totalMs: millisecondsSchema,
  })
  .register(components, { id: "SearchAnswer" });

export const searchAllAnswerSchema = z
  .object({ answers: z.array(searchAnswerSchema).describe("In the order of the queries.") })
  .register(components, { id: "SearchAllAnswer" });

export type SearchAnswer = Immutable<z.infer<typeof searchAnswerSchema>>;
export type SearchAllAnswer = Immutable<z.infer<typeof searchAllAnswerSchema>>;
