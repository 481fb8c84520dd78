// The settings that a request can give a new index, and those that it can change later. They have the names of the library's
// options. A setting that is left out gets the default of the library.

import { z } from "zod";
import { ANALYZER_NAMES } from "../../analyze/contract/analyzer-names.ts";
import { SLOT_STRATEGIES } from "../../densify/slicing.ts";
import { PACKAGED_ENCODERS } from "../../encode/folder/encoder-names.ts";
import { textFieldsSchema } from "../shared/field-weights-schema.ts";
import type { Immutable } from "../shared/immutable.ts";
import { lambdaSchema, shareSchema, wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

/** The most words of a list; a longer one is not a list of stop words. */
const MOST_WORDS = 10_000;

const words = z.array(z.string()).max(MOST_WORDS).optional();
const lambda = lambdaSchema
  .describe("The weight of the semantic part; by default the encoder's, or 1.")
  .optional();

/** Folders and models of others are left out: a request must not name files of the server. */
export const createIndexRequestSchema = z
  .strictObject({
    encoder: z
      .enum([...PACKAGED_ENCODERS, "none"])
      .describe(
        "What turns texts into vectors, or weights their words; `static` by default. `none`: words alone, or vectors that " +
          "documents bring.",
      )
      .optional(),
    analyzer: z
      .enum(ANALYZER_NAMES)
      .describe("What cuts texts into terms; `universal` by default.")
      .optional(),
    stopWords: words.describe("Words that are dropped, instead of the analyzer's own list."),
    protectedWords: words.describe("Words that are not stemmed."),
    foldAccents: z
      .boolean()
      .describe("Whether é and e are one letter; true by default with `universal`.")
      .optional(),
    lexical: z
      .enum(["bm25", "weights"])
      .describe("`bm25` by default. `weights` takes the weights that documents bring.")
      .optional(),
    bm25: z
      .strictObject({
        k1: z
          .number()
          .min(0)
          .max(1000)
          .describe("Higher values count repeated words more; 0.9 by default.")
          .optional(),
        b: shareSchema.describe("How much long documents are penalized; 0.4 by default.").optional(),
      })
      .describe("The two parameters of BM25.")
      .optional(),
    fieldWeights: textFieldsSchema.optional(),
    dims: z
      .union([z.literal("full"), wholeSchema(1).max(65_536)])
      .describe("The number of slots of a row; `full`, the default, has one for every term.")
      .optional(),
    slicingStrategy: z
      .enum(SLOT_STRATEGIES)
      .describe("How terms are assigned to slots, if `dims` is a number; `spread` by default.")
      .optional(),
    seed: z.int().describe("The seed of `random` slicing; 0 by default.").optional(),
    discard: wholeSchema(0)
      .describe("How many ids at the beginning of the vocabulary to discard; by rule if it is left out.")
      .optional(),
    positions: z
      .boolean()
      .describe("Keep where each term stands in its text, so that phrases can be searched; false by default.")
      .optional(),
    quantize: z
      .strictObject({
        parts: wholeSchema(2).max(65_536).multipleOf(2).describe("An even number; 64 by default.").optional(),
        bits: z
          .union([z.literal(4), z.literal(8)])
          .describe("4 by default.")
          .optional(),
      })
      .describe("Add product codes, for the plan `quantized`.")
      .optional(),
    lambda,
  })
  .meta({ examples: [{ encoder: "none", analyzer: "english" }] })
  .register(components, { id: "CreateRequest" });

export const settingsRequestSchema = z
  .strictObject({ lambda })
  .refine((settings) => Object.keys(settings).length > 0, { error: "expected a setting: lambda" })
  .meta({ minProperties: 1, examples: [{ lambda: 0.5 }] })
  .register(components, { id: "SettingsRequest" });

export const dropAnswerSchema = z
  .object({ name: z.string(), dropped: z.literal(true) })
  .register(components, { id: "DropAnswer" });

export type CreateRequest = Immutable<z.infer<typeof createIndexRequestSchema>>;
export type SettingsRequest = Immutable<z.infer<typeof settingsRequestSchema>>;
export type DropAnswer = Immutable<z.infer<typeof dropAnswerSchema>>;
