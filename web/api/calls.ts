// The requests of the page, one function each.

import type {
  ExplainAnswer,
  ExplainQueryAnswer,
  ExplainQueryRequest,
  ExplainRequest,
  FieldsAnswer,
  IndexAnswer,
  IndexesAnswer,
  ReportAnswer,
  ReportsAnswer,
  SearchAnswer,
  SearchRequest,
  ServerAnswer,
} from "../../src/schemas/index.ts";
import { get, isOk, post } from "./client.ts";

const at = (index: string) => `/v1/indexes/${encodeURIComponent(index)}`;

export const listIndexes = (signal: AbortSignal) => get<IndexesAnswer>("/v1/indexes", signal);
export const describeIndex = (index: string, signal: AbortSignal) => get<IndexAnswer>(at(index), signal);
export const listFields = (index: string, signal: AbortSignal) =>
  get<FieldsAnswer>(`${at(index)}/fields`, signal);
export const describeServer = (signal: AbortSignal) => get<ServerAnswer>("/v1/server", signal);
export const isReady = (signal: AbortSignal) => isOk("/ready", signal);
export const listReports = (signal: AbortSignal) => get<ReportsAnswer>("/v1/reports", signal);

export const readReport = (name: string, signal: AbortSignal) =>
  get<ReportAnswer>(`/v1/reports/${encodeURIComponent(name)}`, signal);

export const search = (index: string, request: SearchRequest, signal: AbortSignal) =>
  post<SearchAnswer>(`${at(index)}/search`, request, signal);

export const explain = (index: string, request: ExplainRequest, signal: AbortSignal) =>
  post<ExplainAnswer>(`${at(index)}/explain`, request, signal);

export const explainQuery = (index: string, request: ExplainQueryRequest, signal: AbortSignal) =>
  post<ExplainQueryAnswer>(`${at(index)}/explain-query`, request, signal);
