// The types of all requests and answers, for the server, its page and other clients.

export type { ExplainAnswer, ExplainQueryAnswer } from "./answers/explanation-schema.ts";
export type { HitAnswer } from "./answers/hit-schema.ts";
export type { ListAnswer } from "./answers/list-answer.ts";
export type { SearchAllAnswer, SearchAnswer } from "./answers/search-answers.ts";
export type { SuggestAnswer } from "./answers/suggestion-schema.ts";
export type { ProgressEvent, WriteAnswer } from "./indexes/change-schema.ts";
export type { DocumentAnswer, PassagesAnswer } from "./indexes/document-schema.ts";
export type { FieldsAnswer } from "./indexes/field-info-schema.ts";
export type { IndexAnswer, IndexesAnswer } from "./indexes/index-schema.ts";
export type { CreateRequest, DropAnswer, SettingsRequest } from "./indexes/index-settings-schema.ts";
export type { ReportAnswer, ReportsAnswer } from "./report-schema.ts";
export type { ListRequest } from "./requests/list-request.ts";
export type { PlanRequest } from "./requests/plan-schema.ts";
export type {
  ExplainQueryRequest,
  ExplainRequest,
  SearchAllRequest,
  SearchRequest,
} from "./requests/search-requests.ts";
export type { SuggestRequest } from "./requests/suggest-request.ts";
export type { ErrorAnswer, ServerAnswer } from "./server-schema.ts";
export type { Immutable } from "./shared/immutable.ts";
