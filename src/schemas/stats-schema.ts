// What a search did, and how long it took.

import { z } from "zod";
import { count, milliseconds, share } from "./quantities.ts";
import { components } from "./schema-names.ts";

export const statsSchema = z
  .object({
    plan: z.enum(["auto", "exact", "pruned", "inner-product", "quantized"]),
    kernel: z.enum(["wasm", "webgpu", "scalar"]),
    fallback: z.string().describe("Why the CPU answered although a GPU was chosen.").optional(),
    answeredBy: z
      .enum(["nothing", "meaning"])
      .describe(
        "`nothing`: the query is empty, so there are no hits. `meaning`: no document holds a word of the query; the hits " +
          "are documents that are clearly nearer to the query than any document is to made-up words.",
      )
      .optional(),
    docs: count.describe("Documents that could be hits."),
    scored: count.describe("Documents whose exact score was computed."),
    candidates: count.describe("Documents that the first stage passed on."),
    exact: z.boolean().describe("Whether it is certain that no other row scores higher."),
    droppedTerms: share.describe(
      "The share of the documents' terms that the rows dropped; 0 with `dims: full`.",
    ),
    usedDims: count.describe("Dimensions of the query that the first stage used."),
    queryDims: count,
    scan: z.object({
      windows: count,
      skipped: count,
      listsSkipped: count,
      refined: count,
      bytes: count,
      guessed: count,
    }),
    firstStageMs: milliseconds,
    secondStageMs: milliseconds,
    totalMs: milliseconds.describe("Time from the parsed request to the answer."),
  })
  .register(components, { id: "Stats" });
