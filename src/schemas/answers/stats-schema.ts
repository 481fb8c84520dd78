// What a search did, and how long it took.

import { z } from "zod";
import { countSchema, millisecondsSchema, shareSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

export const statsSchema = z
  .object({
    plan: z.enum(["auto", "exact", "pruned", "inner-product", "quantized"]),
    kernel: z
      .enum(["wasm", "webgpu", "scalar", "opensearch"])
      .describe(
        "What found the candidates; `scalar` if nothing was scanned, because all documents that could be hits were scored.",
      ),
    fallback: z.string().describe("Why the CPU answered although a GPU was chosen.").optional(),
    answeredBy: z
      .enum(["nothing", "meaning"])
      .describe(
        "`nothing`: the query is empty, so there are no hits. `meaning`: no document holds a word of the query; the hits " +
          "are documents that are clearly nearer to the query than any document is to made-up words.",
      )
      .optional(),
    allowedCount: countSchema.describe("Documents that could be hits."),
    scored: countSchema.describe("Documents whose exact score was computed."),
    candidates: countSchema.describe("Documents that the first stage passed on."),
    exact: z.boolean().describe("Whether it is certain that no other row scores higher; before reranking."),
    droppedShare: shareSchema.describe(
      "The share of the documents' terms that the rows dropped; 0 with `dims: full`.",
    ),
    usedDims: countSchema.describe(
      "Entries of the query that the first stage used: slots, and numbers of its vector.",
    ),
    queryDims: countSchema,
    scan: z.object({
      windows: countSchema,
      skipped: countSchema,
      listsSkipped: countSchema,
      refined: countSchema,
      bytes: countSchema,
      guessed: countSchema,
    }),
    firstStageMs: millisecondsSchema,
    secondStageMs: millisecondsSchema,
    rerank: z
      .object({ model: z.string(), hits: countSchema, mix: shareSchema, ms: millisecondsSchema })
      .describe("What the reranking model did: it ordered the best `hits` hits.")
      .optional(),
  })
  .register(components, { id: "Stats" });
