// Changes of an index: how they are committed, their answers, and their progress.

import { z } from "zod";
import type { Immutable } from "../shared/immutable.ts";
import { countSchema, millisecondsSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

export const writeAnswerSchema = z
  .object({
    added: countSchema
      .describe("Documents of this request that were added, or that replaced others.")
      .optional(),
    replaced: countSchema.describe("Documents that others of this request took the place of.").optional(),
    deleted: countSchema
      .describe("Documents that this request deleted: by ids, by a filter, or of a file that became empty.")
      .optional(),
    committed: z.boolean().describe("Whether the changes are stored and visible to searches."),
    transaction: z.string().describe("The open transaction, when the changes were not committed.").optional(),
    docs: countSchema.describe("Documents that searches can find."),
    totalMs: millisecondsSchema,
  })
  .register(components, { id: "WriteAnswer" });

/** The `progress` event of a change that was requested with `Accept: text/event-stream`; `done` or `error` ends it. */
const progressEvent = z
  .object({
    task: z.enum(["reading", "encoding", "slicing", "densifying", "merging", "verifying"]),
    done: countSchema,
    total: countSchema.optional(),
  })
  .register(components, { id: "ProgressEvent" });

export type WriteAnswer = Immutable<z.infer<typeof writeAnswerSchema>>;
export type ProgressEvent = Immutable<z.infer<typeof progressEvent>>;
