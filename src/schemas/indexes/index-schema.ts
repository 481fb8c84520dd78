// An index: what it holds and how it was built.

import { z } from "zod";
import { STRATEGIES } from "../../densify/slicing.ts";
import type { Immutable } from "../shared/immutable.ts";
import { KEY_ACCESS } from "../shared/key-access.ts";
import { countSchema, shareSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

/** The name of an index in a URL. None of these characters can change the path. */
export const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const slicingSettings = z.object({
  strategy: z.enum(STRATEGIES),
  dims: countSchema,
  perSlice: countSchema,
  discard: countSchema,
  vocabularySize: countSchema,
  vocabularyFingerprint: z.string(),
  seed: z.number().optional(),
  table: z.string().optional(),
});

const densifyCounts = z.object({
  docs: countSchema,
  empty: countSchema,
  terms: countSchema,
  kept: countSchema,
  collisions: countSchema,
  discarded: countSchema,
  unknown: countSchema,
  weightless: countSchema,
});

const summary = z.object({
  name: z.string(),
  docs: countSchema,
  writable: z.boolean(),
  semanticDims: countSchema,
  lambda: z.number(),
});

export const indexAnswerSchema = z
  .object({
    ...summary.shape,
    lexical: z.enum(["bm25", "weights"]),
    analyzer: z.string(),
    hasWords: z
      .boolean()
      .describe("Whether its terms are words, so that they can be completed and corrected."),
    analyzerNotice: z.string().optional(),
    bm25: z.object({ k1: z.number(), b: z.number(), averageLength: z.number() }).optional(),
    fieldWeights: z
      .record(z.string(), z.number())
      .describe(
        "The fields whose texts are searched, and how much each counts. Absent: title and text, as one text.",
      )
      .optional(),
    encoder: z
      .object({
        name: z.string(),
        kind: z.string(),
        fingerprint: z.string(),
        queries: z.string().describe("The encoder of queries, if it is another one.").optional(),
      })
      .describe("The encoder of documents and queries, if the index has one.")
      .optional(),
    kernel: z.object({
      name: z.enum(["wasm", "webgpu", "opensearch"]),
      reason: z.string(),
      bytes: countSchema.optional(),
    }),
    slicingSettings: slicingSettings.describe(
      "What decides the cell of each term, and so which rows can be compared.",
    ),
    positionBytes: countSchema
      .describe("The bytes of the positions of terms; absent if the index does not keep them.")
      .optional(),
    fieldBytes: countSchema
      .describe("The bytes of the counts by text field; absent without text fields.")
      .optional(),
    densifyCounts,
    droppedShare: shareSchema.describe(
      "The share of the documents' terms that rows do not hold; 0 with `dims: full`.",
    ),
    sharedCells: countSchema,
    rowBytes: countSchema,
    diskBytes: countSchema.optional(),
    generation: countSchema.describe("The number of commits and merges."),
    segments: z.array(
      z.object({
        name: z.string(),
        docs: countSchema.describe("Documents, without deleted ones."),
        deleted: countSchema.describe("Documents that are deleted, and still in the file."),
        bytes: countSchema,
      }),
    ),
  })
  .register(components, { id: "Index" });

export const indexesAnswerSchema = z
  .object({
    indexes: z.array(summary.register(components, { id: "IndexSummary" })),
    unavailable: z.array(z.string()).describe("Names of indexes that could not be opened; the log says why."),
    canCreate: z.boolean().describe("Whether you can create and drop indexes here."),
    access: z
      .enum(KEY_ACCESS)
      .describe("What your key may do. `admin` if the server has no keys: everyone may do everything."),
  })
  .register(components, { id: "Indexes" });

export type IndexAnswer = Immutable<z.infer<typeof indexAnswerSchema>>;
export type IndexesAnswer = Immutable<z.infer<typeof indexesAnswerSchema>>;
