// A condition on the fields of documents. The library checks filters again, and knows which fields cannot be filtered.

import { z } from "zod";
import type { Filter } from "../../documents/filter.ts";
import { components } from "../shared/schema-names.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const bound = z.union([z.string(), z.number()]).optional();

const OPERATORS = "eq, ne, in, lt, lte, gt, gte, exists";

/** What a field is compared with. All operators must hold. */
export const operatorsSchema = z
  .strictObject({
    eq: value.optional(),
    ne: value.optional(),
    in: z.array(value).min(1).optional(),
    lt: bound,
    lte: bound,
    gt: bound,
    gte: bound,
    exists: z.boolean().optional(),
  })
  .refine((operators) => Object.keys(operators).length > 0, {
    error: `expected an operator: ${OPERATORS}`,
  })
  .meta({ minProperties: 1 });

const anyFilter = z
  .object({
    get and() {
      return z.array(filterSchema).min(1).optional();
    },
    get or() {
      return z.array(filterSchema).min(1).optional();
    },
    get not() {
      return filterSchema.optional();
    },
  })
  .catchall(
    z.union([value, operatorsSchema], {
      error: `expected a text, a number, true, false or null, or an object of operators: ${OPERATORS}`,
    }),
  );

// TypeScript has no type for an object whose other properties are all of another type, so zod cannot infer it.
export const filterSchema: z.ZodType<Filter, Filter> = (anyFilter as unknown as z.ZodType<Filter, Filter>)
  .meta({
    description:
      `A condition on a document's fields: \`{ field: value }\` or \`{ field: { ${OPERATORS} } }\`. ` +
      "Several fields must all match. Combine filters with `{ and: […] }`, `{ or: […] }` and `{ not: { … } }`.",
    examples: [{ kind: "noun", year: { gte: 1919, lt: 1933 } }],
    propertyNames: { not: { pattern: "^\\\\?(id|title|text|weights|termFactors|vector)$" } },
  })
  .register(components, { id: "Filter" });
