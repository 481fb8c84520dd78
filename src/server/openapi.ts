// The table of routes and the server's limits → the OpenAPI document.

import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import { version } from "../support/version.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { ROUTES, type Route } from "./routes.ts";
import { errorAnswer, progressEvent } from "./schemas.ts";

/** What each error status means on this server. */
const ERRORS: Readonly<Record<number, string>> = {
  400: "The request is malformed, or asks for more than this server allows",
  401: "The key is missing or wrong",
  403: "The key or the index is read-only, or the request comes from a page of another site",
  404: "There is no such index or document",
  408: "The body did not arrive in time",
  409: "An id already exists, another transaction is open, or this transaction has ended",
  413: "The body is too large",
  415: "The body has a Content-Type or Content-Encoding that the server does not read",
  503: "There are too many requests, the index is not available, or the server is stopping: try again later",
};

const DESCRIPTION =
  "Lexical and semantic search in one index, with one score: `lexical + λ · semantic`. Every hit has both parts, and " +
  "`explain` shows them term by term. Errors are `{ error: { code, message, hint? } }`.";

export type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** The OpenAPI document of a server with these limits. */
export function openApiDocument(limits: Limits = DEFAULT_LIMITS): OpenApiDocument {
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono();
  openAPIRegistry.registerComponent("securitySchemes", "key", { type: "http", scheme: "bearer" });
  openAPIRegistry.register("ProgressEvent", progressEvent);
  for (const [name, route] of Object.entries(ROUTES)) openAPIRegistry.registerPath(routeConfig(name, route));
  const document = getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Sluice", version: version(), description: DESCRIPTION, license: { name: "MIT" } },
    servers: [{ url: "/" }],
    tags: [
      { name: "search", description: "Search" },
      { name: "documents", description: "Documents and changes" },
      { name: "indexes", description: "Indexes" },
      { name: "server", description: "Server" },
    ],
  });
  writeLimits(document, limits);
  return document;
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, in which places are looked up by name
type Json = any;

/** Writes the server's limits into the schemas, so that they allow exactly what the server accepts. */
function writeLimits(document: OpenApiDocument, limits: Limits): void {
  const { schemas } = document.components as Json;
  for (const name of ["SearchRequest", "BatchRequest"]) {
    const { k, offset, exclude } = schemas[name].properties;
    k.maximum = limits.k;
    offset.maximum = limits.depth;
    exclude.maxItems = limits.depth;
  }
  schemas.BatchRequest.properties.queries.maxItems = limits.batch;
  const [text, { properties: parts }] = schemas.Query.anyOf;
  text.maxLength = limits.queryLength;
  parts.text.maxLength = limits.queryLength;
  parts.weights.maxProperties = limits.queryTerms;
  const search = document.paths?.[ROUTES.searchByAddress.path]?.get as Json;
  for (const parameter of search.parameters) {
    if (parameter.name === "q") parameter.schema.maxLength = limits.queryLength;
    if (parameter.name === "k") parameter.schema.maximum = limits.k;
    if (parameter.name === "offset") parameter.schema.maximum = limits.depth;
    if (parameter.name === "filter") {
      // OpenAPI describes a parameter that holds JSON by a content type.
      const { example } = parameter.schema;
      const schema = { $ref: "#/components/schemas/Filter" };
      parameter.content = { "application/json": { schema, example: JSON.parse(example) } };
      delete parameter.schema;
    }
  }
}

function routeConfig(name: string, route: Route): RouteConfig {
  const { method, path, access, tag, summary, description, params, query, body, streams, answer, refusal } =
    route;
  const events = { "text/event-stream": { schema: { type: "string" as const } } };
  const lines = { "application/x-ndjson": { schema: { type: "string" as const } } };
  return {
    method,
    path,
    operationId: name,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(access !== "open" && { security: [{ key: [] }, {}] }),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(body && {
        body: { required: true, content: { "application/json": { schema: body }, ...(streams && lines) } },
      }),
    },
    responses: {
      200: {
        description: "The answer",
        content: { "application/json": { schema: answer }, ...(streams && events) },
      },
      ...Object.fromEntries(
        statusesOf(route).map((status) => [
          status,
          {
            description: ERRORS[status],
            content: { "application/json": { schema: status === 503 && refusal ? refusal : errorAnswer } },
          },
        ]),
      ),
    },
  };
}

function statusesOf({ access, params, query, body, errors = [] }: Route): number[] {
  const own = [
    ...(params || query || body ? [400] : []),
    ...(access === "open" ? [] : [401]),
    403,
    ...(params ? [404] : []),
    ...(body ? [408, 413, 415] : []),
    ...errors,
    503,
  ];
  return own.sort((a, b) => a - b);
}
