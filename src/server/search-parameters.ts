// What stands in a URL: the names in its path, and the parameters of its query string.

import { z } from "zod";
import { NAME_PATTERN } from "../schemas/index-schema.ts";
import { components } from "../schemas/schema-names.ts";
import { searchOptions } from "../schemas/search-options-schema.ts";
import { parseSafeJson } from "./safe-json.ts";

const name = z
  .string()
  .regex(NAME_PATTERN)
  .meta({ description: "The index.", examples: ["dictionary"] });
const id = z
  .string()
  .min(1)
  .meta({ description: "The document.", examples: ["noun.01234567"] });
const report = z
  .string()
  .min(1)
  .meta({ description: "The report.", examples: ["tradeoff"] });

export const indexParameters = z.object({ name }).register(components, { id: "IndexParameters" });
export const documentParameters = z.object({ name, id }).register(components, { id: "DocumentParameters" });
export const reportParameters = z.object({ name: report }).register(components, { id: "ReportParameters" });

/** A parameter that is not a text is written as JSON: 10, true, ["a", "b"], {"year": 1919}. */
function asJson<S extends z.ZodType>(name: string, schema: S) {
  const parse = (text: unknown) => (typeof text === "string" ? parseSafeJson(text, name) : text);
  return z.preprocess(parse, schema);
}

type AsJson<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodPreprocess<z.ZodType<z.output<Shape[Name]>, z.input<Shape[Name]>>>;
};

const optionsAsJson = Object.fromEntries(
  Object.entries(searchOptions).map(([name, schema]) => [name, asJson(name, schema)]),
) as unknown as AsJson<typeof searchOptions>;

/** The parameters of a GET search: a text, and the same options as in the body of a POST. */
export const searchParameters = z
  .strictObject({
    q: z.string().meta({ description: "The text of the query.", examples: ["fear of spiders"] }),
    ...optionsAsJson,
  })
  .register(components, { id: "SearchParameters" });

export const writeParameters = z
  .strictObject({
    commit: asJson(
      "commit",
      z
        .boolean()
        .describe(
          "False leaves the changes in a transaction, which the answer names and you commit later. True by default.",
        )
        .default(true),
    ),
    transaction: z.string().describe("The transaction to join, as named in an earlier answer.").optional(),
  })
  .register(components, { id: "WriteParameters" });

export const transactionParameters = z
  .strictObject({
    transaction: z.string().describe("The transaction, as named in the answer to a change."),
  })
  .register(components, { id: "TransactionParameters" });
