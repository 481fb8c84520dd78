// A document that was found.

import { z } from "zod";
import { fieldsSchema } from "../indexes/document-schema.ts";
import type { Immutable } from "../shared/immutable.ts";
import { countSchema, wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";
import { snippetSchema } from "./counted-schema.ts";
import { boostSumSchema, scoreSchema } from "./score-schema.ts";

const range = z.tuple([countSchema, countSchema]);

const ranges = z.array(range).optional();

export const highlightsSchema = z
  .object({ title: ranges, text: ranges })
  .catchall(ranges)
  .meta({
    description: "For each field, where words of the query occur: [start, end) in UTF-16 units, in order.",
    // biome-ignore format: two ranges
    examples: [{ text: [[9, 13], [17, 24]] }],
  })
  .register(components, { id: "Highlights" });

export const hitSchema = z
  .object({
    id: z.string(),
    ...scoreSchema.shape,
    boost: boostSumSchema.optional(),
    document: fieldsSchema,
    rerank: z
      .object({
        score: z.number().describe("What the reranking model says of the query and this document."),
        mixed: z.number().describe("What the hits are ordered by."),
        rankBefore: wholeSchema(1).describe("The place of the hit before reranking."),
      })
      .optional(),
    snippets: z.array(snippetSchema).optional(),
    highlights: highlightsSchema.optional(),
  })
  .register(components, { id: "Hit" });

export type HitAnswer = Immutable<z.infer<typeof hitSchema>>;
