// sluice/browser, the public API for web pages: opens an export and searches it, read-only. Nothing here needs Node.

export type { Boost } from "../documents/boost.ts";
export type { Fields } from "../documents/document.ts";
export type { Filter } from "../documents/filter.ts";
export type { Query, QueryTerm } from "../query/ask/query.ts";
export type { Plan } from "../query/plan/plan.ts";
export type { QueryEncoding } from "../query/prepare/query-preparer.ts";
export type { Explanation } from "../rank/explain.ts";
export type { KernelInfo, KernelOptions } from "../scan/contract/kernel-options.ts";
export type { QueryExplanation } from "../search/explain/explain-query.ts";
export type { Answer, Hit } from "../search/hits/answer.ts";
export type { Highlights } from "../search/hits/highlights.ts";
export type * from "../search/index.ts";
export type { DocumentList } from "../search/list/list-documents.ts";
export type { ExplainOptions, ExplainQueryOptions } from "../search/options/explain-options.ts";
export type { ListOptions, PassagesOptions } from "../search/options/list-options.ts";
export type { SearchOptions } from "../search/options/search-options.ts";
export type { SuggestOptions } from "../search/options/suggest-options.ts";
export type { Searchable } from "../search/searchable.ts";
export type { Suggestion } from "../search/suggest/suggest.ts";
export type { FieldInfo } from "../store/snapshot/fields.ts";
export type { IndexInfo } from "../store/snapshot/index-info.ts";
export { type ErrorCode, SluiceError } from "../support/errors/sluice-error.ts";
export type { OnProgress, Progress } from "../support/options/progress.ts";
export type { WorkOptions } from "../support/options/work-options.ts";
export { type ReaderInfo, type ReaderOptions, SluiceReader } from "./reader.ts";
