// Why a document scores what it scores, and how a query is searched.

import { z } from "zod";
import { fieldsSchema } from "../indexes/document-schema.ts";
import { boostPartSchema } from "../requests/boost-schema.ts";
import { phrasePartSchema } from "../requests/clause-schema.ts";
import type { Immutable } from "../shared/immutable.ts";
import { countSchema, millisecondsSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";
import { highlightsSchema } from "./hit-schema.ts";
import { boostSumSchema, matchedTermSchema, scoreSchema } from "./score-schema.ts";
import { noticesSchema } from "./search-answers.ts";
import { explainedTermSchema, termFieldSchema, termSchema } from "./term-schema.ts";

const missedTerm = z.object({
  term: z.string(),
  field: termFieldSchema,
  queryWeight: z.number(),
  slotHolds: z.string().describe("The term that has the slot in the document's row.").optional(),
});

export const explainAnswerSchema = z
  .object({
    id: z.string(),
    lambda: z.number(),
    ...scoreSchema.shape,
    boost: boostSumSchema.optional(),
    boosts: z
      .array(boostPartSchema)
      .describe("What each boost adds, in the order of the request.")
      .optional(),
    phrases: z
      .array(phrasePartSchema)
      .describe("What each preferred phrase adds, in the order of the request.")
      .optional(),
    failed: z
      .array(z.string())
      .describe(
        "Demands of the query that the document does not meet, as operators write them: it is no hit. Absent if it meets all.",
      )
      .optional(),
    matched: z
      .array(matchedTermSchema)
      .describe(
        "Terms that query and document share, largest contribution first. The contributions add up to `lexical`.",
      ),
    missed: z.array(missedTerm).describe("Terms of the query that the document's row does not hold."),
    lost: z
      .array(z.string())
      .describe("Missed terms that are in the document's text: a heavier term took their slice."),
    terms: z.array(termSchema),
    document: fieldsSchema,
    highlights: highlightsSchema.optional(),
    notices: noticesSchema,
    totalMs: millisecondsSchema,
  })
  .register(components, { id: "Explanation" });

const selectedDims = z.object({ selected: countSchema, of: countSchema });

export const explainQueryAnswerSchema = z
  .object({
    terms: z.array(explainedTermSchema).describe("Heaviest first."),
    lambda: z.number(),
    lexicalDims: selectedDims,
    semanticDims: selectedDims,
    totalMs: millisecondsSchema,
    notices: noticesSchema,
  })
  .register(components, { id: "QueryExplanation" });

export type ExplainAnswer = Immutable<z.infer<typeof explainAnswerSchema>>;
export type ExplainQueryAnswer = Immutable<z.infer<typeof explainQueryAnswerSchema>>;
