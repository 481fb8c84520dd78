// The OpenAPI document → the tables of docs/reference/http.md. Every text in them is a `describe` or a summary of the source.

import { type JsonSchema, type OpenApiParameter, openApiDocument } from "../../src/server/routes/openapi.ts";
import { ROUTES, type RouteName } from "../../src/server/routes/routes.ts";
import { markdownTable } from "./markdown-table.ts";

const { components, paths } = openApiDocument();

/** A query has a table of its own. A filter contains filters, and the guide of filters explains them. */
const EXPLAINED_ELSEWHERE = ["Filter", "Query"];

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

const nameOf = ({ $ref }: JsonSchema) => $ref?.split("/").at(-1) as string | undefined;

/** The schema that a reference leads to, with what stands beside the reference. */
function resolved(schema: JsonSchema): JsonSchema {
  const { $ref, ...own } = schema;
  return $ref === undefined ? schema : { ...components.schemas[nameOf(schema)!], ...own };
}

const choicesOf = ({ anyOf, oneOf }: JsonSchema): JsonSchema[] => anyOf ?? oneOf ?? [];

/** The type in a few words: "text", "list of numbers". */
function typeOf(schema: JsonSchema): string {
  const { type, enum: values, const: only, items, additionalProperties, ...rest } = resolved(schema);
  const choices = type === undefined ? choicesOf(rest) : [];
  if (choices.length > 0) return [...new Set(choices.map(typeOf))].join(" or ");
  if (values) return values.length > 8 ? "a name" : values.map((value: string) => `\`${value}\``).join(", ");
  if (only !== undefined) return `\`${only}\``;
  if (type === "array") return `list of ${pluralOf(typeOf(items))}`;
  if (type === "object" && additionalProperties?.type === "number") return "numbers by name";
  return [type].flat().map(wordFor).join(" or ");
}

const wordFor = (type: string) =>
  ({ string: "text", integer: "whole number", boolean: "`true`, `false`" })[type] ?? type;

const pluralOf = (type: string) =>
  type
    .split(" or ")
    .map((each) => (each.startsWith("list of") ? each.replace("list", "lists") : `${each}s`))
    .join(" or ");

function fieldsOf(schema: JsonSchema): Field[] {
  const { properties = {}, required = [], ...rest } = resolved(schema);
  const own = Object.entries(properties as Record<string, JsonSchema>).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.includes(name),
  }));
  const all = [...own, ...choicesOf(rest).flatMap(fieldsOf)];
  const names = [...new Set(all.map(({ name }) => name))];
  return names.map((name) => joined(all.filter((field) => field.name === name)));
}

/** A field that several choices have, such as the `kind` of a plan, is listed once, with all its constants. */
function joined(fields: readonly Field[]): Field {
  const constants = fields.map(({ schema }) => schema.const).filter((value) => value !== undefined);
  if (constants.length < 2) return fields[0];
  const { const: _, ...schema } = fields[0].schema;
  return { ...fields[0], schema: { ...schema, enum: constants } };
}

/** The fields of an object that a field holds, or that the elements of its list are: `sort.order`, `facets[].limit`. */
function insideOf({ name, schema }: Field): Field[] {
  if (EXPLAINED_ELSEWHERE.includes(nameOf(schema) ?? "")) return [];
  const { items } = resolved(schema);
  const prefix = items ? `${name}[].` : `${name}.`;
  return fieldsOf(items ?? schema).map((field) => ({
    ...field,
    name: prefix + field.name,
    isRequired: false,
  }));
}

function defaultOf({ schema, isRequired }: Field): string {
  if (isRequired) return "required";
  return schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
}

function rowOf(field: Field): string[] {
  const { description } = resolved(field.schema);
  if (!description)
    throw new Error(`http.md: ${field.name} has no description; add .describe() to its schema`);
  return [`\`${field.name}\``, typeOf(field.schema), defaultOf(field), description];
}

const HEAD = ["name", "type", "default", "meaning"];

/** A table of the fields of a named schema, with those inside of them. */
function bodyTable(name: string): string {
  const rows = fieldsOf(components.schemas[name]).flatMap((field) => [field, ...insideOf(field)]);
  return markdownTable(HEAD, rows.map(rowOf));
}

/** A table of the parameters in the URL of a route. */
function parametersTable(name: RouteName): string {
  const { path, method } = ROUTES[name];
  const inQuery = paths[path][method].parameters.filter((parameter) => parameter.in === "query");
  return markdownTable(HEAD, inQuery.map(fieldOfParameter).map(rowOf));
}

function fieldOfParameter({ name, required, description, schema, content }: OpenApiParameter): Field {
  return {
    name,
    schema: { ...(schema ?? content!["application/json"].schema), description },
    isRequired: required,
  };
}

const KEYS = { read: "read", write: "write", admin: "admin", open: "none" };

function routesTable(): string {
  const rows = Object.values(ROUTES).map(({ method, path, access, summary }) => [
    `\`${method.toUpperCase()} ${path}\``,
    KEYS[access],
    summary,
  ]);
  return markdownTable(["route", "key", "what it does"], rows);
}

const namesIn = (name: string) => fieldsOf(components.schemas[name]).map((field) => `\`${field.name}\``);

/** By the name in a marker: what stands behind it. */
export const HTTP_TABLES: Readonly<Record<string, () => string>> = {
  routes: routesTable,
  "settings of a new index": () => bodyTable("CreateRequest"),
  "body of a search": () => bodyTable("SearchRequest"),
  "parts of a query": () => bodyTable("Query"),
  "body of suggestions": () => bodyTable("SuggestRequest"),
  "bodies of explanations": () =>
    markdownTable(
      ["route", "fields"],
      [
        ["`POST …/explain`", namesIn("ExplainRequest").join(", ")],
        ["`POST …/explain-query`", namesIn("ExplainQueryRequest").join(", ")],
      ],
    ),
  "fields of a document": () => bodyTable("Document"),
  "body of a list": () => bodyTable("ListRequest"),
  "body of a deletion": () => bodyTable("DeleteRequest"),
  "parameters of documents": () => parametersTable("addDocuments"),
  "parameters of an upload": () => parametersTable("uploadFile"),
};
