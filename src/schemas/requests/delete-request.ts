// Which documents to delete: some ids, or all that a filter accepts.

import { z } from "zod";
import { components } from "../shared/schema-names.ts";
import { filterSchema } from "./filter-schema.ts";

export const deleteRequestSchema = z
  .strictObject({
    ids: z
      .array(z.string().min(1))
      .min(1)
      .describe("Ids of the documents. Ids that no document has are ignored.")
      .optional(),
    filter: filterSchema.optional(),
    withPassages: z
      .boolean()
      .describe("Delete all passages `ID#1`, `ID#2`, … of documents that were added with `passages`.")
      .optional(),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    error: "expected either ids or a filter",
  })
  .refine(({ filter, withPassages }) => filter === undefined || withPassages === undefined, {
    error: "withPassages goes with ids, not with a filter",
  })
  .meta({
    description: "Some documents by their ids, or all that a filter accepts. The filter `{}` accepts all.",
    oneOf: [
      { required: ["ids"], not: { required: ["filter"] } },
      { required: ["filter"], not: { anyOf: [{ required: ["ids"] }, { required: ["withPassages"] }] } },
    ],
    examples: [{ ids: ["1", "2"] }, { filter: { year: { lt: 1933 } } }],
  })
  .register(components, { id: "DeleteRequest" });
