// The routes, as one table: it feeds the router, the checks, the keys, the metrics and /openapi.json.

import type { z } from "@hono/zod-openapi";
import {
  batchAnswer,
  batchRequest,
  documentAnswer,
  documentParameters,
  documentsRequest,
  explainAnswer,
  explainRequest,
  fieldsAnswer,
  healthAnswer,
  idsRequest,
  indexAnswer,
  indexesAnswer,
  nameParameter,
  queryAnswer,
  queryRequest,
  readyAnswer,
  reportAnswer,
  reportParameter,
  reportsAnswer,
  searchAnswer,
  searchParameters,
  searchRequest,
  serverAnswer,
  transactionParameters,
  writeAnswer,
  writeParameters,
} from "./schemas.ts";

/** Which key a route asks for, where the server has keys. A write key opens what a read key does. */
export type Access = "open" | "read" | "write";

export interface Route {
  readonly method: "get" | "post" | "put" | "delete";
  /** As in OpenAPI: /v1/indexes/{name}. */
  readonly path: string;
  readonly access: Access;
  readonly tag: "search" | "documents" | "indexes" | "server";
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Whether the body may be a stream of lines, and the answer a stream of events. */
  readonly streams?: true;
  readonly answer: z.ZodType;
  /** What comes with a 503, where it is no error. */
  readonly refusal?: z.ZodType;
  /** Statuses of errors beyond those that every route has. */
  readonly errors?: readonly number[];
}

const INDEX = "/v1/indexes/{name}";

const TRANSACTIONS =
  "All changes of a request are committed together when it ends, or none of them is: an error forgets the whole request. " +
  "With `commit=false` they wait in a transaction, which the answer names; further changes join it by that name, " +
  "an error forgets all of it, and so does a minute without a change. While a transaction is open, changes that do not name it are refused with 409.";

const STREAMS =
  "`application/x-ndjson` is a document a line, read as it comes. With `Accept: text/event-stream` the answer is a stream " +
  "of events: `progress` (stage, done, total), then `done` (what is otherwise the answer) or `error`.";

/** What adding and replacing have in common. */
const BRINGS_DOCUMENTS = {
  path: `${INDEX}/documents`,
  access: "write",
  tag: "documents",
  description: `${TRANSACTIONS}\n\n${STREAMS}`,
  params: nameParameter,
  query: writeParameters,
  body: documentsRequest,
  streams: true,
  answer: writeAnswer,
  errors: [409],
} as const;

export const ROUTES = {
  indexes: {
    method: "get",
    path: "/v1/indexes",
    access: "read",
    tag: "indexes",
    summary: "The indexes of this server",
    answer: indexesAnswer,
  },
  index: {
    method: "get",
    path: INDEX,
    access: "read",
    tag: "indexes",
    summary: "What an index holds and how it was made",
    params: nameParameter,
    answer: indexAnswer,
  },
  fields: {
    method: "get",
    path: `${INDEX}/fields`,
    access: "read",
    tag: "indexes",
    summary: "The documents' fields and what is in them: what a filter can be made of",
    params: nameParameter,
    answer: fieldsAnswer,
  },
  search: {
    method: "post",
    path: `${INDEX}/search`,
    access: "read",
    tag: "search",
    summary: "Find the documents that answer a query",
    params: nameParameter,
    body: searchRequest,
    answer: searchAnswer,
  },
  searchByAddress: {
    method: "get",
    path: `${INDEX}/search`,
    access: "read",
    tag: "search",
    summary: "The same, with a text alone",
    params: nameParameter,
    query: searchParameters,
    answer: searchAnswer,
  },
  batch: {
    method: "post",
    path: `${INDEX}/batch`,
    access: "read",
    tag: "search",
    summary: "Many queries with the same options, answered faster than one by one",
    params: nameParameter,
    body: batchRequest,
    answer: batchAnswer,
  },
  explain: {
    method: "post",
    path: `${INDEX}/explain`,
    access: "read",
    tag: "search",
    summary: "Why a document scores what it scores, term by term",
    params: nameParameter,
    body: explainRequest,
    answer: explainAnswer,
  },
  query: {
    method: "post",
    path: `${INDEX}/query`,
    access: "read",
    tag: "search",
    summary:
      "What becomes of a query: its terms, their weights and slots, and which of them a plan looks at first",
    params: nameParameter,
    body: queryRequest,
    answer: queryAnswer,
  },
  document: {
    method: "get",
    path: `${INDEX}/documents/{id}`,
    access: "read",
    tag: "documents",
    summary: "A document",
    params: documentParameters,
    answer: documentAnswer,
  },
  addDocuments: {
    ...BRINGS_DOCUMENTS,
    method: "post",
    summary: "Add documents; an id that is there already is refused",
  },
  upsertDocuments: {
    ...BRINGS_DOCUMENTS,
    method: "put",
    summary: "Add documents; one whose id is there already takes its place",
  },
  deleteDocuments: {
    method: "delete",
    path: `${INDEX}/documents`,
    access: "write",
    tag: "documents",
    summary: "Delete documents; ids that are not there are counted out, and are no error",
    description: TRANSACTIONS,
    params: nameParameter,
    query: writeParameters,
    body: idsRequest,
    answer: writeAnswer,
    errors: [409],
  },
  deleteDocument: {
    method: "delete",
    path: `${INDEX}/documents/{id}`,
    access: "write",
    tag: "documents",
    summary: "Delete a document",
    params: documentParameters,
    query: writeParameters,
    answer: writeAnswer,
    errors: [409],
  },
  commit: {
    method: "post",
    path: `${INDEX}/commit`,
    access: "write",
    tag: "documents",
    summary: "Commit a transaction: its changes are on the disk and seen by searches, all at once",
    params: nameParameter,
    query: transactionParameters,
    answer: writeAnswer,
    errors: [409],
  },
  rollback: {
    method: "post",
    path: `${INDEX}/rollback`,
    access: "write",
    tag: "documents",
    summary: "Forget a transaction",
    params: nameParameter,
    query: transactionParameters,
    answer: writeAnswer,
    errors: [409],
  },
  server: {
    method: "get",
    path: "/v1/server",
    access: "read",
    tag: "server",
    summary: "The time since the start and the memory of the process",
    answer: serverAnswer,
  },
  reports: {
    method: "get",
    path: "/v1/reports",
    access: "read",
    tag: "server",
    summary: "Reports of experiments, newest first, where the server was given a folder of them",
    answer: reportsAnswer,
  },
  report: {
    method: "get",
    path: "/v1/reports/{name}",
    access: "read",
    tag: "server",
    summary: "A report: text, tables and plots",
    params: reportParameter,
    answer: reportAnswer,
  },
  health: {
    method: "get",
    path: "/health",
    access: "open",
    tag: "server",
    summary: "Whether the process lives",
    answer: healthAnswer,
  },
  ready: {
    method: "get",
    path: "/ready",
    access: "open",
    tag: "server",
    summary:
      "Whether requests should be sent here: 503 when an index is closed, gone or damaged, and once the server stops",
    answer: readyAnswer,
    refusal: readyAnswer,
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;
