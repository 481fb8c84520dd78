// Requests for documents by filter.

import { z } from "zod";
import { CURSOR, DEFAULT_LIMIT } from "../../search/options/list-options.ts";
import { wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";
import { filterSchema } from "./filter-schema.ts";
import { searchOptions } from "./search-options-schema.ts";

export const listOptions = {
  filter: filterSchema.optional(),
  limit: wholeSchema(0).describe("The most documents to return; 0 counts alone.").default(DEFAULT_LIMIT),
  after: z
    .string()
    .regex(CURSOR, { error: "expected the `next` of an earlier list" })
    .describe("List on where an earlier list ended: its `next`.")
    .optional(),
  fields: searchOptions.fields,
};

export const listRequestSchema = z.strictObject(listOptions).register(components, { id: "ListRequest" });

export type ListRequest = z.input<typeof listRequestSchema>;
