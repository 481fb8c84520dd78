// The parameters of a URL: the names in its path, and the parameters of its query string.

import { z } from "zod";
import { FORMATS } from "../../read/formats.ts";
import { ID_FIELDS, TEXT_FIELDS } from "../../read/stream/line-documents.ts";
import { NAME_PATTERN } from "../../schemas/indexes/index-schema.ts";
import { listOptions } from "../../schemas/requests/list-request.ts";
import { searchOptions } from "../../schemas/requests/search-options-schema.ts";
import { suggestOptions } from "../../schemas/requests/suggest-request.ts";
import { wholeSchema } from "../../schemas/shared/quantities.ts";
import { components } from "../../schemas/shared/schema-names.ts";
import { parseSafeJson } from "../wire/safe-json.ts";

const name = z
  .string()
  .regex(NAME_PATTERN, "a name has 1 to 64 letters, digits, - and _, and starts with a letter or a digit")
  .meta({ description: "The index.", examples: ["dictionary"] });
const documentId = z
  .string()
  .min(1)
  .meta({ description: "The document.", examples: ["noun.01234567"] });
const report = z
  .string()
  .min(1)
  .meta({ description: "The report.", examples: ["tradeoff"] });

export const indexParameters = z.object({ name }).register(components, { id: "IndexParameters" });
export const documentParameters = z
  .object({ name, id: documentId })
  .register(components, { id: "DocumentParameters" });
export const reportParameters = z.object({ name: report }).register(components, { id: "ReportParameters" });

/** A parameter that is not a text is written as JSON: 10, true, ["a", "b"], {"year": 1919}. */
const JSON_HINT = 'write JSON, such as ["year"] for a list, {"year": 1919} for an object, 10 or true';

function parameterAsJson<S extends z.ZodType>(name: string, schema: S) {
  const parse = (text: unknown) => {
    const isJson = typeof text === "string" && !isText(schema) && !(mayBeText(schema) && !/^["{]/.test(text));
    return isJson ? parseSafeJson(text, name, JSON_HINT) : text;
  };
  return z.preprocess(parse, schema);
}

/** Whether all values of a schema are texts. They stand in a URL as they are. */
function isText(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional) return isText(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodString || schema instanceof z.ZodEnum;
}

/** Whether some values of a schema are texts, and the others objects: plan=exact, sort=year. */
function mayBeText(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return mayBeText(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodUnion && (schema.options as z.ZodType[]).some(isText);
}

type AsJson<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodPreprocess<z.ZodType<z.output<Shape[Name]>, z.input<Shape[Name]>>>;
};

function allAsJson<Shape extends z.ZodRawShape>(shape: Shape): AsJson<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, parameterAsJson(name, schema as z.ZodType)]),
  ) as unknown as AsJson<Shape>;
}

/** The parameters of a GET search: a text, and the same options as in the body of a POST. */
export const searchParameters = z
  .strictObject({
    query: z.string().meta({ description: "The text of the query.", examples: ["fear of spiders"] }),
    ...allAsJson(searchOptions),
  })
  .register(components, { id: "SearchParameters" });

/** The parameters of GET suggestions: the text, and the same options as in the body of a POST. */
export const suggestParameters = z
  .strictObject({
    text: z.string().meta({ description: "What the user has typed.", examples: ["fear of spid"] }),
    ...allAsJson(suggestOptions),
  })
  .register(components, { id: "SuggestParameters" });

/** The parameters of a GET list: the same options as in the body of a POST. */
export const listParameters = z
  .strictObject(allAsJson(listOptions))
  .register(components, { id: "ListParameters" });

const writeOptions = {
  commit: parameterAsJson(
    "commit",
    z
      .boolean()
      .describe(
        "False leaves the changes in a transaction, which the answer names and you commit later. True by default.",
      )
      .default(true),
  ),
  transaction: z.string().describe("The transaction to join, as named in an earlier answer.").optional(),
};

export const writeParameters = z.strictObject(writeOptions).register(components, { id: "WriteParameters" });

const passages = parameterAsJson(
  "passages",
  z
    .union([
      z.boolean(),
      z.strictObject({
        words: wholeSchema(1).describe("The most words of a passage; 200 by default.").optional(),
        overlap: wholeSchema(0)
          .describe("How many words a passage repeats from the one before; 0 by default.")
          .optional(),
        format: z
          .enum(["markdown", "text"])
          .describe("How the texts are read; `markdown` by default.")
          .optional(),
      }),
    ])
    .describe(
      "Cut the documents into passages with the ids `ID#1`, `ID#2`, …: true, or an object with `words` (200 by default), " +
        "`overlap` (0) and `format` (`markdown` or `text`). Documents that are passages already stay as they are.",
    )
    .optional(),
);

/** The parameters of requests that bring documents. */
export const documentsParameters = z
  .strictObject({ ...writeOptions, passages })
  .register(components, { id: "DocumentsParameters" });

const column = (what: string, usual: readonly string[]) =>
  z
    .string()
    .min(1)
    .describe(
      `The field or column with the ${what} of a document; by default ${usual.map((name) => `\`${name}\``).join(", ")}.`,
    )
    .optional();

/** The parameters of a file that is uploaded. */
export const uploadParameters = z
  .strictObject({
    file: z
      .string()
      .regex(/^[^./\\\p{Cc}][^/\\\p{Cc}]{0,199}$/u)
      .meta({
        description: "The name of the file, without a folder. Its ending says the format.",
        examples: ["canals.csv"],
      })
      .optional(),
    format: z.enum(FORMATS).describe("The format, whatever the name says.").optional(),
    id: column("id", ID_FIELDS),
    title: column("title", ["title"]),
    text: column("text", TEXT_FIELDS),
    delimiter: z
      .string()
      .length(1)
      .describe("The character between the fields of CSV; a comma by default.")
      .optional(),
    upsert: parameterAsJson(
      "upsert",
      z
        .boolean()
        .describe("True replaces documents whose ids exist; false, the default, refuses them.")
        .default(false),
    ),
    passages,
    ...writeOptions,
  })
  .register(components, { id: "UploadParameters" });

export const transactionParameters = z
  .strictObject({
    transaction: z.string().describe("The transaction, as named in the answer to a change."),
  })
  .register(components, { id: "TransactionParameters" });
