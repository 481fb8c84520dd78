// Documents, as they are added and as they come back.

import { z } from "zod";
import type { Immutable } from "../shared/immutable.ts";
import { millisecondsSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

/** Characters of an id. The library allows as many bytes of UTF-8, and a character has at least one. */
const MAX_ID_LENGTH = 1024;
/** The largest weight that a row can hold: the largest float16. */
const MAX_WEIGHT = 65_504;

/** The ids "." and ".." name folders in an address: clients leave them out before they send a request. */
export const isAddressable = (id: unknown) => id !== "." && id !== "..";
export const NOT_ADDRESSABLE = 'an address cannot hold the ids "." and ".."';

export const documentSchema = z
  .looseObject({
    id: z
      .string()
      .min(1)
      .max(MAX_ID_LENGTH)
      .refine(isAddressable, { error: NOT_ADDRESSABLE })
      .meta({ description: "The name of the document in this index.", not: { enum: [".", ".."] } }),
    title: z.string().nullish().describe("The title. It is searched together with the text."),
    text: z.string().nullish().describe("The text that is searched."),
    weights: z
      .record(z.string(), z.number().min(0).max(MAX_WEIGHT))
      .describe("Weights by term, for an index with `lexical: weights`.")
      .optional(),
    termFactors: z
      .record(z.string(), z.number().min(0).max(MAX_WEIGHT))
      .describe("Factors by term. They multiply the weights that BM25 gives the terms.")
      .optional(),
    vector: z.array(z.number()).describe("Your own vector, for an index without an encoder.").optional(),
  })
  .meta({
    description:
      "An id and a text, optionally a title, and any other fields. All fields are stored and returned with every hit.",
    examples: [{ id: "1", title: "Bauhaus", text: "A school of art founded in Weimar", year: 1919 }],
  })
  .register(components, { id: "Document" });

export const documentsRequestSchema = z
  .strictObject({ documents: z.array(documentSchema).min(1) })
  .register(components, { id: "DocumentsRequest" });

export const fieldsSchema = z
  .record(z.string(), z.unknown())
  .meta({
    description: "The document as it was added, without id, weights, termFactors and vector.",
    examples: [{ text: "a morbid fear of spiders", words: ["arachnophobia"], kind: "noun" }],
  })
  .register(components, { id: "Fields" });

export const documentAnswerSchema = z
  .object({ id: z.string(), document: fieldsSchema })
  .register(components, { id: "StoredDocument" });

/** A document that was cut into passages. */
export const passagesAnswerSchema = z
  .object({
    id: z.string(),
    passages: z
      .array(documentAnswerSchema)
      .describe("The passages of the document, in the order of its text; itself, if it was not cut."),
    totalMs: millisecondsSchema,
  })
  .register(components, { id: "StoredPassages" });

export type DocumentAnswer = Immutable<z.infer<typeof documentAnswerSchema>>;
export type PassagesAnswer = Immutable<z.infer<typeof passagesAnswerSchema>>;
