// The table of routes, their schemas and the server's limits → the OpenAPI document.

import { z } from "zod";
import { errorAnswerSchema } from "../../schemas/server-schema.ts";
import { components } from "../../schemas/shared/schema-names.ts";
import { readVersion } from "../../support/environment/version.ts";
import { DEFAULT_LIMITS, type Limits } from "../wire/limits.ts";
import { UPLOAD_TYPES } from "../wire/spooled-body.ts";
import { ROUTES, type Route } from "./routes.ts";

/** What each error status means on this server. */
const ERRORS: Readonly<Record<number, string>> = {
  400: "The request is malformed, or asks for more than this server allows",
  401: "The key is missing, wrong or expired",
  403: "The key may not do this or is for other indexes, the index is read-only, the server has no folder for this, or a page of another site asks",
  404: "There is no such index or document",
  408: "The body did not arrive in time",
  409: "An id or an index already exists, another transaction is open, or this transaction has ended",
  413: "The body is too large",
  415: "The body has a Content-Type or Content-Encoding that the server does not read",
  429: "The key or the address sent too many requests in this time: Retry-After says when to send the next one",
  503: "There are too many requests, the index is not available, or the server is stopping: try again later",
};

const DESCRIPTION =
  "Lexical and semantic search in one index, with one score: `lexical + semantic`, where `semantic` includes λ. Every hit has both parts, and " +
  "`explain` shows them term by term. Errors are `{ error: { code, message, hint?, requestId } }`.";

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, in which places are looked up by name
export type JsonSchema = Record<string, any>;

export interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
  /** Instead of `schema`, when the parameter is a list or an object, written as JSON. */
  readonly content?: OpenApiContent;
}

export type OpenApiContent = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: OpenApiContent }>
  >;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path, then by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** The OpenAPI document of a server with these limits. */
export function openApiDocument(limits: Limits = DEFAULT_LIMITS): OpenApiDocument {
  const schemas = jsonSchemas();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, route] of Object.entries(ROUTES)) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(name, route, schemas) };
  }
  const isParameters = ([name]: [string, JsonSchema]) => name.endsWith("Parameters");
  const document: OpenApiDocument = {
    openapi: "3.1.0",
    info: { title: "Sluice", version: readVersion(), description: DESCRIPTION, license: { name: "MIT" } },
    servers: [{ url: "/" }],
    tags: [
      { name: "search", description: "Search" },
      { name: "documents", description: "Documents and changes" },
      { name: "indexes", description: "Indexes" },
      { name: "server", description: "Server" },
    ],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).filter((entry) => !isParameters(entry))),
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
    },
  };
  writeLimits(document, limits);
  return document;
}

const addressOf = (name: string) => `#/components/schemas/${name}`;
const nameOf = (schema: z.ZodType) => components.get(schema)!.id;

/** All named schemas as JSON Schema, by name. They refer to each other by address. */
function jsonSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(components, { uri: addressOf, io: "input" });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $id, $schema, ...schema }]) => [name, schema]),
  );
}

function operationOf(name: string, route: Route, schemas: Record<string, JsonSchema>): Operation {
  const {
    access,
    tag,
    summary,
    description,
    params,
    query,
    body,
    mayBeEmpty = false,
    streams,
    uploads,
    answer,
    downloads,
    refusal,
  } = route;
  const text = { schema: { type: "string" } };
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...describedAccess(description, access),
    ...(access !== "open" && { security: [{ key: [] }, {}] }),
    parameters: [
      ...(params ? parametersOf(schemas[nameOf(params)], "path") : []),
      ...(query ? parametersOf(schemas[nameOf(query)], "query") : []),
    ],
    ...(body && {
      requestBody: {
        required: !mayBeEmpty,
        content: { ...jsonContent(body), ...(streams && { "application/x-ndjson": text }) },
      },
    }),
    ...(uploads && { requestBody: { required: true, content: fileContent() } }),
    responses: {
      200: {
        description: "The answer",
        content: {
          ...(answer && jsonContent(answer)),
          ...(downloads && { [downloads]: FILE }),
          ...(streams && { "text/event-stream": text }),
        },
      },
      ...Object.fromEntries(
        statusesOf(route).map((status) => {
          const content = jsonContent(status === 503 && refusal ? refusal : errorAnswerSchema);
          return [status, { description: ERRORS[status], content }];
        }),
      ),
    },
  };
}

/** The description of a route, with the key that it needs. */
function describedAccess(description: string | undefined, access: Route["access"]): { description?: string } {
  const needs = access === "write" || access === "admin" ? NEEDS[access] : undefined;
  const text = [description, needs].filter((part) => part !== undefined).join("\n\n");
  return text === "" ? {} : { description: text };
}

const NEEDS = {
  write: "On a server with keys, this needs a write key or an admin key.",
  admin: "On a server with keys, this needs an admin key.",
};

const FILE = { schema: { type: "string", format: "binary" } };

function fileContent(): OpenApiContent {
  return Object.fromEntries(Object.keys(UPLOAD_TYPES).map((type) => [type, FILE]));
}

function jsonContent(schema: z.ZodType): OpenApiContent {
  return { "application/json": { schema: { $ref: addressOf(nameOf(schema)) } } };
}

function parametersOf(
  { properties, required = [] }: JsonSchema,
  place: OpenApiParameter["in"],
): OpenApiParameter[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, property]) => {
    const { description, ...rest } = property;
    const isPlain = ["string", "number", "integer", "boolean"].includes(rest.type);
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description && { description }),
      ...(isPlain ? { schema: rest } : { content: { "application/json": { schema: rest } } }),
    };
  });
}

function statusesOf({ access, params, query, body, uploads, errors = [] }: Route): number[] {
  const own = [
    ...(params || query || body ? [400] : []),
    ...(access === "open" ? [] : [401, 429]),
    403,
    ...(params ? [404] : []),
    ...(body || uploads ? [408, 413, 415] : []),
    ...errors,
    503,
  ];
  return own.sort((a, b) => a - b);
}

/** Writes the server's limits into the schemas, so that they allow exactly what the server accepts. */
function writeLimits({ components: { schemas }, paths }: OpenApiDocument, limits: Limits): void {
  const parametersOf = (path: string) =>
    Object.fromEntries(
      paths[path].get.parameters.map(({ name, schema, content }) => [
        name,
        schema ?? content!["application/json"].schema,
      ]),
    );
  const byName = parametersOf(ROUTES.searchByUrl.path);
  byName.query.maxLength = limits.queryLength;
  const bodies = [schemas.SearchRequest.properties, schemas.SearchAllRequest.properties];
  for (const options of [...bodies, byName]) {
    options.k.maximum = limits.k;
    options.offset.maximum = limits.offset;
  }
  for (const options of [schemas.ListRequest.properties, parametersOf(ROUTES.listByUrl.path)])
    options.limit.maximum = limits.limit;
  // In a URL its length is the limit: Node refuses long ones.
  for (const options of bodies) options.exclude.maxItems = limits.excludedIds;
  schemas.SearchAllRequest.properties.queries.maxItems = limits.queries;
  const [text, { properties: parts }] = schemas.Query.anyOf;
  text.maxLength = limits.queryLength;
  parts.text.maxLength = limits.queryLength;
  parts.weights.maxProperties = limits.queryTerms;
  parts.termFactors.maxProperties = limits.queryTerms;
}
