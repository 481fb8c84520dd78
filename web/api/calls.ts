// The requests of the page, one function each.

import type {
  CreateRequest,
  DocumentAnswer,
  DropAnswer,
  ExplainAnswer,
  ExplainQueryAnswer,
  ExplainQueryRequest,
  ExplainRequest,
  FieldsAnswer,
  IndexAnswer,
  IndexesAnswer,
  ListAnswer,
  ListRequest,
  ReportAnswer,
  ReportsAnswer,
  SearchAnswer,
  SearchRequest,
  ServerAnswer,
  SuggestAnswer,
  SuggestRequest,
  WriteAnswer,
} from "../../src/schemas/index.ts";
import { get, getIfAllowed, isOk, post, put, remove, request } from "./client.ts";
import { change, type OnProgress } from "./progress.ts";

const at = (index: string) => `/v1/indexes/${encodeURIComponent(index)}`;

export const listIndexes = (signal: AbortSignal) => get<IndexesAnswer>("/v1/indexes", signal);
/** The same, where the page can do without: it asks for no key. */
export const listAllowedIndexes = (signal: AbortSignal) => getIfAllowed<IndexesAnswer>("/v1/indexes", signal);
export const describeIndex = (index: string, signal: AbortSignal) => get<IndexAnswer>(at(index), signal);
export const listFields = (index: string, signal: AbortSignal) =>
  get<FieldsAnswer>(`${at(index)}/fields`, signal);
export const readDocument = (index: string, id: string, signal: AbortSignal) =>
  get<DocumentAnswer>(`${at(index)}/documents/${encodeURIComponent(id)}`, signal);
/** The description of all routes; /docs reads it. */
export const readOpenApi = <Document>(signal: AbortSignal) => get<Document>("/openapi.json", signal);
export const describeServer = (signal: AbortSignal) => get<ServerAnswer>("/v1/server", signal);
export const isReady = (signal: AbortSignal) => isOk("/ready", signal);
export const listReports = (signal: AbortSignal) => get<ReportsAnswer>("/v1/reports", signal);

export const readReport = (name: string, signal: AbortSignal) =>
  get<ReportAnswer>(`/v1/reports/${encodeURIComponent(name)}`, signal);

export const search = (index: string, request: SearchRequest, signal: AbortSignal) =>
  post<SearchAnswer>(`${at(index)}/search`, request, signal);

export const listDocuments = (index: string, request: ListRequest, signal: AbortSignal) =>
  post<ListAnswer>(`${at(index)}/list`, request, signal);

export const suggest = (index: string, request: SuggestRequest, signal: AbortSignal) =>
  post<SuggestAnswer>(`${at(index)}/suggest`, request, signal);

export const explain = (index: string, request: ExplainRequest, signal: AbortSignal) =>
  post<ExplainAnswer>(`${at(index)}/explain`, request, signal);

export const explainQuery = (index: string, request: ExplainQueryRequest, signal: AbortSignal) =>
  post<ExplainQueryAnswer>(`${at(index)}/explain-query`, request, signal);

export const createIndex = (index: string, settings: CreateRequest, signal: AbortSignal) =>
  put<IndexAnswer>(at(index), settings, signal);

export const dropIndex = (index: string, signal: AbortSignal) => remove<DropAnswer>(at(index), signal);

export const optimizeIndex = (index: string, onProgress: OnProgress, signal: AbortSignal) =>
  change<WriteAnswer>(`${at(index)}/optimize`, undefined, onProgress, signal);

/** How the records of a file are read. A part that is left out, or empty, is as usual. */
export interface UploadColumns {
  readonly delimiter?: string;
  readonly id?: string;
  readonly title?: string;
  readonly text?: string;
}

/** Adds the documents of a file, in place of those with the same ids. */
export function uploadFile(
  index: string,
  file: File,
  columns: UploadColumns,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<WriteAnswer> {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined && value !== "");
  const parameters = new URLSearchParams([["file", file.name], ["upsert", "true"], ...given]);
  return change<WriteAnswer>(`${at(index)}/upload?${parameters}`, file, onProgress, signal);
}

/** The whole index as one file. */
export async function readBackup(index: string, signal: AbortSignal): Promise<Blob> {
  const response = await request(`${at(index)}/backup`, { method: "GET", headers: {}, signal });
  return response.blob();
}
