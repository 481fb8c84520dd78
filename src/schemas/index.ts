// The types of all requests and answers, for the server, its page and other clients.

export type { ProgressEvent, WriteAnswer } from "./change-schema.ts";
export type { DocumentAnswer } from "./document-schema.ts";
export type { ExplainAnswer, ExplainQueryAnswer } from "./explanation-schema.ts";
export type { FieldsAnswer } from "./field-info-schema.ts";
export type { HitAnswer } from "./hit-schema.ts";
export type { IndexAnswer, IndexesAnswer } from "./index-schema.ts";
export type { PlanRequest } from "./plan-schema.ts";
export type { ReportAnswer, ReportsAnswer } from "./report-schema.ts";
export type { SearchAllAnswer, SearchAnswer } from "./search-answers.ts";
export type {
  ExplainQueryRequest,
  ExplainRequest,
  SearchAllRequest,
  SearchRequest,
} from "./search-requests.ts";
export type { ErrorAnswer, ServerAnswer } from "./server-schema.ts";
