// All routes in one table. The router, the checks of requests, the access rules, the metrics and /openapi.json read it.

import type { z } from "zod";
import { explainAnswerSchema, explainQueryAnswerSchema } from "../../schemas/answers/explanation-schema.ts";
import { listAnswerSchema } from "../../schemas/answers/list-answer.ts";
import { searchAllAnswerSchema, searchAnswerSchema } from "../../schemas/answers/search-answers.ts";
import { suggestAnswerSchema } from "../../schemas/answers/suggestion-schema.ts";
import { writeAnswerSchema } from "../../schemas/indexes/change-schema.ts";
import {
  documentAnswerSchema,
  documentsRequestSchema,
  passagesAnswerSchema,
} from "../../schemas/indexes/document-schema.ts";
import { fieldsAnswerSchema } from "../../schemas/indexes/field-info-schema.ts";
import { indexAnswerSchema, indexesAnswerSchema } from "../../schemas/indexes/index-schema.ts";
import {
  createIndexRequestSchema,
  dropAnswerSchema,
  settingsRequestSchema,
} from "../../schemas/indexes/index-settings-schema.ts";
import { reportAnswerSchema, reportsAnswerSchema } from "../../schemas/report-schema.ts";
import { deleteRequestSchema } from "../../schemas/requests/delete-request.ts";
import { listRequestSchema } from "../../schemas/requests/list-request.ts";
import {
  explainQueryRequestSchema,
  explainRequestSchema,
  searchAllRequestSchema,
  searchRequestSchema,
} from "../../schemas/requests/search-requests.ts";
import { suggestRequestSchema } from "../../schemas/requests/suggest-request.ts";
import { healthAnswerSchema, readyAnswerSchema, serverAnswerSchema } from "../../schemas/server-schema.ts";
import {
  documentParameters,
  documentsParameters,
  indexParameters,
  listParameters,
  reportParameters,
  searchParameters,
  suggestParameters,
  transactionParameters,
  uploadParameters,
  writeParameters,
} from "./url-parameters.ts";

/** The key that a route needs when the server has keys. A write key opens read routes as well, and an admin key all. */
export type Access = "open" | "read" | "write" | "admin";

export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** As in OpenAPI: /v1/indexes/{name}. */
  readonly path: string;
  readonly access: Access;
  readonly tag: "search" | "documents" | "indexes" | "server";
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  /** Whether the path names an index that does not exist yet. */
  readonly creates?: true;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Whether a request without a body means `{}`. */
  readonly mayBeEmpty?: true;
  /** Whether the body, if there is one, may be a stream of lines, and the answer a stream of events. */
  readonly streams?: true;
  /** Whether the body is a file. */
  readonly uploads?: true;
  /** Absent if the answer is a file. */
  readonly answer?: z.ZodType;
  /** The type of the file that is the answer. */
  readonly downloads?: string;
  /** The body of a 503 when it is not the usual error. */
  readonly refusal?: z.ZodType;
  /** Error statuses besides those that every route has. */
  readonly errors?: readonly number[];
}

const INDEX = "/v1/indexes/{name}";

/** Whether a route is about one index, which its path names. */
export function isOfIndex({ path }: Route): boolean {
  return path.startsWith(INDEX);
}

const TRANSACTIONS =
  "All changes of a request are committed together at its end; an error rolls all of them back. " +
  "With `commit=false` they wait in a transaction. The answer names it, and further changes join it by that name. " +
  "An error, or a minute without a change, rolls the whole transaction back. " +
  "While a transaction is open, changes that do not name it are refused with 409.";

const EVENTS =
  "With `Accept: text/event-stream` the answer is a stream of events: `progress` (task, done, total), then `done` (with " +
  "the usual answer) or `error`.";

const LIST_ORDER =
  "Documents come in the order in which they were added, as of the last commit. `next` leads to the next page, while others write, " +
  "too: a document that nobody changes meanwhile is listed exactly once, one that is added or replaced comes at the end, and one " +
  "that is deleted before its page is left out. `total` is that of the commit of each page.";

const LINES = "`application/x-ndjson` has one document per line and is read as it arrives.";

/** The part of the table that adding and replacing documents share. */
const BRINGS_DOCUMENTS = {
  path: `${INDEX}/documents`,
  access: "write",
  tag: "documents",
  description: `${TRANSACTIONS}\n\nA JSON body may be the list of documents alone. ${LINES} ${EVENTS}`,
  params: indexParameters,
  query: documentsParameters,
  body: documentsRequestSchema,
  streams: true,
  answer: writeAnswerSchema,
  errors: [409],
} as const;

export const ROUTES = {
  indexes: {
    method: "get",
    path: "/v1/indexes",
    access: "read",
    tag: "indexes",
    summary: "List the indexes of this server",
    answer: indexesAnswerSchema,
  },
  index: {
    method: "get",
    path: INDEX,
    access: "read",
    tag: "indexes",
    summary: "Describe an index: what it holds and how it was built",
    params: indexParameters,
    answer: indexAnswerSchema,
  },
  createIndex: {
    method: "put",
    path: INDEX,
    access: "admin",
    tag: "indexes",
    summary: "Create an index without documents; a name that is taken is refused",
    description:
      "The server needs a folder for its indexes. All settings have defaults, so `{}` or no body is enough. The index is there as a " +
      "whole, or not at all. Only `lambda` can be changed later.",
    params: indexParameters,
    creates: true,
    body: createIndexRequestSchema,
    mayBeEmpty: true,
    answer: indexAnswerSchema,
    errors: [409],
  },
  changeSettings: {
    method: "patch",
    path: INDEX,
    access: "admin",
    tag: "indexes",
    summary: "Change settings of an index, in one commit",
    params: indexParameters,
    body: settingsRequestSchema,
    answer: indexAnswerSchema,
    errors: [409],
  },
  dropIndex: {
    method: "delete",
    path: INDEX,
    access: "admin",
    tag: "indexes",
    summary: "Drop an index with all its documents",
    description:
      "Only indexes of the server's folder can be dropped. Requests that still use the index are stopped and get 404. An " +
      "index that another process writes to is not dropped (503).",
    params: indexParameters,
    answer: dropAnswerSchema,
    errors: [409],
  },
  fields: {
    method: "get",
    path: `${INDEX}/fields`,
    access: "read",
    tag: "indexes",
    summary: "List the fields of the documents and their values, for building filters",
    params: indexParameters,
    answer: fieldsAnswerSchema,
  },
  search: {
    method: "post",
    path: `${INDEX}/search`,
    access: "read",
    tag: "search",
    summary: "Find the documents that answer a query",
    params: indexParameters,
    body: searchRequestSchema,
    answer: searchAnswerSchema,
  },
  searchByUrl: {
    method: "get",
    path: `${INDEX}/search`,
    access: "read",
    tag: "search",
    summary: "The same search with parameters in the URL",
    params: indexParameters,
    query: searchParameters,
    answer: searchAnswerSchema,
  },
  searchAll: {
    method: "post",
    path: `${INDEX}/search-all`,
    access: "read",
    tag: "search",
    summary: "Run many queries with the same options; faster than one by one",
    params: indexParameters,
    body: searchAllRequestSchema,
    answer: searchAllAnswerSchema,
  },
  suggest: {
    method: "post",
    path: `${INDEX}/suggest`,
    access: "read",
    tag: "search",
    summary: "Complete and correct what a user has typed so far",
    params: indexParameters,
    body: suggestRequestSchema,
    answer: suggestAnswerSchema,
  },
  suggestByUrl: {
    method: "get",
    path: `${INDEX}/suggest`,
    access: "read",
    tag: "search",
    summary: "The same suggestions with parameters in the URL",
    params: indexParameters,
    query: suggestParameters,
    answer: suggestAnswerSchema,
  },
  explain: {
    method: "post",
    path: `${INDEX}/explain`,
    access: "read",
    tag: "search",
    summary: "Explain the score of a document, term by term",
    params: indexParameters,
    body: explainRequestSchema,
    answer: explainAnswerSchema,
  },
  explainQuery: {
    method: "post",
    path: `${INDEX}/explain-query`,
    access: "read",
    tag: "search",
    summary:
      "Show how a query is searched: its terms, their weights and slots, and which of them the plan's first stage uses",
    params: indexParameters,
    body: explainQueryRequestSchema,
    answer: explainQueryAnswerSchema,
  },
  document: {
    method: "get",
    path: `${INDEX}/documents/{id}`,
    access: "read",
    tag: "documents",
    summary: "Get a document",
    params: documentParameters,
    answer: documentAnswerSchema,
  },
  passages: {
    method: "get",
    path: `${INDEX}/documents/{id}/passages`,
    access: "read",
    tag: "documents",
    summary: "Get all passages `ID#1`, `ID#2`, … of a document; the document itself, if it was not cut",
    params: documentParameters,
    answer: passagesAnswerSchema,
  },
  list: {
    method: "post",
    path: `${INDEX}/list`,
    access: "read",
    tag: "documents",
    summary: "List or count the documents that a filter accepts, a page at a time",
    description: LIST_ORDER,
    params: indexParameters,
    body: listRequestSchema,
    mayBeEmpty: true,
    answer: listAnswerSchema,
  },
  listByUrl: {
    method: "get",
    path: `${INDEX}/list`,
    access: "read",
    tag: "documents",
    summary: "The same list with parameters in the URL",
    params: indexParameters,
    query: listParameters,
    answer: listAnswerSchema,
  },
  addDocuments: {
    ...BRINGS_DOCUMENTS,
    method: "post",
    summary: "Add documents; an id that already exists is refused",
  },
  upsertDocuments: {
    ...BRINGS_DOCUMENTS,
    method: "put",
    summary: "Add documents; an existing document with the same id is replaced",
  },
  uploadFile: {
    method: "post",
    path: `${INDEX}/upload`,
    access: "write",
    tag: "documents",
    summary: "Add the documents of a file: JSON Lines, JSON, CSV, Parquet, Markdown or text",
    description:
      "The body is the file, plain or gzip. `format`, the ending of `file` or the Content-Type says the format. Lines, elements " +
      "and rows are documents; Markdown and text are cut into passages with the ids FILE#1, FILE#2, … " +
      `${TRANSACTIONS}\n\n${EVENTS} Of a file, \`total\` is an estimate.`,
    params: indexParameters,
    query: uploadParameters,
    uploads: true,
    streams: true,
    answer: writeAnswerSchema,
    errors: [409],
  },
  deleteDocuments: {
    method: "delete",
    path: `${INDEX}/documents`,
    access: "write",
    tag: "documents",
    summary: "Delete documents by their ids, or all that a filter accepts",
    description:
      "Ids that no document has are ignored. A filter sees the changes of the transaction, too. With `commit=false`, the " +
      `answer says how many documents were deleted, and a rollback brings them back.\n\n${TRANSACTIONS}`,
    params: indexParameters,
    query: writeParameters,
    body: deleteRequestSchema,
    answer: writeAnswerSchema,
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
    answer: writeAnswerSchema,
    errors: [409],
  },
  deletePassages: {
    method: "delete",
    path: `${INDEX}/documents/{id}/passages`,
    access: "write",
    tag: "documents",
    summary: "Delete all passages `ID#1`, `ID#2`, … of a document; the document itself, if it was not cut",
    params: documentParameters,
    query: writeParameters,
    answer: writeAnswerSchema,
    errors: [409],
  },
  commit: {
    method: "post",
    path: `${INDEX}/commit`,
    access: "write",
    tag: "documents",
    summary: "Commit a transaction: all its changes are stored and become visible to searches at once",
    params: indexParameters,
    query: transactionParameters,
    answer: writeAnswerSchema,
    errors: [409],
  },
  rollback: {
    method: "post",
    path: `${INDEX}/rollback`,
    access: "write",
    tag: "documents",
    summary: "Roll back a transaction",
    params: indexParameters,
    query: transactionParameters,
    answer: writeAnswerSchema,
    errors: [409],
  },
  optimize: {
    method: "post",
    path: `${INDEX}/optimize`,
    access: "write",
    tag: "indexes",
    summary: "Merge all segments and compute all weights again, as if the index had just been built",
    description: `Searches go on meanwhile; changes wait. It may take as long as building the index.\n\n${EVENTS}`,
    params: indexParameters,
    streams: true,
    answer: writeAnswerSchema,
    errors: [409],
  },
  backup: {
    method: "get",
    path: `${INDEX}/backup`,
    access: "admin",
    tag: "indexes",
    summary: "Download a backup of the last commit: a tar file of the index, checked before it is sent",
    description:
      "Searches and changes go on meanwhile. The answer states its length, so a download that was cut short is noticed. What is " +
      "unpacked is an index. It needs an admin key, because it has all documents.",
    params: indexParameters,
    downloads: "application/x-tar",
  },
  server: {
    method: "get",
    path: "/v1/server",
    access: "read",
    tag: "server",
    summary:
      "Show the uptime and the memory of the process, which files it reads, and whether it has reports",
    answer: serverAnswerSchema,
  },
  reports: {
    method: "get",
    path: "/v1/reports",
    access: "read",
    tag: "server",
    summary: "List reports of experiments, newest first; empty when the server has no folder of reports",
    answer: reportsAnswerSchema,
  },
  report: {
    method: "get",
    path: "/v1/reports/{name}",
    access: "read",
    tag: "server",
    summary: "Get a report: text, tables and plots",
    params: reportParameters,
    answer: reportAnswerSchema,
  },
  health: {
    method: "get",
    path: "/health",
    access: "open",
    tag: "server",
    summary: "Check that the process is alive",
    answer: healthAnswerSchema,
  },
  ready: {
    method: "get",
    path: "/ready",
    access: "open",
    tag: "server",
    summary:
      "Check that requests can be sent here: 503 when an index is closed, gone or damaged, or the server is stopping",
    answer: readyAnswerSchema,
    refusal: readyAnswerSchema,
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;
